import type { Db } from "../store/engine/db.ts";
import { gasClaim, stakeClaim } from "../transfers/rules/claims.ts";
import { ownedAddresses } from "../wallets/reads/addresses.ts";

/** What is lent to a hot wallet is the operator's own affair, and pays for no sweep. */
export async function depositAddressesAmong(
  db: Db,
  { network, borrowers }: { network: string; borrowers: readonly string[] },
): Promise<ReadonlySet<string>> {
  const rows = await ownedAddresses(db, { network, addresses: borrowers });
  return new Set(rows.flatMap(({ purpose, address }) => purpose === "deposit" ? [address] : []));
}

/** Those with a sweep that uses a loan or waits for one, or something on its way to them. */
export async function addressesInNeed(
  db: Db,
  { network, addresses }: { network: string; addresses: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (addresses.length === 0) return new Set();
  const prefix = gasClaim("").claim;
  const rows = await db.query(
    `SELECT a.address
FROM json_each(?2) AS j
CROSS JOIN addresses AS a ON a.network = ?1 AND a.address = j.value
WHERE EXISTS (
    SELECT 1
    FROM sweeps AS s
    WHERE s.address_id = a.id AND s.open = 1
      AND (s.state IN ('funding', 'sweeping') OR s.code = 'gas_on_its_way'))
  OR EXISTS (
    SELECT 1 FROM claims AS c WHERE c.network = ?1 AND c.live_claim = ?3 || a.address)`,
    [network, JSON.stringify(addresses), prefix],
  );
  return new Set(rows.map(({ address }) => String(address)));
}

/** The newest transaction that was signed to change an address's stake, whatever became of it. */
export async function lastChangeOf(
  db: Db,
  { network, address }: { readonly network: string; readonly address: string },
): Promise<number | null> {
  const [row] = await db.query(
    "SELECT max(signed_id) AS id FROM claims WHERE network = ? AND claim = ?",
    [network, stakeClaim(address).claim],
  );
  return row?.id as number | null;
}
