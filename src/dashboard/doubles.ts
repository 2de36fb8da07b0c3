import { sha256 } from "@noble/hashes/sha2.js";
import { toHex, utf8 } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import type { Form } from "./form.ts";

const KEPT_MS = 60_000;
const KEPT_MAX = 1_000;

/** The field that tells loaded pages apart. */
export const PAGE_ID = "page_id";

export interface Doubles {
  /** Runs it, or returns the answer that the same form of the same page already got. */
  once(sent: Sent, run: () => Promise<Response>): Promise<Response>;
}

interface Sent {
  readonly token: string;
  readonly path: string;
  readonly form: Form;
}

interface Kept {
  readonly response: Promise<Response>;
  /** Undefined while it is running. */
  answeredAtMs?: number;
}

/** A double click is one order. A refused form may be sent again. */
export function createDoubles(clock: Clock): Doubles {
  const kept = new Map<string, Kept>();
  const forget = () => {
    const nowMs = clock.nowMs();
    for (const [key, { answeredAtMs }] of kept) {
      if (answeredAtMs === undefined) continue;
      const isFresh = Math.abs(nowMs - answeredAtMs) < KEPT_MS;
      if (!isFresh || kept.size >= KEPT_MAX) kept.delete(key);
    }
  };
  return {
    once: async (sent, run) => {
      if (!sent.form.values.has(PAGE_ID)) return await run();
      forget();
      const key = keyOf(sent);
      const known = kept.get(key);
      if (known) return (await known.response).clone();
      const own: Kept = { response: run() };
      kept.set(key, own);
      try {
        const answer = await own.response;
        own.answeredAtMs = clock.nowMs();
        if (answer.status >= 400) kept.delete(key);
        return answer.clone();
      } catch (error) {
        kept.delete(key);
        throw error;
      }
    },
  };
}

function keyOf({ token, path, form }: Sent): string {
  return toHex(sha256(utf8(`${token}\n${path}\n${form.values}`)));
}
