import { type Db, queryOne } from "../../store/engine/db.ts";

export interface Counts {
  readonly accounts: number;
  readonly ledgerEntries: number;
  readonly withdrawals: number;
  readonly transactions: number;
}

/** For copies only, where the cost of counting doesn't matter. */
export async function countsOf(db: Db): Promise<Counts> {
  const row = await queryOne(
    db,
    `SELECT (SELECT count(*) FROM accounts) AS accounts,
  (SELECT count(*) FROM ledger_entries) AS ledger_entries,
  (SELECT count(*) FROM withdrawals) AS withdrawals,
  (SELECT count(*) FROM transactions) AS transactions`,
  );
  return {
    accounts: Number(row.accounts),
    ledgerEntries: Number(row.ledger_entries),
    withdrawals: Number(row.withdrawals),
    transactions: Number(row.transactions),
  };
}
