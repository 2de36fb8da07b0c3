import { outpointOf } from "../domain/outpoint.ts";
import type { Db } from "../store/engine/db.ts";
import {
  type ClaimRow,
  Claims,
  type SignedTransactionRow,
  SignedTransactions,
} from "../transfers/table.ts";
import { type OutputRow, Outputs } from "./table.ts";

/**
 * In a block and mature in the next one, or change of our own that may still be mined; nothing live and
 * nothing in a block spends it. In the order in which they were made.
 */
export function unspentOutputs(
  db: Db,
  { network, addresses }: { network: string; addresses: readonly string[] },
): Promise<OutputRow[]> {
  return db.rows(
    Outputs,
    `AS o INDEXED BY outputs_open
WHERE o.network = ?1 AND o.address IN (SELECT value FROM json_each(?2)) AND o.open = 1
  AND NOT EXISTS (
    SELECT 1
    FROM claims AS c
    JOIN signed_transactions AS t ON t.id = c.signed_id
    WHERE c.network = ?1 AND c.claim = o.tx_hash || ':' || o.position
      AND (c.live_claim IS NOT NULL OR t.block_hash IS NOT NULL))
  AND (
    (o.block_hash IS NOT NULL AND (o.matures_at IS NULL OR o.matures_at <= (
      SELECT n.scan_height + 1 FROM network_cursors AS n WHERE n.network = ?1)))
    OR (o.block_hash IS NULL AND o.is_own = 1 AND EXISTS (
      SELECT 1
      FROM signed_transactions AS t
      WHERE t.network = ?1 AND t.tx_hash = o.tx_hash AND t.is_live = 1 AND t.state = 'open')))
ORDER BY o.id`,
    [network, JSON.stringify(addresses)],
  );
}

/** How many of these wallets' outputs may be spent, by address. */
export async function spendableCounts(
  db: Db,
  asked: { network: string; addresses: readonly string[] },
): Promise<ReadonlyMap<string, number>> {
  const byAddress = Map.groupBy(await unspentOutputs(db, asked), ({ address }) => address);
  return new Map([...byAddress].map(([address, rows]) => [address, rows.length]));
}

/** In blocks up to this height, and spent in none of them. */
export function outputsHeldAt(
  db: Db,
  { network, addresses, height }: {
    network: string;
    addresses: readonly string[];
    height: number;
  },
): Promise<OutputRow[]> {
  return db.rows(
    Outputs,
    `AS o INDEXED BY outputs_open
WHERE o.network = ?1 AND o.address IN (SELECT value FROM json_each(?2)) AND o.open = 1
  AND o.block_hash IS NOT NULL AND o.block_number <= ?3
  AND NOT EXISTS (
    SELECT 1
    FROM claims AS c
    JOIN signed_transactions AS t ON t.id = c.signed_id
    WHERE c.network = ?1 AND c.claim = o.tx_hash || ':' || o.position
      AND t.block_hash IS NOT NULL AND t.block_number <= ?3)
ORDER BY o.id`,
    [network, JSON.stringify(addresses), height],
  );
}

/** Of these, those that a block above this height spends. */
export async function spentAbove(
  db: Db,
  { network, height, outputs }: {
    network: string;
    height: number;
    outputs: readonly OutputRow[];
  },
): Promise<ReadonlySet<string>> {
  if (outputs.length === 0) return new Set();
  const rows = await db.query(
    `SELECT DISTINCT c.claim
FROM json_each(?) AS j
CROSS JOIN claims AS c ON c.network = ? AND c.claim = j.value
JOIN signed_transactions AS t ON t.id = c.signed_id
WHERE t.block_hash IS NOT NULL AND t.block_number > ?`,
    [JSON.stringify(outputs.map(outpointOf)), network, height],
  );
  return new Set(rows.map(({ claim }) => String(claim)));
}

/** What these addresses have signed and no block has. */
export function unminedSignedBy(
  db: Db,
  { network, addresses }: { network: string; addresses: readonly string[] },
): Promise<SignedTransactionRow[]> {
  return db.rows(
    SignedTransactions,
    `INDEXED BY signed_transactions_open
WHERE network = ? AND sender IN (SELECT value FROM json_each(?)) AND state = 'open'
  AND block_hash IS NULL
ORDER BY id`,
    [network, JSON.stringify(addresses)],
  );
}

export async function signedUnder(
  db: Db,
  { network, hashes }: { network: string; hashes: readonly string[] },
): Promise<SignedTransactionRow[]> {
  if (hashes.length === 0) return [];
  return await db.rows(
    SignedTransactions,
    "WHERE network = ? AND tx_hash IN (SELECT value FROM json_each(?))",
    [network, JSON.stringify(hashes)],
  );
}

export async function signedWithIds(
  db: Db,
  ids: readonly number[],
): Promise<SignedTransactionRow[]> {
  if (ids.length === 0) return [];
  return await db.rows(
    SignedTransactions,
    "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
    [JSON.stringify(ids)],
  );
}

/** Whose they are, or were. */
export async function claimsFor(
  db: Db,
  { network, claims }: { network: string; claims: readonly string[] },
): Promise<ClaimRow[]> {
  if (claims.length === 0) return [];
  return await db.rows(
    Claims,
    "WHERE network = ? AND claim IN (SELECT value FROM json_each(?))",
    [network, JSON.stringify(claims)],
  );
}

export function outputsMadeBy(
  db: Db,
  { network, hashes }: { network: string; hashes: readonly string[] },
): Promise<OutputRow[]> {
  return db.rows(
    Outputs,
    "WHERE network = ? AND tx_hash IN (SELECT value FROM json_each(?)) ORDER BY id",
    [network, JSON.stringify(hashes)],
  );
}

/** Which coins in no block these spend, of those that others paid. */
export async function undoneSpentBy(
  db: Db,
  { network, signedIds }: { network: string; signedIds: readonly number[] },
): Promise<{ signedId: number; outputId: number }[]> {
  if (signedIds.length === 0) return [];
  const rows = await db.query(
    `SELECT c.signed_id, o.id
FROM json_each(?2) AS j
CROSS JOIN claims AS c ON c.signed_id = j.value AND substr(c.claim, 65, 1) = ':'
JOIN outputs AS o ON o.network = ?1 AND o.tx_hash = substr(c.claim, 1, 64)
  AND o.position = CAST(substr(c.claim, 66) AS INTEGER)
WHERE o.block_hash IS NULL AND o.is_own = 0`,
    [network, JSON.stringify(signedIds)],
  );
  return rows.map(({ signed_id, id }) => ({ signedId: Number(signed_id), outputId: Number(id) }));
}

/** Of these, those that bytes spend which were refused for certain. */
export async function promisedAmong(
  db: Db,
  { network, outputs }: { network: string; outputs: readonly OutputRow[] },
): Promise<ReadonlySet<string>> {
  if (outputs.length === 0) return new Set();
  const rows = await db.query(
    `SELECT DISTINCT c.claim
FROM json_each(?) AS j
CROSS JOIN claims AS c ON c.network = ? AND c.claim = j.value
JOIN signed_transactions AS t ON t.id = c.signed_id
WHERE t.state = 'abandoned'`,
    [JSON.stringify(outputs.map(outpointOf)), network],
  );
  return new Set(rows.map(({ claim }) => String(claim)));
}

/** Which of these outpoints are ours, whoever has spent them. One statement, however many there are. */
export function outputsAt(
  db: Db,
  { network, outpoints }: { network: string; outpoints: readonly string[] },
): Promise<OutputRow[]> {
  return db.rows(
    Outputs,
    `WHERE network = ?1 AND (tx_hash, position) IN (
  SELECT substr(value, 1, 64), CAST(substr(value, 66) AS INTEGER) FROM json_each(?2))`,
    [network, JSON.stringify(outpoints)],
  );
}

/** In blocks above this height. */
export function outputsAbove(
  db: Db,
  { network, height }: { network: string; height: number },
): Promise<OutputRow[]> {
  return db.rows(
    Outputs,
    "WHERE network = ? AND block_number > ? AND block_hash IS NOT NULL",
    [network, height],
  );
}

/**
 * Open ones that are none any more: spent in a block at this height or below, which is settled, or
 * of bytes that lost their place. If such bytes are mined after all, their block opens them again.
 */
export function spentForGood(
  db: Db,
  { network, height, limit }: { network: string; height: number; limit: number },
): Promise<OutputRow[]> {
  return db.rows(
    Outputs,
    `AS o INDEXED BY outputs_open
WHERE o.network = ?1 AND o.open = 1 AND (
  EXISTS (
    SELECT 1
    FROM claims AS c
    JOIN signed_transactions AS t ON t.id = c.signed_id
    WHERE c.network = ?1 AND c.live_claim = o.tx_hash || ':' || o.position
      AND t.state = 'settled' AND t.block_number <= ?2)
  OR (o.block_hash IS NULL AND o.is_own = 1 AND EXISTS (
    SELECT 1
    FROM signed_transactions AS m
    WHERE m.network = ?1 AND m.tx_hash = o.tx_hash AND m.state = 'superseded')))
LIMIT ?3`,
    [network, height, limit],
  );
}
