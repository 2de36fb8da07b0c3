import { first, last } from "../base/lists.ts";
import { concerns, decisionsApart, isCollected, retryMs } from "./rules/notices.ts";
import { noticeReceivers, noticesAfter } from "./reads/notices.ts";
import { type NoticeReceiverRow, NoticeReceivers, type NoticeRow } from "../alerts/table.ts";
import { read } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";
import { sendMessage } from "./send.ts";

/** More than can be told in one message anyway. */
const READ_AT_ONCE = 2_000;
const ERROR_CHARACTERS = 300;

/** Sends each receiver what has been collected for it. */
export async function sendDueNotices(deps: Deps): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const due = (await noticeReceivers(deps.db)).filter((row) => row.nextTryAtMs <= nowMs);
  await Promise.all(due.map((receiver) => sendTo(deps, receiver)));
}

/**
 * What a message covers is decided and saved before it is sent: after a crash the same one is sent
 * again, with the same id.
 */
async function sendTo(deps: Deps, receiver: NoticeReceiverRow): Promise<void> {
  const read = await noticesAfter(deps.db, { id: receiver.readTo, limit: READ_AT_ONCE });
  const { sendingTo } = receiver;
  const covered = sendingTo === null ? read : read.filter(({ id }) => id <= sendingTo);
  const notices = covered.filter((notice) => concerns(receiver, notice));
  if (notices.length === 0) return await skip(deps, { receiver, covered });
  if (sendingTo === null) {
    if (read.length < READ_AT_ONCE && !isWhole(deps, notices)) return;
    if (!await change(deps, receiver, { sendingTo: last(covered).id })) return;
  }
  await deliver(deps, { receiver, notices, to: sendingTo ?? last(covered).id });
}

function isWhole({ clock }: Deps, notices: readonly NoticeRow[]): boolean {
  const [firstAtMs, lastAtMs] = [first(notices).createdAtMs, last(notices).createdAtMs];
  return isCollected({ firstAtMs, lastAtMs, nowMs: clock.nowMs() });
}

/** None of them concerns this receiver, or they are too old to be there. */
async function skip(
  deps: Deps,
  { receiver, covered }: { receiver: NoticeReceiverRow; covered: readonly NoticeRow[] },
): Promise<void> {
  const readTo = receiver.sendingTo ?? covered.at(-1)?.id;
  if (readTo !== undefined) await change(deps, receiver, { readTo, sendingTo: null });
}

async function deliver(
  deps: Deps,
  { receiver, notices, to }: {
    receiver: NoticeReceiverRow;
    notices: readonly NoticeRow[];
    to: number;
  },
): Promise<void> {
  try {
    const { decisions, rest } = decisionsApart(notices);
    const isMixed = decisions.length > 0 && rest.length > 0;
    if (isMixed && receiver.decidedTo !== to) {
      await sendMessage(deps, { receiver, number: `${to}_decisions`, notices: decisions });
      // Another try, of the rest, doesn't ask for them again.
      if (!await change(deps, receiver, { decidedTo: to })) return;
    }
    await sendMessage(deps, { receiver, number: String(to), notices: isMixed ? rest : notices });
    const healthy = { failures: 0, failingSinceMs: null, lastError: null, nextTryAtMs: 0 };
    await change(deps, receiver, { readTo: to, sendingTo: null, ...healthy });
  } catch (error) {
    await noteFailure(deps, { receiver, error });
  }
}

async function noteFailure(
  deps: Deps,
  { receiver, error }: { receiver: NoticeReceiverRow; error: unknown },
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const failures = receiver.failures + 1;
  const text = error instanceof Error ? error.message : String(error);
  const lastError = text.slice(0, ERROR_CHARACTERS);
  deps.log.warn("notification is not sent", { notify_id: receiver.id, error: lastError });
  await change(deps, receiver, {
    failures,
    failingSinceMs: receiver.failingSinceMs ?? nowMs,
    lastError,
    nextTryAtMs: nowMs + retryMs(failures),
  });
}

/** False if it was removed meanwhile. */
async function change(
  { db }: Deps,
  { id }: NoticeReceiverRow,
  patch: Partial<NoticeReceiverRow>,
): Promise<boolean> {
  return await db.write({
    reads: [read(NoticeReceivers, [id])],
    decide: (view) => {
      const row = view.find(NoticeReceivers, [id]);
      if (row) view.update(NoticeReceivers, row, patch);
      return row !== undefined;
    },
  });
}
