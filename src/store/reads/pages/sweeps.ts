import type { Spelled } from "../../../domain/money/symbols.ts";
import type { Db } from "../../engine/db.ts";
import { type Condition, equal, type PageOf, pageOf } from "./page.ts";
import type { Paged } from "../lists/order.ts";
import { type SignedTransferRow, SignedTransfers } from "../../tables/signed_transfers.ts";
import { type SweepRow, Sweeps } from "../../tables/sweeps.ts";
import { type TransactionRow, Transactions } from "../../tables/transactions.ts";

interface SweepQuery extends Paged {
  /** Null: of all accounts. */
  readonly accountId: number | null;
  readonly state: string | null;
  readonly network: string | null;
  readonly currency: Spelled | null;
  /** Any of these deposit addresses. */
  readonly addressIds: readonly number[] | null;
}

export function sweepList(db: Db, query: SweepQuery): Promise<PageOf<SweepRow>> {
  const { accountId, state, network, currency, addressIds, ...page } = query;
  const others = equal({ account_id: accountId, state, network, currency });
  if (addressIds === null) {
    const isWide = network !== null || currency !== null;
    return pageOf(db, Sweeps, { conditions: others, isWide, ...page });
  }
  const named = "address_id IN (SELECT value FROM json_each(?))";
  const conditions: Condition[] = [
    [`id IN (SELECT id FROM sweeps WHERE ${named})`, JSON.stringify(addressIds)],
    ...others.map(([sql, ...values]): Condition => [`+${sql}`, ...values]),
  ];
  return pageOf(db, Sweeps, { conditions, isWide: false, ...page });
}

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

/** In the order of signing. */
export function transfersOfSweep(db: Db, sweepId: number): Promise<SignedTransferRow[]> {
  return db.rows(SignedTransfers, "WHERE sweep_id = ? ORDER BY id LIMIT 100", [sweepId]);
}
