import type { Db } from "../../store/engine/db.ts";
import { gasClaim } from "../rules/claims.ts";
import { type ClaimRow, Claims, type SignedTransactionRow, SignedTransactions } from "../table.ts";

/** All that these transactions have claimed, live or not. */
export function claimsOf(db: Db, signedIds: readonly number[]): Promise<ClaimRow[]> {
  return db.rows(
    Claims,
    "WHERE signed_id IN (SELECT value FROM json_each(?))",
    [JSON.stringify(signedIds)],
  );
}

/** This one and all that claim something of it: only one of them can be mined. In order of signing. */
export function bidsFor(
  db: Db,
  { id }: Pick<SignedTransactionRow, "id">,
): Promise<SignedTransactionRow[]> {
  return db.rows(
    SignedTransactions,
    `WHERE id = ?1 OR id IN (
  SELECT o.signed_id
  FROM claims AS c
  JOIN claims AS o ON o.network = c.network AND o.claim = c.claim
  WHERE c.signed_id = ?1 AND c.is_once = 1)
ORDER BY id`,
    [id],
  );
}

/** The last of those in no block that spend what this one makes, or what those make; or itself. */
export async function newestSpender(
  db: Db,
  tx: SignedTransactionRow,
): Promise<SignedTransactionRow> {
  const { network, txHash } = tx;
  const [spender] = await db.rows(
    SignedTransactions,
    `WHERE id = (
  SELECT t.id
  FROM claims AS c
  JOIN signed_transactions AS t ON t.id = c.signed_id
  WHERE c.network = ? AND c.claim > ? AND c.claim < ?
    AND t.state = 'open' AND t.is_live = 1 AND t.block_hash IS NULL
  ORDER BY t.id DESC LIMIT 1)`,
    // The character after the colon.
    [network, `${txHash}:`, `${txHash};`],
  );
  return spender ? await newestSpender(db, spender) : tx;
}

/** Those in no block that it comes from; what each comes from is before it. */
export function unminedBefore(
  db: Db,
  { id, network }: Pick<SignedTransactionRow, "id" | "network">,
): Promise<SignedTransactionRow[]> {
  return db.rows(
    SignedTransactions,
    `WHERE id IN (
  WITH RECURSIVE before(id) AS (
    VALUES (?1)
    UNION
    SELECT t.id
    FROM before AS b
    JOIN claims AS c ON c.signed_id = b.id AND substr(c.claim, 65, 1) = ':'
    JOIN signed_transactions AS t ON t.network = ?2 AND t.tx_hash = substr(c.claim, 1, 64)
    WHERE t.state = 'open' AND t.is_live = 1 AND t.block_hash IS NULL)
  SELECT id FROM before)
  AND id <> ?1
ORDER BY id`,
    [id, network],
  );
}

/** The top-up of an address that is signed and not settled yet. */
export async function topUpOnItsWay(
  db: Db,
  { network, address }: { network: string; address: string },
): Promise<SignedTransactionRow | undefined> {
  const held = await db.find(Claims, [network, gasClaim(address).claim], "live");
  return held && await db.get(SignedTransactions, [held.signedId]);
}

/** The highest place of an address that anything signed has claimed: its own, or an authorization. */
export async function lastClaimed(
  db: Db,
  { network, sender }: { network: string; sender: string },
): Promise<number | undefined> {
  const rows = await db.query(
    "SELECT claim FROM claims WHERE network = ? AND claim > ? AND claim < ?",
    // The character after the slash.
    [network, `${sender}/`, `${sender}0`],
  );
  const places = rows.map(({ claim }) => Number(String(claim).slice(sender.length + 1)));
  return places.length === 0 ? undefined : Math.max(...places);
}

/**
 * An address's nonces from this one on that authorizations have: those used up for good, those most
 * likely used up, as their orders weren't carried out, and those whose transactions may still be
 * mined.
 */
export async function authorizedFrom(
  db: Db,
  { network, sender, fromPlace }: { network: string; sender: string; fromPlace: number },
): Promise<Record<"used" | "doubtful" | "pending", number[]>> {
  const rows = await db.query(
    `SELECT c.claim, c.live_claim IS NOT NULL AS is_live, t.state
FROM claims AS c
JOIN signed_transactions AS t ON t.id = c.signed_id
WHERE c.network = ? AND c.claim > ? AND c.claim < ? AND t.sender <> ?
  AND (c.live_claim IS NOT NULL OR t.state = 'settled')`,
    [network, `${sender}/`, `${sender}0`, sender],
  );
  const placesOf = (isLive: boolean, isSettled: boolean) =>
    rows.filter(({ is_live, state }) =>
      (is_live === 1) === isLive && (state === "settled") === isSettled
    ).map(({ claim }) => Number(String(claim).slice(sender.length + 1)))
      .filter((place) => place >= fromPlace);
  return {
    used: placesOf(true, true),
    doubtful: placesOf(false, true),
    pending: placesOf(true, false),
  };
}
