import type { Db } from "../../store/engine/db.ts";

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
