import { type Bytes, fromBase64, toBase64 } from "../base/bytes.ts";
import { invariant } from "../base/assert.ts";

/** Where the audit log began to be keyed: after the row with this id, whose hash was this one. */
export interface KeyedFrom {
  readonly id: number;
  readonly hash: string | null;
}

/**
 * What everything hangs on, as one secret: nobody can take the key of the seals away, or put another one
 * there, and leave the seed that pays.
 */
export interface RootSecret {
  readonly phrase: string;
  /** Undefined: from before rows carried seals. */
  readonly seals: RootSeals | undefined;
}

interface RootSeals {
  readonly key: Bytes;
  readonly log: KeyedFrom;
  /** The log tells of every credit, also of those from before it told of each. */
  readonly areCreditsNoted: boolean;
  /** From when on the balances are summed beside the log's head, and each signature is in the log. */
  readonly summedFromMs: number | null;
}

export function writeRoot({ phrase, seals }: RootSecret): string {
  if (!seals) return phrase;
  return JSON.stringify({ phrase, ...seals, key: toBase64(seals.key) });
}

export function readRoot(text: string): RootSecret {
  if (!text.startsWith("{")) return { phrase: text, seals: undefined };
  const { phrase, key: keyText, log, areCreditsNoted = false, summedFromMs = null } = JSON.parse(
    text,
  );
  const key = fromBase64(keyText);
  invariant(key, "What was sealed is as it was written");
  return { phrase, seals: { key, log, areCreditsNoted, summedFromMs } };
}
