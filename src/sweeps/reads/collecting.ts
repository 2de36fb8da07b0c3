import type { Db } from "../../store/engine/db.ts";

/** Of these accounts, those whose customers may pay the network's coin. */
export async function accountsWithCoin(
  db: Db,
  { network, symbol, accountIds }: {
    network: string;
    symbol: string;
    accountIds: readonly number[];
  },
): Promise<ReadonlySet<number>> {
  const rows = await db.query(
    `SELECT account_id
FROM account_currencies
WHERE account_id IN (SELECT value FROM json_each(?)) AND network = ? AND currency = ?
  AND is_deposit_enabled = 1`,
    [JSON.stringify(accountIds), network, symbol],
  );
  return new Set(rows.map(({ account_id }) => Number(account_id)));
}

/** Of these claims, those that a live transaction has. */
export async function claimedOf(
  db: Db,
  { network, claims }: { network: string; claims: readonly string[] },
): Promise<ReadonlySet<string>> {
  const rows = await db.query(
    `SELECT live_claim
FROM claims
WHERE network = ? AND live_claim IN (SELECT value FROM json_each(?))`,
    [network, JSON.stringify(claims)],
  );
  return new Set(rows.map(({ live_claim }) => String(live_claim)));
}
