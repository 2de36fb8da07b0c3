import type { Db } from "../../engine/db.ts";
import { idsBeyond, type Paged } from "../lists/order.ts";
import { type BalanceRow, Balances, type FreezeRow, Freezes } from "../../tables/ledger.ts";
import { type AccountRow, Accounts } from "../../tables/setup.ts";
import { type ApiKeyUseRow, ApiKeyUses } from "../../tables/volumes.ts";

export function accountPage(db: Db, paged: Paged): Promise<AccountRow[]> {
  const { sql, args } = idsBeyond(paged);
  return db.rows(Accounts, `WHERE ${sql}`, args);
}

/** Of all accounts, in key order. */
export function balancePage(
  db: Db,
  { after, limit }: {
    after: Pick<BalanceRow, "accountId" | "network" | "currency">;
    limit: number;
  },
): Promise<BalanceRow[]> {
  return db.rows(
    Balances,
    `WHERE (account_id, network, currency) > (?, ?, ?)
ORDER BY account_id, network, currency
LIMIT ?`,
    [after.accountId, after.network, after.currency, limit],
  );
}

export function freezesOf(db: Db, accountId: number): Promise<FreezeRow[]> {
  return db.rows(Freezes, "WHERE account_id = ? ORDER BY network, currency", [accountId]);
}

/** Of all accounts. */
export function freezePage(db: Db, limit: number): Promise<FreezeRow[]> {
  return db.rows(Freezes, "ORDER BY account_id, network, currency LIMIT ?", [limit]);
}

export function usesOfKeys(db: Db, keyIds: readonly string[]): Promise<ApiKeyUseRow[]> {
  return db.rows(ApiKeyUses, "WHERE key_id IN (SELECT value FROM json_each(?))", [
    JSON.stringify(keyIds),
  ]);
}
