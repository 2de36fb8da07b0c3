import { PAY_OUT } from "../../accounts/rules/usable.ts";
import { AccountCurrencies, type AccountCurrencyRow } from "../../accounts/tables/accounts.ts";
import { type VolumeRow, Volumes } from "../../accounts/tables/volumes.ts";
import { type BalanceRow, Balances } from "../../books/table.ts";
import type { Db } from "../../store/engine/db.ts";
import { costOf, type SigningCost, TOKENS } from "../../transfers/reads/places.ts";
import { withPayments } from "../../transfers/reads/transfers.ts";
import { type Signed, SignedTransactions } from "../../transfers/table.ts";
import { Addresses, type AddressRow } from "../tables/addresses.ts";

/** Gas wallets first, then hot wallets by network. */
export function someWallets(db: Db, limit: number): Promise<AddressRow[]> {
  return db.rows(
    Addresses,
    `WHERE id IN (
  SELECT id FROM (SELECT id FROM addresses WHERE purpose = 'gas' ORDER BY network LIMIT ?)
  UNION ALL
  SELECT id FROM (SELECT id FROM addresses WHERE purpose = 'hot' ORDER BY network, id LIMIT ?)
)
ORDER BY purpose, network, id LIMIT ?`,
    [limit, limit, limit],
  );
}

interface AccountsAsked {
  readonly network: string;
  readonly accountIds: readonly number[];
}

export function withdrawableOf(
  db: Db,
  { network, accountIds }: AccountsAsked,
): Promise<AccountCurrencyRow[]> {
  return db.rows(
    AccountCurrencies,
    `WHERE account_id IN (SELECT value FROM json_each(?)) AND network = ?
  AND ${PAY_OUT.isOnSql}`,
    [JSON.stringify(accountIds), network],
  );
}

export function balancesOfAccounts(
  db: Db,
  { network, accountIds }: AccountsAsked,
): Promise<BalanceRow[]> {
  return db.rows(
    Balances,
    "WHERE account_id IN (SELECT value FROM json_each(?)) AND network = ?",
    [JSON.stringify(accountIds), network],
  );
}

export interface Unsigned {
  readonly accountId: number;
  readonly currency: string;
  readonly amount: string;
}

/** Withdrawals that hold money but have nothing signed yet, oldest first. */
export async function unsignedPayouts(
  db: Db,
  { network, limit }: { network: string; limit: number },
): Promise<Unsigned[]> {
  const rows = await db.query(
    `SELECT account_id, currency, amount
FROM withdrawals
WHERE network = ? AND status = 'pending' AND transfer_id IS NULL
ORDER BY id LIMIT ?`,
    [network, limit],
  );
  return rows.map((row) => ({
    accountId: Number(row.account_id),
    currency: String(row.currency),
    amount: String(row.amount),
  }));
}

/** What accounts have paid out, by currency and day (UTC). */
export function paidOutSince(
  db: Db,
  { network, accountIds, sinceMs }: AccountsAsked & { sinceMs: number },
): Promise<VolumeRow[]> {
  return db.rows(
    Volumes,
    `WHERE account_id IN (SELECT value FROM json_each(?)) AND span = 'day' AND starts_at_ms >= ?
  AND network = ? AND direction = 'withdrawal'`,
    [JSON.stringify(accountIds), sinceMs, network],
  );
}

interface Senders {
  readonly network: string;
  readonly senders: readonly string[];
}

/** The costs of what these wallets have signed and no block has, oldest first. */
export async function unminedOf(
  db: Db,
  { network, senders, limit }: Senders & { limit: number },
): Promise<(SigningCost & { readonly sender: string })[]> {
  const rows = await db.query(
    `SELECT t.sender, t.place, t.native_cost_max_raw, ${TOKENS} AS tokens
FROM signed_transactions AS t INDEXED BY signed_transactions_open
WHERE t.network = ? AND t.sender IN (SELECT value FROM json_each(?)) AND t.state = 'open'
  AND t.block_hash IS NULL
ORDER BY t.place LIMIT ?`,
    [network, JSON.stringify(senders), limit],
  );
  return rows.map((row) => ({
    sender: String(row.sender),
    ...costOf([Number(row.place), String(row.native_cost_max_raw), JSON.parse(String(row.tokens))]),
  }));
}

/** What each wallet signed last: the next payment will cost about as much. */
export async function lastSignedBy(db: Db, { network, senders }: Senders): Promise<Signed[]> {
  const rows = await db.rows(
    SignedTransactions,
    `WHERE id IN (
  SELECT (
    SELECT s.id
    FROM signed_transactions AS s
    WHERE s.network = ? AND s.sender = w.value AND s.is_foreign = 0
    ORDER BY s.place DESC LIMIT 1)
  FROM json_each(?) AS w
)`,
    [network, JSON.stringify(senders)],
  );
  return await withPayments(db, rows);
}
