import { z } from "zod";
import { readAtMost } from "../../base/bytes.ts";
import type { SendNote } from "./senders.ts";

const API = "https://api.telegram.org";
const TIMEOUT_MS = 20_000;
const ANSWER_BYTES_MAX = 64 * 1024;
const ANSWER_CHARACTERS = 200;
const Answer = z.object({ ok: z.boolean(), description: z.string().optional() });

export function createTelegramSender(
  { token, api = API }: { token: string; api?: string },
): SendNote {
  return async ({ to, subject, text }) => {
    const response = await fetch(`${api}/bot${token}/sendMessage`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ chat_id: to, text: `${subject}\n\n${text}` }),
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: Error) => {
      // Its message has the URL, and that has the token.
      throw new Error(`Telegram can't be reached (${error.name})`);
    });
    const answer = Answer.safeParse(await jsonOf(response).catch(() => undefined));
    if (answer.data?.ok) return;
    const why = answer.data?.description?.slice(0, ANSWER_CHARACTERS) ?? "";
    throw new Error(`Telegram answered HTTP ${response.status} ${why}`.trim());
  };
}

async function jsonOf({ body }: Response): Promise<unknown> {
  const bytes = body && await readAtMost(body, ANSWER_BYTES_MAX);
  return bytes ? JSON.parse(new TextDecoder().decode(bytes)) : undefined;
}
