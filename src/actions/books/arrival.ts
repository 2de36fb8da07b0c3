import type { Spend } from "../../chains/chain.ts";
import { movedBetween } from "../../chains/token_moves.ts";
import type { SignedTransferRow } from "../../store/tables/signed_transfers.ts";

type Transfer = Pick<
  SignedTransferRow,
  "contractAddress" | "toAddress" | "amountRaw" | "arrivedRaw"
>;

/** What its logs tell of a token's transfer to its recipient. Null: it was none, or it failed. */
export function arrivalOf(
  { contractAddress: contract, toAddress: to }: Transfer,
  { from, succeeded, tokenMoves }: Spend,
): string | null {
  if (contract === null || !succeeded) return null;
  return movedBetween(tokenMoves, { contract, from, to }).toString();
}

/** A token may answer "false", or log oddly: its transaction succeeded, and tells of no payment. */
export function hasMovedNothing({ arrivedRaw }: Transfer): boolean {
  return arrivedRaw === "0";
}

/** A token may keep a part of what it moves. */
export function isShort({ arrivedRaw, amountRaw }: Transfer): boolean {
  return arrivedRaw !== null && BigInt(arrivedRaw) < BigInt(amountRaw);
}
