import type { Spend } from "../chains/chain.ts";
import type { SignedTransferRow } from "../store/rows.ts";

type Transfer = Pick<
  SignedTransferRow,
  "contractAddress" | "toAddress" | "amountRaw" | "arrivedRaw"
>;

/** What of a token's transfer reached its recipient. Null: nothing tells. */
export function arrivalOf(
  { contractAddress, toAddress }: Transfer,
  { succeeded, tokenMoves }: Spend,
): string | null {
  if (contractAddress === null || !succeeded || tokenMoves === undefined) return null;
  return tokenMoves.filter(({ contract, to }) => contract === contractAddress && to === toAddress)
    .reduce((sum, { amountRaw }) => sum + amountRaw, 0n)
    .toString();
}

/** A token may answer "false", or log oddly: its transaction succeeded, and tells of no payment. */
export function hasMovedNothing({ arrivedRaw }: Transfer): boolean {
  return arrivedRaw === "0";
}

/** A token may keep a part of what it moves. */
export function isShort({ arrivedRaw, amountRaw }: Transfer): boolean {
  return arrivedRaw !== null && BigInt(arrivedRaw) < BigInt(amountRaw);
}
