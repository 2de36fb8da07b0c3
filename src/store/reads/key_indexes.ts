import type { Db } from "../engine/db.ts";
import { NEVER_MS } from "../../wallets/reads/addresses.ts";

interface KeyBranchRow {
  readonly coinType: number;
  readonly account: number;
  readonly branch: number;
}

/** The highest key index of a branch that has an address. */
export async function lastKeyIndex(db: Db, branch: KeyBranchRow): Promise<number | undefined> {
  const [row] = await db.query(
    `SELECT max(key_index) AS last
FROM addresses
WHERE key_coin_type = ? AND key_account = ? AND key_branch = ?`,
    [branch.coinType, branch.account, branch.branch],
  );
  return row?.last === null || row?.last === undefined ? undefined : Number(row.last);
}

/**
 * The last key below this index that a request got, in these books or the ones they were restored
 * from.
 */
export async function lastGivenIndex(
  db: Db,
  { coinType, account, branch, belowIndex }: KeyBranchRow & { readonly belowIndex: number },
): Promise<number | undefined> {
  const [row] = await db.query(
    `SELECT key_index AS last
FROM addresses
WHERE key_coin_type = ? AND key_account = ? AND key_branch = ? AND key_index < ?
  AND reusable_at_ms IS NOT ?
ORDER BY key_index DESC
LIMIT 1`,
    [coinType, account, branch, belowIndex, NEVER_MS],
  );
  return row && Number(row.last);
}

/** The keys from `from` to before `to` that have an address in the books. */
export async function keyIndexesBetween(
  db: Db,
  { coinType, account, branch, from, to }: KeyBranchRow & {
    readonly from: number;
    readonly to: number;
  },
): Promise<number[]> {
  const rows = await db.query(
    `SELECT key_index AS taken
FROM addresses
WHERE key_coin_type = ? AND key_account = ? AND key_branch = ? AND key_index >= ? AND key_index < ?`,
    [coinType, account, branch, from, to],
  );
  return rows.map(({ taken }) => Number(taken));
}
