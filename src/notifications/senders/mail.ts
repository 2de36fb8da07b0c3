import type { Transporter } from "nodemailer";
import type { SendNote } from "./senders.ts";

/** Of each step. */
const TIMEOUT_MS = 20_000;
/** A server that says one byte at a time keeps within the limits of its steps. */
const WHOLE_MS = 60_000;

export interface MailSettings {
  /** `smtp://user:password@host:587` or `smtps://…`. */
  readonly url: string;
  readonly from: string;
}

export function createMailSender(
  { url, from }: MailSettings,
  { wholeMs = WHOLE_MS }: { wholeMs?: number } = {},
): SendNote {
  let opened: Promise<Transporter> | undefined;
  const host = from.replace(/^.*@|>$/g, "");
  return async ({ to, id, subject, text }) => {
    opened ??= openTransport(url);
    const transport = await opened;
    const signal = AbortSignal.timeout(wholeMs);
    const sending = transport.sendMail({
      from,
      // An object isn't parsed as a list of addresses.
      to: { name: "", address: to },
      subject,
      text,
      messageId: `<${id}@${host}>`,
      headers: { "Auto-Submitted": "auto-generated" },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal,
    });
    await sending.catch((error) => {
      throw signal.aborted
        ? new Error(`the mail server took longer than ${wholeMs / 1_000} s`)
        : error;
    });
  };
}

/** Loaded at the first message, because most programs never send one. */
async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  const waits = {
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
  };
  return createTransport({ url, ...waits });
}
