import { type ApiKeyRow, ApiKeys, type RoleKeyRow, RoleKeys } from "../../../access/tables/keys.ts";
import {
  AccountCurrencies,
  type AccountCurrencyRow,
  type AccountRow,
  Accounts,
} from "../../../accounts/tables/accounts.ts";
import { type AlertRow, Alerts } from "../../../alerts/table.ts";
import { type BalanceRow, Balances } from "../../../books/table.ts";
import type { Db } from "../../engine/db.ts";
import { Addresses, type AddressRow } from "../../../wallets/tables/addresses.ts";

export function allAccounts(db: Db): Promise<AccountRow[]> {
  return db.rows(Accounts, "ORDER BY id");
}

export function apiKeys(db: Db, accountId: number | undefined): Promise<ApiKeyRow[]> {
  return accountId === undefined
    ? db.rows(ApiKeys, "ORDER BY account_id, created_at_ms, key_id")
    : db.rows(ApiKeys, "WHERE account_id = ? ORDER BY created_at_ms, key_id", [accountId]);
}

/** Keys of programs that manage the gateway. */
export function roleKeys(db: Db, accountId: number | undefined): Promise<RoleKeyRow[]> {
  return accountId === undefined
    ? db.rows(RoleKeys, "ORDER BY account_id, created_at_ms, key_id")
    : db.rows(RoleKeys, "WHERE account_id = ? ORDER BY created_at_ms, key_id", [accountId]);
}

/** Open ones, newest first, but before those that only warn: each account may have its own. */
export function pressingAlerts(db: Db, limit: number): Promise<AlertRow[]> {
  return db.rows(
    Alerts,
    `INDEXED BY alerts_waiting
WHERE open = 1 ORDER BY kind = 'hot_wallet_low', id DESC LIMIT ?`,
    [limit],
  );
}

/** Hot and gas wallets, not deposit addresses. */
export function wallets(db: Db, network: string | undefined): Promise<AddressRow[]> {
  const purposes = "purpose IN ('hot', 'gas')";
  return network === undefined
    ? db.rows(Addresses, `WHERE ${purposes} ORDER BY network, id`)
    : db.rows(Addresses, `WHERE ${purposes} AND network = ? ORDER BY id`, [network]);
}

export function currenciesOf(db: Db, accountId: number): Promise<readonly AccountCurrencyRow[]> {
  return db.list(AccountCurrencies, { accountId });
}

export async function balancesOf(db: Db, accountId: number): Promise<BalanceRow[]> {
  const rows = await db.list(Balances, { accountId });
  return rows.toSorted((a, b) => compare(a.network, b.network) || compare(a.currency, b.currency));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
