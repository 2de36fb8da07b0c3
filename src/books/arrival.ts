import type { Spend } from "../chains/chain.ts";
import { movedBetween } from "../chains/token_moves.ts";
import type { SignedPaymentRow } from "../transfers/table.ts";

/**
 * What arrived at the recipient of a token transfer, according to its logs. Null: it was no token
 * transfer, or it failed.
 */
export function arrivalOf(
  { contractAddress: contract, fromAddress: from, toAddress: to }: Pick<
    SignedPaymentRow,
    "contractAddress" | "fromAddress" | "toAddress"
  >,
  { succeeded, tokenMoves }: Spend,
): string | null {
  if (contract === null || !succeeded) return null;
  return movedBetween(tokenMoves, { contract, from, to }).toString();
}

/** A token may answer "false" or log unusually: the transaction succeeded without a visible payment. */
export function hasMovedNothing({ arrivedRaw }: Pick<SignedPaymentRow, "arrivedRaw">): boolean {
  return arrivedRaw === "0";
}

/** A token may keep part of what it moves. */
export function shortfallOf(
  payment: Pick<SignedPaymentRow, "arrivedRaw" | "amountRaw" | "toAddress">,
): string | undefined {
  const { arrivedRaw, amountRaw, toAddress } = payment;
  if (arrivedRaw === null || BigInt(arrivedRaw) >= BigInt(amountRaw)) return undefined;
  return `brought ${toAddress} only ${arrivedRaw} of ${amountRaw} base units: its token keeps a part`;
}
