import type { Db } from "../../engine/db.ts";

/** Of these accounts. */
export async function accountNames(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await db.query(
    "SELECT id, name FROM accounts WHERE id IN (SELECT value FROM json_each(?))",
    [JSON.stringify([...new Set(ids)])],
  );
  return new Map(rows.map(({ id, name }) => [Number(id), String(name)]));
}

/** Of those of these users that belong to the account; null: of all. */
export async function userEmails(
  db: Db,
  { ids, accountId }: { ids: readonly number[]; accountId: number | null },
): Promise<ReadonlyMap<number, string>> {
  const rows = await db.query(
    `SELECT id, email FROM users
WHERE id IN (SELECT value FROM json_each(?)) AND (account_id = ? OR ? IS NULL)`,
    [JSON.stringify([...new Set(ids)]), accountId, accountId],
  );
  return new Map(rows.map(({ id, email }) => [Number(id), String(email)]));
}
