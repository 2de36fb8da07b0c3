import { creditedBefore } from "./rules/refusals.ts";
import { type TransactionRow, Transactions } from "./tables/transactions.ts";
import type { CreditProof } from "../books/credit_trail.ts";
import { depositReads, moveDeposit, placeOf } from "../books/move_transaction.ts";
import { reportTampered } from "../books/tampered.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import { creditProofs, UnprovenDeposit } from "../integrity/never_credited.ts";
import type { Deps } from "../deps/deps.ts";
import { creditIn } from "./_other_credit.ts";

/** The rows that may be credited now. A payment credited before fails, and the operator is alerted. */
export async function creditable(
  deps: Deps,
  { rows, proofOf }: {
    rows: readonly TransactionRow[];
    proofOf: (row: TransactionRow) => CreditProof;
  },
): Promise<TransactionRow[]> {
  const byPlace = new Map<string, TransactionRow>();
  // If an operator has vouched for one meanwhile, the next step credits it.
  const proofNow = await creditProofs(deps, rows.filter((row) => proofOf(row) === undefined));
  for (const row of rows) {
    const proof = proofOf(row);
    if (proof === undefined) {
      if (proofNow(row) === undefined) await reportTampered(deps, new UnprovenDeposit(row));
    } else if (proof === "credited") await failCredited(deps, row);
    else if (proof === "vouched" && !await isFirstCredit(deps, row)) continue;
    else if (!byPlace.has(placeOf(row))) byPlace.set(placeOf(row), row);
  }
  return [...byPlace.values()];
}

/** An operator's word doesn't count against other rows. */
async function isFirstCredit(deps: Deps, row: TransactionRow): Promise<boolean> {
  const found = await creditIn(deps.db, row);
  if (found === undefined) return true;
  await reportTampered(deps, fault(row, creditedBefore(`Deposit ${row.id}`, found)));
  return false;
}

async function failCredited(deps: Deps, row: TransactionRow): Promise<void> {
  const { status } = (await deps.db.find(Transactions, [row.id])) ?? row;
  // Another program or a command has credited it since it was read, and the log has that credit.
  if (status !== "detected") return;
  const why = `Transaction ${row.id} records a payment (${placeOf(row)}) that was credited before`;
  await reportTampered(deps, fault(row, why));
  await deps.db.write({
    reads: depositReads(row),
    decide: (view) => {
      const now = view.raw.find(Transactions, [row.id]);
      if (now?.status !== "detected" || !view.isGenuine(Transactions, now)) return;
      const step = { trigger: "vanished", topHeight: 0, nowMs: deps.clock.nowMs() } as const;
      moveDeposit(view, { row: now, step });
    },
  });
}

function fault({ id, accountId }: TransactionRow, why: string): TamperedRow {
  return new TamperedRow(Transactions.name, { key: String(id), accountId }, why);
}
