import type { Db } from "../../engine/db.ts";

interface UnsweptAmount {
  readonly currency: string;
  readonly amount: string;
}

/** What an account's confirmed deposits left on its deposit addresses, before any sweep. */
export async function unsweptAmounts(
  db: Db,
  { network, accountId, limit }: { network: string; accountId: number; limit: number },
): Promise<UnsweptAmount[]> {
  const rows = await db.query(
    `SELECT currency, amount
FROM transactions INDEXED BY transactions_unswept
WHERE network = ? AND account_id = ? AND status = 'confirmed' AND direction = 'deposit'
  AND sweep_id IS NULL
LIMIT ?`,
    [network, accountId, limit],
  );
  return rows.map(({ currency, amount }) => ({
    currency: String(currency),
    amount: String(amount),
  }));
}
