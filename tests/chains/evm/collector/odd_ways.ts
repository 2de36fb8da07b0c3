/** How `OddToken` may pay, by the numbers it takes. */
export const WAYS = [
  ...["true", "nothing", "false", "two", "two words", "one byte"],
  ...["reverts", "reverts for code", "reverts for another origin"],
  ...["only logs", "only moves", "only answers", "keeps a tenth"],
  ...["burns gas", "answers a megabyte", "reverts with a megabyte", "enters"],
] as const;
export type Way = typeof WAYS[number];

interface ComesTo {
  /** What the collector and the token's logs say of an order for 100. */
  readonly said: "failed" | 0n | 100n;
  readonly moves: boolean;
  /** Whether all of it taken together is a sweep. */
  readonly isMoved: boolean;
}

const PAID: ComesTo = { said: 100n, moves: true, isMoved: true };
const FAILED: ComesTo = { said: "failed", moves: false, isMoved: false };

export const COMES_TO: Readonly<Record<Way, ComesTo>> = {
  "true": PAID,
  "nothing": PAID,
  "false": FAILED,
  "two": FAILED,
  "two words": FAILED,
  "one byte": FAILED,
  "reverts": FAILED,
  "reverts for code": FAILED,
  "reverts for another origin": FAILED,
  "only logs": { said: 100n, moves: false, isMoved: false },
  "only moves": { said: 0n, moves: true, isMoved: false },
  "only answers": { said: 0n, moves: false, isMoved: false },
  "keeps a tenth": PAID,
  "burns gas": FAILED,
  "answers a megabyte": FAILED,
  "reverts with a megabyte": FAILED,
  "enters": PAID,
};
