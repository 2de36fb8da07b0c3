import type { Deps } from "../../src/deps/deps.ts";
import { withPayments } from "../../src/transfers/reads/transfers.ts";
import {
  type SignedPaymentRow,
  type SignedTransactionRow,
  SignedTransactions,
} from "../../src/transfers/table.ts";

/** A signed transaction with its only payment, or without one if it was signed elsewhere. */
export type FlatSigned =
  & SignedTransactionRow
  & Partial<Pick<SignedPaymentRow, "toAddress" | "contractAddress" | "amountRaw" | "arrivedRaw">>
  & {
    readonly purpose: SignedPaymentRow["purpose"] | "foreign";
    readonly withdrawalId: number | null;
    readonly sweepId: number | null;
  };

export async function signedRows(
  { db }: Pick<Deps, "db">,
  tail = "ORDER BY id",
): Promise<FlatSigned[]> {
  const signed = await withPayments(db, await db.rows(SignedTransactions, tail));
  return signed.map(({ tx, payments: [payment] }) => ({
    ...payment,
    ...tx,
    purpose: payment?.purpose ?? "foreign",
    withdrawalId: payment?.withdrawalId ?? null,
    sweepId: payment?.sweepId ?? null,
  }));
}
