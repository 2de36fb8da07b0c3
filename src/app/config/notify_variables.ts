import type { MailSettings } from "../../notifications/senders/mail.ts";
import { type Env, wrong } from "./variables.ts";

/** Undefined: no mail is sent, because there is no server or no sender. */
export function smtp({ CPG_SMTP_URL: url, CPG_SMTP_FROM: from }: Env): MailSettings | undefined {
  if (url && !isServer(url)) {
    throw wrong("CPG_SMTP_URL", {
      is: "is not the address of a mail server",
      example: "smtps://user:password@mail.example.com:465",
    });
  }
  if (from && !isSender(from)) {
    throw wrong("CPG_SMTP_FROM", { is: "is not an e-mail address", example: "cpg@example.com" });
  }
  return url && from ? { url, from } : undefined;
}

function isServer(text: string): boolean {
  if (!/^smtps?:\/\/[!-~]+$/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).hostname !== "";
}

const ADDRESS = '[^\\s\\p{C}<>()\\[\\]\\\\,;:"@]{1,64}@[^\\s\\p{C}<>()\\[\\]\\\\,;:"@]{1,190}';
/** "payments@example.com" or "CPG <payments@example.com>". */
const SENDER = new RegExp(`^(${ADDRESS}|[^<>\\p{C}]{1,100} <${ADDRESS}>)$`, "u");

function isSender(text: string): boolean {
  return SENDER.test(text);
}

export function telegramToken({ CPG_TELEGRAM_TOKEN: token }: Env): string | undefined {
  if (!token || /^\d{1,20}:[\w-]{20,100}$/.test(token)) return token || undefined;
  throw wrong("CPG_TELEGRAM_TOKEN", {
    is: "is not a bot's token, as @BotFather shows it",
    example: "<digits:letters>",
  });
}
