import { INTEGRITY } from "./rules/refusals.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import type { CreditProof } from "../books/credit_trail.ts";
import { placeOf } from "../books/move_transaction.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import type { Deps } from "../deps/deps.ts";

/** The largest expected difference between the chain's clock and ours at the time of the credit. */
const CLOCKS_DIFFER_MS = 3_600_000;

/** A genuine row may be an old version that was put back after it was credited. */
export class UnprovenDeposit extends TamperedRow {
  override name = "UnprovenDeposit";
  override until = "somebody vouches for it";

  constructor({ id, accountId }: TransactionRow) {
    const row = { key: String(id), accountId };
    super(Transactions.name, row, INTEGRITY.deposit_not_proven({ id }));
    this.advice = { code: "vouch_for_deposit", transactionId: id };
  }
}

type Proofs = (row: TransactionRow) => CreditProof;

/**
 * A payment is credited once, whatever happened to its rows: the log is read from the payment's
 * block on, and no row of it can be removed without a break in its chain.
 */
export async function creditProofs(
  { memory }: Deps,
  rows: readonly TransactionRow[],
): Promise<Proofs> {
  if (rows.length === 0) return () => undefined;
  const proofs = await memory.creditTrail.prove(
    rows.map((row) => ({ place: placeOf(row), sinceMs: soonestMs(row) })),
  );
  const byId = new Map(rows.map(({ id }, i) => [id, proofs[i]]));
  return ({ id }) => byId.get(id);
}

/** A deposit found by an older version may have been paid at any time. */
function soonestMs({ minedAtMs, createdAtMs }: TransactionRow): number {
  return Math.min(minedAtMs ?? 0, createdAtMs) - CLOCKS_DIFFER_MS;
}

export function isUncredited({ direction, status }: TransactionRow): boolean {
  return direction === "deposit" && status === "detected";
}
