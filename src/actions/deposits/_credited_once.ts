import { type TransactionRow, Transactions } from "../../store/tables/transactions.ts";
import { depositReads, moveDeposit, placeOf } from "../books/move_transaction.ts";
import { TamperedRow, tellTampered } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";

/** The largest expected difference between the chain's clock and ours at the time of the credit. */
const CLOCKS_DIFFER_MS = 3_600_000;

/** Whether the log has a credit of the same payment; undefined if it proves neither. */
type WasCredited = (row: TransactionRow) => boolean | undefined;

/**
 * A payment is credited once, whatever happened to its rows: the log is read from the payment's
 * block on, and no row of it can be removed without losing all later ones.
 */
export async function creditedBefore(
  { memory }: Deps,
  rows: readonly TransactionRow[],
): Promise<WasCredited> {
  if (rows.length === 0) return () => undefined;
  const sinceMs = Math.min(...rows.map(soonestMs));
  const places = new Set(rows.map(placeOf));
  const credited = await memory.creditTrail.creditedSince({ sinceMs, places });
  return (row) => credited?.has(placeOf(row));
}

/** A deposit found by an older version may have been paid at any time. */
function soonestMs({ minedAtMs, createdAtMs }: TransactionRow): number {
  return Math.min(minedAtMs ?? 0, createdAtMs) - CLOCKS_DIFFER_MS;
}

/** The rows that may be credited now. A payment credited before fails, and the operator is alerted. */
export async function creditable(
  deps: Deps,
  { rows, wasCredited }: { rows: readonly TransactionRow[]; wasCredited: WasCredited },
): Promise<TransactionRow[]> {
  const byPlace = new Map<string, TransactionRow>();
  for (const row of rows) {
    const was = wasCredited(row);
    if (was === undefined) await tellTampered(deps, unproven(row));
    else if (was) await refuse(deps, row);
    else if (!byPlace.has(placeOf(row))) byPlace.set(placeOf(row), row);
  }
  return [...byPlace.values()];
}

async function refuse(deps: Deps, row: TransactionRow): Promise<void> {
  const { status } = (await deps.db.find(Transactions, [row.id])) ?? row;
  // Another program or a command has credited it since it was read, and the log has that credit.
  if (status !== "detected") return;
  const why = `Transaction ${row.id} records a payment (${placeOf(row)}) that was credited before`;
  await tellTampered(deps, fault(row, why));
  await deps.db.write({
    reads: depositReads(row),
    decide: (view) => {
      const now = view.find(Transactions, [row.id]);
      if (now?.status !== "detected" || !view.isGenuine(Transactions, now)) return;
      const step = { trigger: "vanished", topHeight: 0, nowMs: deps.clock.nowMs() } as const;
      moveDeposit(view, { row: now, step });
    },
  });
}

function unproven(row: TransactionRow): TamperedRow {
  const what = `transaction ${row.id} (${placeOf(row)})`;
  return fault(row, `The audit log does not prove that ${what} was not credited before`);
}

function fault({ id, accountId }: TransactionRow, why: string): TamperedRow {
  return new TamperedRow(Transactions.name, { key: String(id), accountId }, why);
}
