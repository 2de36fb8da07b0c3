import { messageOf, mostUrgentFirst, type NoticeMessage } from "./rules/notices.ts";
import { isoUtc } from "../domain/time.ts";
import { present } from "../base/assert.ts";
import { type NoticeReceiverRow, type NoticeRow, noticeSecretContext } from "../alerts/table.ts";
import { signingKey } from "../webhooks/post/sign.ts";
import { sendSigned } from "../webhooks/signing.ts";
import { isTestAccount } from "../networks/worlds.ts";
import type { Deps } from "../deps/deps.ts";

type Told = Pick<NoticeRow, "topic" | "accountId" | "title" | "text" | "createdAtMs">;

interface Outgoing {
  readonly receiver: NoticeReceiverRow;
  /** Part of the message's id, which stays the same for each try. */
  readonly number: string;
  readonly notices: readonly Told[];
}

/** Throws an error that says why if it wasn't taken. */
export async function sendMessage(deps: Deps, outgoing: Outgoing): Promise<void> {
  const { receiver: { id: receiverId, kind, address, accountId }, number } = outgoing;
  const notices = mostUrgentFirst(outgoing.notices);
  const { notes } = deps;
  const id = `ntf_${receiverId}_${number}`;
  if (kind === "webhook") return await sendWebhook(deps, { ...outgoing, notices, id });
  const send = notes.send[kind];
  if (!send) throw new Error(MISSING[kind]);
  const message: NoticeMessage = messageOf(notices, {
    link: notes.link,
    isTest: accountId !== null && await isTestAccount(deps, accountId),
  });
  await send({ to: address, id, ...message });
}

const MISSING = {
  email: "CPG_SMTP_URL and CPG_SMTP_FROM aren't set",
  telegram: "CPG_TELEGRAM_TOKEN isn't set",
};

/** As many as a receiver's limit on bodies surely allows; the rest is counted. */
const NOTICES_MAX = 100;

async function sendWebhook(
  deps: Deps,
  { receiver, notices, id }: Outgoing & { id: string },
): Promise<void> {
  const { address: url, secretName, secretSealed } = receiver;
  const sealed = present(secretSealed, "A receiver by webhook has a secret");
  const secret = await deps.vault.open(sealed, noticeSecretContext(secretName));
  const newestAtMs = Math.max(...notices.map(({ createdAtMs }) => createdAtMs));
  const body = JSON.stringify({
    id,
    type: "notification",
    // The same each time it is tried, as its id is.
    timestamp: isoUtc(newestAtMs),
    data: { notices: notices.slice(0, NOTICES_MAX).map(noticeShape), count: notices.length },
  });
  const keys = { current: await signingKey(secret), old: undefined };
  const { error } = await sendSigned(deps, { url, owner: receiver.accountId ?? 0, keys, id, body });
  if (error !== null) throw new Error(error);
}

function noticeShape({ topic, accountId, title, text, createdAtMs }: Told) {
  return { topic, account_id: accountId, title, text, created_at: isoUtc(createdAtMs) };
}
