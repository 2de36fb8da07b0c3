import { type Bytes, fromBase64, toBase64 } from "../base/bytes.ts";
import { invariant } from "../base/assert.ts";

/** The audit log is keyed after the row with this id and hash. */
export interface KeyedFrom {
  readonly id: number;
  readonly hash: string | null;
}

/**
 * One secret for everything: nobody can remove or replace the key of the seals and keep the seed
 * that pays.
 */
export interface RootSecret {
  readonly phrase: string;
  /** Undefined if rows had no seals yet when it was saved. */
  readonly seals: RootSeals | undefined;
}

export interface RootSeals {
  readonly key: Bytes;
  readonly log: KeyedFrom;
  /** The log has a row for every credit, also for those booked before it had them. */
  readonly areCreditsNoted: boolean;
  /** Recipients that operators allowed before these rows had seals have one. */
  readonly areAllowancesSealed: boolean;
  /** Since when the balances are summed at the log's head and every signature is in the log. */
  readonly summedFromMs: number | null;
}

export function writeRoot({ phrase, seals }: RootSecret): string {
  if (!seals) return phrase;
  return JSON.stringify({ phrase, ...seals, key: toBase64(seals.key) });
}

export function readRoot(text: string): RootSecret {
  if (!text.startsWith("{")) return { phrase: text, seals: undefined };
  const {
    phrase,
    key: keyText,
    log,
    areCreditsNoted = false,
    areAllowancesSealed = false,
    summedFromMs = null,
  } = JSON.parse(text);
  const key = fromBase64(keyText);
  invariant(key, "What was sealed is as it was written");
  return { phrase, seals: { key, log, areCreditsNoted, areAllowancesSealed, summedFromMs } };
}
