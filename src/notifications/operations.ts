import { first } from "../base/lists.ts";
import { addReceiver, removeReceiver, testReceiver } from "./manage_receivers.ts";
import * as kind from "../domain/kinds.ts";
import { NOTICE_TOPICS, type NoticeTopic, RECEIVER_KINDS } from "./rules/notices.ts";
import { isoUtc, isoUtcOrNull } from "../domain/time.ts";
import { noticeReceivers } from "./reads/notices.ts";
import type { NoticeReceiverRow } from "../alerts/table.ts";
import {
  operation,
  optional,
  required,
  UsageError,
  withFallback,
} from "../operations/operation.ts";

const ID = { name: "ID", help: "the notification's id, as notify list shows it" };
const KEEP_SECRET = "Save the secret now: it won't be shown again.";

const topics: kind.Kind<NoticeTopic[]> = {
  word: "TOPIC,…",
  json: "list",
  is: `a list of ${NOTICE_TOPICS.join(", ")}`,
  values: NOTICE_TOPICS,
  read: (value) => {
    const names = value.split(",").map((name) => name.trim());
    const topics = NOTICE_TOPICS.filter((topic) => names.includes(topic));
    return topics.length === new Set(names).size ? topics : undefined;
  },
};

export const NOTIFY_COMMANDS = [
  operation({
    words: ["notify", "add"],
    changes: "operate",
    summary: "Notifies somebody of alerts, approvals, failed payouts, sign-ins and new keys",
    flags: {
      kind: required(kind.choice(RECEIVER_KINDS), { help: "how", example: "email" }),
      to: required(kind.text({ max: 2000, word: "ADDRESS" }), {
        help: "an e-mail address, a Telegram chat id, or a URL that gets Standard Webhooks",
        example: "ops@example.com",
      }),
      account: optional(kind.recordId, {
        help: "only what concerns this account; without it everything, for operators",
        example: "1",
      }),
      what: withFallback(topics, {
        help: "what about",
        example: "alerts,security",
        fallback: [...NOTICE_TOPICS],
      }),
    },
    examples: [
      "notify add --kind email --to ops@example.com",
      "notify add --kind telegram --to 123456789 --what alerts,approvals",
      "notify add --kind webhook --to https://ops.example.com/cpg --account 1",
    ],
    run: async (context, { flags: { kind, to, account, what } }) => {
      const { row, secret } = await addReceiver(await context.deps(), {
        kind,
        address: to,
        accountId: account ?? null,
        topics: what,
        actor: context.actor,
      });
      if (secret !== null) context.note(KEEP_SECRET);
      return { notify_id: row.id, secret };
    },
  }),
  operation({
    words: ["notify", "list"],
    reads: "see_gateway",
    summary: "Lists who is notified, how and of what, and what can't be sent",
    flags: {},
    examples: ["notify list"],
    columns: ["notify_id", "kind", "to", "account_id", "what", "failing_since", "last_error"],
    run: async (context) => (await noticeReceivers((await context.deps()).db)).map(receiverShape),
  }),
  operation({
    words: ["notify", "test"],
    changes: "operate",
    summary: "Sends a test message at once and says whether it was taken",
    positionals: [ID],
    flags: {},
    examples: ["notify test 1"],
    run: async (context, { positionals }) => {
      const order = { id: idIn(positionals), actor: context.actor };
      const { row, error } = await testReceiver(await context.deps(), order);
      if (error !== null) context.exitWith(1);
      return { notify_id: row.id, sent: error === null, error };
    },
  }),
  operation({
    words: ["notify", "remove"],
    changes: "operate",
    summary: "Stops notifying somebody; messages that still wait are dropped",
    positionals: [ID],
    flags: {},
    examples: ["notify remove 1"],
    run: async (context, { positionals }) => {
      const order = { id: idIn(positionals), actor: context.actor };
      return receiverShape(await removeReceiver(await context.deps(), order));
    },
  }),
];

function idIn(positionals: readonly string[]): number {
  const id = kind.recordId.read(first(positionals));
  if (id !== undefined) return id;
  throw new UsageError(`"${positionals[0]}" is not a notification's id`);
}

function receiverShape(row: NoticeReceiverRow) {
  return {
    notify_id: row.id,
    kind: row.kind,
    to: row.address,
    account_id: row.accountId,
    what: row.topics,
    failing_since: isoUtcOrNull(row.failingSinceMs),
    last_error: row.lastError,
    created_at: isoUtc(row.createdAtMs),
  };
}
