import type { ReceiverKind } from "./notices.ts";

const ADDRESSES = {
  email: "an e-mail address",
  telegram: "the id of a chat, such as 123456789, or @channel",
  webhook: "a URL",
};

const SETTINGS = {
  email: "CPG_SMTP_URL and CPG_SMTP_FROM",
  telegram: "CPG_TELEGRAM_TOKEN",
};

export const NOTIFICATIONS = {
  receiver_unknown: ({ id }: { id: number }) => `There is no notification ${id}`,
  receiver_wrong: ({ kind, address }: { kind: ReceiverKind; address: string }) =>
    `"${address}" is not ${ADDRESSES[kind]}`,
  sender_missing: ({ kind }: { kind: Exclude<ReceiverKind, "webhook"> }) =>
    `Nothing can be sent by ${kind}: set ${SETTINGS[kind]}`,
  receivers_too_many: ({ max }: { max: number }) => `There can be at most ${max} notifications`,
};
