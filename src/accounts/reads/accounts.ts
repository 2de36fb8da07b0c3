import { quotaBytesOf } from "../rules/quota.ts";
import { type AccountRow, Accounts } from "../tables/accounts.ts";
import { type StorageUseRow, StorageUses } from "../tables/storage.ts";
import { type ApiKeyUseRow, ApiKeyUses } from "../tables/volumes.ts";
import { zip } from "../../base/lists.ts";
import { type BalanceRow, Balances, type FreezeRow, Freezes } from "../../books/table.ts";
import type { Db } from "../../store/engine/db.ts";
import { idsBeyond, type Paged } from "../../store/lists/order.ts";

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

export interface FullAccount {
  readonly id: number;
  readonly name: string;
  readonly quotaMb: number | null;
  readonly bytes: number;
  readonly payoutBytes: number;
  readonly bytesMax: number;
}

/** Accounts that have stored at least so much of what they may on this day, for payouts or else. */
export async function fullestAccounts(
  db: Db,
  { dayMs, percent }: { dayMs: number; percent: number },
): Promise<FullAccount[]> {
  const rows = await db.rows(StorageUses, "WHERE account_id > 0 AND day_ms = ?", [dayMs]);
  const accounts = await Promise.all(rows.map(({ accountId }) => db.get(Accounts, [accountId])));
  return zip(rows, accounts).flatMap(([{ bytes, payoutBytes }, { id, name, quotaMb }]) => {
    const bytesMax = quotaBytesOf({ quotaMb });
    if (Math.max(bytes, payoutBytes) * 100 < bytesMax * percent) return [];
    return [{ id, name, quotaMb, bytes, payoutBytes, bytesMax }];
  });
}

/** By account, of all that ever stored anything. */
export async function storageUses(db: Db): Promise<ReadonlyMap<number, StorageUseRow>> {
  const rows = await db.rows(StorageUses, "WHERE account_id > 0");
  return new Map(rows.map((row) => [row.accountId, row]));
}
