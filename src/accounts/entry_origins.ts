import { InvoicePayments, Invoices } from "../invoices/tables/invoices.ts";
import { Refunds } from "../refunds/table.ts";
import type { LedgerEntryRow } from "../books/table.ts";
import type { AnyRow, Table } from "../store/tables/table.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import { Withdrawals } from "../withdrawals/table.ts";
import { genuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";

/** What an entry is about, in the merchant's own terms and in the chain's. */
export interface EntryOrigin {
  /** The withdrawal's, or the one of the invoice that was paid. */
  readonly reference: string | null;
  /** That was paid or refunded. */
  readonly invoiceId: number | null;
  readonly txHash: string | null;
}

const NONE: EntryOrigin = { reference: null, invoiceId: null, txHash: null };

/** In the order of the entries. However many they are, each table is asked once. */
export async function entryOrigins(
  deps: Deps,
  entries: readonly LedgerEntryRow[],
): Promise<EntryOrigin[]> {
  const ofDeposits = idsOf(entries.map(({ transactionId }) => transactionId));
  const ofPayouts = idsOf(entries.map(({ withdrawalId }) => withdrawalId));
  const [deposits, paid, payouts, refunds] = await Promise.all([
    rowsBy(deps, Transactions, ofDeposits),
    rowsBy(deps, InvoicePayments, ofDeposits, "transaction"),
    rowsBy(deps, Withdrawals, ofPayouts),
    rowsBy(deps, Refunds, ofPayouts),
  ]);
  const invoiceIds = idsOf([...paid.values()].map(({ invoiceId }) => invoiceId));
  const invoices = await rowsBy(deps, Invoices, invoiceIds);
  return entries.map(({ transactionId, withdrawalId }) => {
    if (transactionId !== null) {
      const invoiceId = paid.get(transactionId)?.invoiceId ?? null;
      const invoice = invoiceId === null ? undefined : invoices.get(invoiceId);
      const txHash = deposits.get(transactionId)?.txHash ?? null;
      return { reference: invoice?.reference ?? null, invoiceId, txHash };
    }
    if (withdrawalId === null) return NONE;
    const { clientReference = null, txHash = null } = payouts.get(withdrawalId) ?? {};
    const invoiceId = refunds.get(withdrawalId)?.invoiceId ?? null;
    return { reference: clientReference, invoiceId, txHash };
  });
}

function idsOf(ids: readonly (number | null)[]): number[] {
  return [...new Set(ids.filter((id) => id !== null))];
}

async function rowsBy<Row extends AnyRow>(
  deps: Deps,
  table: Table<Row>,
  ids: readonly number[],
  key?: string,
): Promise<Map<number, Row>> {
  const found = await Promise.all(ids.map((id) => deps.db.find(table, [id], key)));
  const rows = found.filter((row) => row !== undefined);
  await genuine(deps, table, rows);
  return new Map(found.flatMap((row, i) => row === undefined ? [] : [[ids[i]!, row]]));
}
