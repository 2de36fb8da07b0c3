/** What somebody looks for: a whole text, its beginning or its end, in any case. */
export interface SearchTerm {
  /** As it was typed. */
  readonly text: string;
  readonly folded: string;
  /** The number of a record. */
  readonly id: number | null;
  /** How a hash or address may begin; empty if it can be neither. */
  readonly begins: readonly string[];
  /** How a hash or address must end. */
  readonly end: string | null;
  /** A complete hash or address rather than a part of one. */
  readonly isWhole: boolean;
  /** Which output of the transaction with this hash. */
  readonly output: number | null;
}

export const SEARCH_TEXT_MAX = 256;
/** Shorter parts of hashes and addresses would match too many. */
export const BEGIN_MIN = 4;
export const END_MIN = 6;
