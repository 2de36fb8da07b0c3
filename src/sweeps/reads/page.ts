import type { Db } from "../../store/engine/db.ts";
import type { Listing } from "../../store/lists/listing.ts";
import { type SweepRow, Sweeps } from "../table.ts";
import { type TransactionRow, Transactions } from "../../deposits/tables/transactions.ts";

export const SWEEPS_LISTED: Listing<SweepRow> = {
  table: Sweeps,
  time: "created_at_ms",
  narrow: [[{ index: "sweeps_open", columns: ["address_id"] }]],
  ways: [
    [{ index: "sweeps_account_state", columns: ["account_id", "state"] }],
    [{ index: "sweeps_account", columns: ["account_id"] }],
    [{ index: "sweeps_state", columns: ["state"] }],
  ],
};

export interface SweepMoney {
  readonly address: string;
  /** The last transfer it signed; undefined before that. */
  readonly sent: { readonly amount: string; readonly txHash: string } | undefined;
  /** The amounts of its deposits. */
  readonly deposits: readonly string[];
}

const DEPOSITS_ADDED_MAX = 500;

const MONEY = `SELECT s.id, a.address,
  (
    SELECT json_array(t.amount, t.tx_hash)
    FROM transactions AS t
    WHERE t.id = (
      SELECT max(l.id) FROM transactions AS l WHERE l.sweep_id = s.id AND l.direction = 'sweep')
  ) AS sent,
  (
    SELECT json_group_array(d.amount)
    FROM (
      SELECT t.amount
      FROM transactions AS t
      WHERE t.sweep_id = s.id AND t.direction = 'deposit'
      LIMIT ?) AS d
  ) AS deposits
FROM json_each(?) AS k
CROSS JOIN sweeps AS s ON s.id = k.value
CROSS JOIN addresses AS a ON a.id = s.address_id`;

/** Amounts and deposits of these sweeps by id, in one statement. */
export async function moneyOf(
  db: Db,
  rows: readonly SweepRow[],
): Promise<ReadonlyMap<number, SweepMoney>> {
  const found = await db.query(
    MONEY,
    [DEPOSITS_ADDED_MAX, JSON.stringify(rows.map(({ id }) => id))],
  );
  return new Map(found.map((row) => {
    const sent: [string, string] | null = JSON.parse(String(row.sent));
    return [Number(row.id), {
      address: String(row.address),
      sent: sent ? { amount: sent[0], txHash: sent[1] } : undefined,
      deposits: JSON.parse(String(row.deposits)),
    }];
  }));
}

/** Its deposits, its top-ups and what it sent; newest first. */
export function transactionsOfSweep(
  db: Db,
  { sweepId, limit }: { sweepId: number; limit: number },
): Promise<TransactionRow[]> {
  return db.rows(Transactions, "WHERE sweep_id = ? ORDER BY id DESC LIMIT ?", [sweepId, limit]);
}
