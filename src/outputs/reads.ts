import { outpointOf } from "../domain/outpoint.ts";
import type { Db } from "../store/engine/db.ts";
import { makerOf, type Unmined, type UnminedFamilies, unminedFamilies } from "./rules/unmined.ts";
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
export async function unminedOf(
  db: Db,
  { network, addresses }: { network: string; addresses: readonly string[] },
): Promise<UnminedFamilies> {
  const rows = await db.query(
    `SELECT t.tx_hash, t.is_live, json_group_array(c.claim) AS claims
FROM json_each(?2) AS a
CROSS JOIN signed_transactions AS t INDEXED BY signed_transactions_open
  ON t.network = ?1 AND t.sender = a.value AND t.state = 'open'
CROSS JOIN claims AS c ON c.signed_id = t.id
WHERE t.block_hash IS NULL AND substr(c.claim, 65, 1) = ':'
GROUP BY t.id`,
    [network, JSON.stringify(addresses)],
  );
  const open = rows.map(({ tx_hash, is_live, claims }): Unmined => ({
    txHash: String(tx_hash),
    isLive: is_live === 1,
    outpoints: JSON.parse(String(claims)),
  }));
  const makers = open.flatMap(({ outpoints }) => outpoints.map(makerOf));
  const gone = await db.query(
    `SELECT t.tx_hash
FROM json_each(?2) AS m
JOIN signed_transactions AS t ON t.network = ?1 AND t.tx_hash = m.value
WHERE t.state IN ('superseded', 'abandoned') AND t.block_hash IS NULL`,
    [network, JSON.stringify([...new Set(makers)])],
  );
  return unminedFamilies(open, new Set(gone.map(({ tx_hash }) => String(tx_hash))));
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

/** Of these transactions. */
export async function signedBytes(
  db: Db,
  { network, hashes }: { network: string; hashes: readonly string[] },
): Promise<{ txHash: string; raw: string; isLive: boolean }[]> {
  const rows = await db.query(
    `SELECT t.tx_hash, t.raw, t.is_live
FROM json_each(?2) AS h
CROSS JOIN signed_transactions AS t ON t.network = ?1 AND t.tx_hash = h.value`,
    [network, JSON.stringify(hashes)],
  );
  return rows.map(({ tx_hash, raw, is_live }) => ({
    txHash: String(tx_hash),
    raw: String(raw),
    isLive: is_live === 1,
  }));
}

/**
 * What the rivals of the transactions that made these have made or would make, and what was made of
 * that. Whoever spends some of it can't be mined beside what the rivals have replaced.
 */
export async function madeInstead(
  db: Db,
  { network, outpoints }: { network: string; outpoints: readonly string[] },
): Promise<{ readonly outpoints: readonly string[]; readonly settledAt: number | null }> {
  const rows = await db.query(
    `WITH RECURSIVE
rivals (tx_hash, block_number) AS (
  SELECT DISTINCT t.tx_hash, iif(t.state = 'settled', t.block_number, NULL)
  FROM json_each(?2) AS m
  JOIN signed_transactions AS p ON p.network = ?1 AND p.tx_hash = m.value
  JOIN claims AS c ON c.signed_id = p.id AND c.is_once = 1
  JOIN claims AS r ON r.network = ?1 AND r.claim = c.claim
  JOIN signed_transactions AS t ON t.id = r.signed_id
  WHERE t.id <> p.id AND (t.state = 'settled' OR t.is_live = 1)
),
made (tx_hash) AS (
  SELECT tx_hash FROM rivals
  UNION
  SELECT t.tx_hash
  FROM made AS o
  JOIN outputs AS u ON u.network = ?1 AND u.tx_hash = o.tx_hash
  JOIN claims AS c ON c.network = ?1 AND c.live_claim = u.tx_hash || ':' || u.position
  JOIN signed_transactions AS t ON t.id = c.signed_id
)
SELECT u.tx_hash, u.position, s.settled_at
FROM (SELECT max(block_number) AS settled_at FROM rivals) AS s
LEFT JOIN made AS o ON true
LEFT JOIN outputs AS u ON u.network = ?1 AND u.tx_hash = o.tx_hash
LIMIT ${MADE_MAX}`,
    [network, JSON.stringify([...new Set(outpoints.map(makerOf))])],
  );
  const settledAt = rows[0]?.settled_at ?? null;
  return {
    outpoints: rows.flatMap(({ tx_hash, position }) =>
      tx_hash === null ? [] : [outpointOf({ txHash: String(tx_hash), position: Number(position) })]
    ),
    settledAt: settledAt === null ? null : Number(settledAt),
  };
}

/** One of them that is unspent suffices. */
const MADE_MAX = 10_000;

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
