import { randomToken } from "../base/bytes.ts";
import type { NoticeTopic, ReceiverKind } from "./rules/notices.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { newestNoticeId, noticeReceivers } from "./reads/notices.ts";
import { type NoticeReceiverRow, NoticeReceivers, noticeSecretContext } from "../alerts/table.ts";
import { read } from "../store/engine/workspace.ts";
import { newSecret } from "../webhooks/post/sign.ts";
import { findAccount } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import { checkUrl } from "../webhooks/check_url.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { sendMessage } from "./send.ts";

const SECRET_NAME_BYTES = 12;
const RECEIVERS_MAX = 100;

interface NewReceiver {
  readonly kind: ReceiverKind;
  readonly address: string;
  /** Null: an operator's, for everything. */
  readonly accountId: number | null;
  readonly topics: readonly NoticeTopic[];
  readonly actor: Actor;
}

/** The secret of a webhook is shown only this once: it is stored sealed. */
export async function addReceiver(
  deps: Deps,
  { actor, ...asked }: NewReceiver,
): Promise<{ row: NoticeReceiverRow; secret: string | null }> {
  if (asked.accountId !== null) await findAccount(deps, asked.accountId);
  checkAddress(deps, asked);
  if ((await noticeReceivers(deps.db)).length >= RECEIVERS_MAX) {
    throw refuse("receivers_too_many", { max: RECEIVERS_MAX });
  }
  const secret = asked.kind === "webhook" ? newSecret() : null;
  const secretName = randomToken(SECRET_NAME_BYTES);
  const secretSealed = secret && await deps.vault.seal(secret, noticeSecretContext(secretName));
  const readTo = await newestNoticeId(deps.db);
  const nowMs = deps.clock.nowMs();
  const row = await deps.db.write({
    reads: [],
    decide: (view) => {
      const row = view.insert(NoticeReceivers, {
        ...asked,
        secretName,
        secretSealed,
        readTo,
        sendingTo: null,
        failures: 0,
        failingSinceMs: null,
        lastError: null,
        nextTryAtMs: 0,
        createdAtMs: nowMs,
        decidedTo: null,
      });
      const subject = subjectOf(row);
      recordAudit(view, { actor, action: "notify.added", subject, detail: asked, nowMs });
      return row;
    },
  });
  return { row, secret };
}

const ADDRESS = {
  /** One address, without a name, a list or a line break. */
  email: /^[^\s<>(),;:"\\[\]@]{1,64}@[^\s<>(),;:"\\[\]@]{1,190}$/,
  telegram: /^(-?\d{1,20}|@\w{5,32})$/,
};

function checkAddress(deps: Deps, { kind, address }: Pick<NewReceiver, "kind" | "address">): void {
  if (kind === "webhook") {
    checkUrl(address);
    const why = deps.webhooks.refusalOf(address);
    if (why !== undefined) throw refuse("webhook_url_wrong", { url: address, why });
    return;
  }
  if (!ADDRESS[kind].test(address)) throw refuse("receiver_wrong", { kind, address });
  if (!deps.notes.send[kind]) throw refuse("sender_missing", { kind });
}

/** What waits for it isn't sent any more. */
export async function removeReceiver(
  deps: Deps,
  { id, actor }: { id: number; actor: Actor },
): Promise<NoticeReceiverRow> {
  return await deps.db.write({
    reads: [read(NoticeReceivers, [id])],
    decide: (view) => {
      const row = view.find(NoticeReceivers, [id]);
      if (!row) throw refuse("receiver_unknown", { id });
      const { kind, address, accountId, topics } = row;
      const detail = { accountId, before: { kind, address, topics }, after: null };
      const nowMs = deps.clock.nowMs();
      recordAudit(view, {
        actor,
        action: "notify.removed",
        subject: subjectOf(row),
        detail,
        nowMs,
      });
      view.remove(NoticeReceivers, row);
      return row;
    },
  });
}

/** At once, whatever is waiting. Null: it was taken; otherwise why not. */
export async function testReceiver(
  deps: Deps,
  { id, actor }: { id: number; actor: Actor },
): Promise<{ row: NoticeReceiverRow; error: string | null }> {
  const row = await deps.db.find(NoticeReceivers, [id]);
  if (!row) throw refuse("receiver_unknown", { id });
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [],
    decide: (view) =>
      recordAudit(view, { actor, action: "notify.tested", subject: subjectOf(row), nowMs }),
  });
  const notice = {
    topic: "alerts",
    accountId: row.accountId,
    title: "This is a test",
    text: `Notifications about ${row.topics.join(", ")} arrive here.`,
    createdAtMs: nowMs,
  } as const;
  const number = `test_${randomToken(SECRET_NAME_BYTES)}`;
  const error = await sendMessage(deps, { receiver: row, number, notices: [notice] })
    .then(() => null, (error: Error) => error.message);
  return { row, error };
}

function subjectOf({ id }: NoticeReceiverRow): string {
  return `notify:${id}`;
}
