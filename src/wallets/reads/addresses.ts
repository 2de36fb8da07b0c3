import type { Db } from "../../store/engine/db.ts";
import type { KeyPath } from "../rules/key_path.ts";
import { Addresses, type AddressRow } from "../tables/addresses.ts";

const CANDIDATES_MAX = 32;

/** The largest date. A pool address reusable only then is never reused. */
export const NEVER_MS = 8_640_000_000_000_000;

/** Which key an address is of, exactly as in the index; 0: our seed. */
const XPUB = "iif(a.key_branch > 2, 8 * a.key_account + a.key_branch, 0)";

const IDLE = `AS a
WHERE a.account_id = ? AND a.network = ? AND ${XPUB} = ? AND a.reusable_at_ms <= ?
  AND NOT EXISTS (
    SELECT 1
    FROM transactions AS t
    WHERE t.address_id = a.id
      AND (t.status IN ('detected', 'sweep_pending')
        OR (t.status = 'confirmed' AND t.is_below_minimum = 0 AND EXISTS (
          SELECT 1 FROM receiving_wallets AS w WHERE w.account_id = a.account_id AND w.network = a.network)))
  )
ORDER BY a.reusable_at_ms
LIMIT ${CANDIDATES_MAX}`;

/**
 * Pool addresses past their windows with nothing in progress: nothing unconfirmed, and nothing that
 * will still be swept. Dust doesn't count.
 */
export function idlePoolAddresses(
  db: Db,
  { accountId, network, xpub = null, nowMs }: {
    accountId: number;
    network: string;
    /** Those of this key; null: those of our seed. */
    xpub?: Pick<KeyPath, "account" | "branch"> | null;
    nowMs: number;
  },
): Promise<AddressRow[]> {
  return db.rows(
    Addresses,
    IDLE,
    [accountId, network, xpub ? 8 * xpub.account + xpub.branch : 0, nowMs],
  );
}

/** Which of these addresses are ours. One statement, however many there are. */
export async function ownedAddresses(
  db: Db,
  { network, addresses }: { network: string; addresses: readonly string[] },
): Promise<AddressRow[]> {
  return await db.rows(
    Addresses,
    `WHERE network = ? AND address IN (SELECT value FROM json_each(?))`,
    [network, JSON.stringify(addresses)],
  );
}

interface WalletOwner {
  readonly accountId: number;
  readonly network: string;
}

/** Concurrent look-ups share one statement. */
export function hotWalletOf(db: Db, owner: WalletOwner): Promise<AddressRow | undefined> {
  const work = (owners: readonly WalletOwner[]) => hotWalletsOf(db, owners);
  return db.lookUps.run("hot wallets", { job: owner, work });
}

async function hotWalletsOf(
  db: Db,
  owners: readonly WalletOwner[],
): Promise<PromiseSettledResult<AddressRow | undefined>[]> {
  const keyOf = ({ accountId, network }: { accountId: number | null; network: string }) =>
    JSON.stringify([accountId, network]);
  const keys = owners.map(keyOf);
  const rows = await db.rows(
    Addresses,
    `INDEXED BY addresses_hot
WHERE (account_id, network) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))
  AND purpose = 'hot'`,
    [`[${[...new Set(keys)].join()}]`],
  );
  const found = new Map(rows.map((row) => [keyOf(row), row]));
  return keys.map((key) => ({ status: "fulfilled", value: found.get(key) }));
}

/** One per network. */
export function walletsOf(db: Db, accountId: number): Promise<AddressRow[]> {
  return db.rows(
    Addresses,
    `INDEXED BY addresses_hot
WHERE account_id = ? AND purpose = 'hot'
ORDER BY network`,
    [accountId],
  );
}

/** One per network. */
export function gasWallets(db: Db): Promise<AddressRow[]> {
  return db.rows(Addresses, "WHERE purpose = 'gas' ORDER BY network");
}

/** Ordered by account and network. */
export function hotWalletPage(
  db: Db,
  { after, limit }: { after: { accountId: number; network: string }; limit: number },
): Promise<AddressRow[]> {
  return db.rows(
    Addresses,
    `INDEXED BY addresses_hot
WHERE purpose = 'hot' AND (account_id, network) > (?, ?)
ORDER BY account_id, network
LIMIT ?`,
    [after.accountId, after.network, limit],
  );
}

export function hotWallets(
  db: Db,
  { network, limit }: { network: string; limit: number },
): Promise<AddressRow[]> {
  return db.rows(Addresses, "WHERE purpose = 'hot' AND network = ? ORDER BY id LIMIT ?", [
    network,
    limit,
  ]);
}

export async function gasWalletOf(db: Db, network: string): Promise<AddressRow | undefined> {
  const [row] = await db.rows(Addresses, "WHERE network = ? AND purpose = 'gas'", [network]);
  return row;
}

/** Halted by a version that knew no codes. */
export function uncodedHalts(
  db: Db,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<AddressRow[]> {
  return db.rows(
    Addresses,
    `INDEXED BY addresses_uncoded
WHERE halted_reason IS NOT NULL AND halted_code IS NULL AND id > ?
ORDER BY id
LIMIT ?`,
    [afterId, limit],
  );
}

export async function hasAddresses(db: Db): Promise<boolean> {
  return (await db.rows(Addresses, "LIMIT 1")).length > 0;
}
