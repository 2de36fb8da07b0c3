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

/** Of these users. */
export async function userEmails(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await db.query(
    "SELECT id, email FROM users WHERE id IN (SELECT value FROM json_each(?))",
    [JSON.stringify([...new Set(ids)])],
  );
  return new Map(rows.map(({ id, email }) => [Number(id), String(email)]));
}
