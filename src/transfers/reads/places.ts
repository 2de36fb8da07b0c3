import { type Db, queryOne } from "../../store/engine/db.ts";
import { type Signed, type SignedTransactionRow, SignedTransactions } from "../table.ts";
import { lastClaimed } from "./claims.ts";
import { withPayments } from "./transfers.ts";

interface From {
  readonly network: string;
  readonly sender: string;
  readonly fromPlace: number;
}

/** What occupies a place from this one on, pending or mined for good; lowest first. */
export function heldFrom(
  db: Db,
  { network, sender, fromPlace }: From,
): Promise<SignedTransactionRow[]> {
  return db.rows(
    SignedTransactions,
    `WHERE network = ? AND sender = ? AND place >= ? AND state IN ('open', 'settled')
ORDER BY place`,
    [network, sender, fromPlace],
  );
}

/** The most that a transaction takes from its sender. */
export interface SigningCost {
  readonly place: number;
  readonly nativeCostMaxRaw: string;
  readonly tokens: readonly TokenCost[];
}

interface TokenCost {
  readonly contract: string;
  readonly amountRaw: string;
}

/** What the transaction `t` takes of tokens, as JSON. */
export const TOKENS = `(
    SELECT json_group_array(json_array(p.contract_address, p.amount_raw))
    FROM signed_payments AS p
    WHERE p.signed_id = t.id AND p.from_address = t.sender AND p.contract_address IS NOT NULL)`;

export type CostJson = [
  place: number,
  nativeCostMaxRaw: string,
  tokens: [contract: string, amountRaw: string][],
];

export function costOf([place, nativeCostMaxRaw, tokens]: CostJson): SigningCost {
  const costs = tokens.map(([contract, amountRaw]) => ({ contract, amountRaw }));
  return { place, nativeCostMaxRaw, tokens: costs };
}

/** The same, but only the maximum cost of each: a busy wallet has thousands. */
export async function heldCostsFrom(
  db: Db,
  { network, sender, fromPlace }: From,
): Promise<SigningCost[]> {
  const row = await queryOne(
    db,
    `SELECT json_group_array(json_array(t.place, t.native_cost_max_raw, json(${TOKENS}))) AS costs
FROM signed_transactions AS t
WHERE t.network = ? AND t.sender = ? AND t.place >= ? AND t.state IN ('open', 'settled')`,
    [network, sender, fromPlace],
  );
  const costs: CostJson[] = JSON.parse(String(row.costs));
  return costs.map(costOf);
}

/** Of these. */
export async function costsOf(db: Db, ids: readonly number[]): Promise<SigningCost[]> {
  if (ids.length === 0) return [];
  const row = await queryOne(
    db,
    `SELECT json_group_array(json_array(t.place, t.native_cost_max_raw, json(${TOKENS}))) AS costs
FROM json_each(?) AS k
CROSS JOIN signed_transactions AS t ON t.id = k.value`,
    [JSON.stringify(ids)],
  );
  const costs: CostJson[] = JSON.parse(String(row.costs));
  return costs.map(costOf);
}

/** Places from this one on, whatever happened to what was signed for them. */
export async function placesFrom(
  db: Db,
  { network, sender, fromPlace }: From,
): Promise<number[]> {
  const rows = await db.query(
    `SELECT place
FROM signed_transactions
WHERE network = ? AND sender = ? AND place >= ? AND is_foreign = 0`,
    [network, sender, fromPlace],
  );
  return rows.map(({ place }) => Number(place));
}

/** How many of a wallet's places in this range are known to be in blocks. */
export async function minedPlaces(
  db: Db,
  { network, sender, fromPlace, belowPlace }: From & { belowPlace: number },
): Promise<number> {
  const row = await queryOne(
    db,
    `SELECT count(DISTINCT place) AS count
FROM signed_transactions
WHERE network = ? AND sender = ? AND place >= ? AND place < ? AND block_hash IS NOT NULL`,
    [network, sender, fromPlace, belowPlace],
  );
  return Number(row.count);
}

/** Whether a block is known to contain what took this place. */
export async function isPlaceMined(
  db: Db,
  { network, sender, place }: { network: string; sender: string; place: number },
): Promise<boolean> {
  return await minedPlaces(db, { network, sender, fromPlace: place, belowPlace: place + 1 }) > 0;
}

/** Whether anything occupies this place. */
export async function isPlaceHeld(
  db: Db,
  { network, sender, place }: { network: string; sender: string; place: number },
): Promise<boolean> {
  const rows = await db.query(
    `SELECT 1
FROM signed_transactions
WHERE network = ? AND sender = ? AND place = ? AND is_live = 1
LIMIT 1`,
    [network, sender, place],
  );
  return rows.length > 0;
}

/** What was signed elsewhere with a wallet's key, from this place on. */
export function foreignFrom(
  db: Db,
  { network, sender, fromPlace }: From,
): Promise<SignedTransactionRow[]> {
  return db.rows(
    SignedTransactions,
    "WHERE network = ? AND sender = ? AND place >= ? AND is_foreign = 1 ORDER BY place",
    [network, sender, fromPlace],
  );
}

/**
 * Foreign transactions that nobody has explained yet, oldest first. Each was reported once; whether
 * that alert is still open says nothing about the books.
 */
export function unexplainedSpends(
  db: Db,
  { network, limit }: { network: string; limit: number },
): Promise<SignedTransactionRow[]> {
  return db.rows(
    SignedTransactions,
    `INDEXED BY signed_transactions_hash
WHERE network = ? AND tx_hash IN (SELECT subject FROM alerts WHERE kind = 'foreign_spend')
  AND is_foreign = 1
ORDER BY block_number, place
LIMIT ?`,
    [network, limit],
  );
}

/** The highest place this installation ever used for the wallet. */
export async function lastPlace(
  db: Db,
  { network, sender }: { network: string; sender: string },
): Promise<number | undefined> {
  const [row] = await db.query(
    `SELECT max(place) AS place
FROM signed_transactions
WHERE network = ? AND sender = ?`,
    [network, sender],
  );
  return row?.place === null || row?.place === undefined ? undefined : Number(row.place);
}

/** The place after all that anything signed has claimed: of its own, or by an authorization. */
export async function nextBooked(
  db: Db,
  owner: { network: string; sender: string },
): Promise<number> {
  const [placed, claimed] = await Promise.all([lastPlace(db, owner), lastClaimed(db, owner)]);
  return Math.max(placed ?? -1, claimed ?? -1) + 1;
}

/** The wallet's first transaction that is in no block, if it has a lower place than this one. */
export async function transactionAhead(
  db: Db,
  { network, sender, place }: Pick<SignedTransactionRow, "network" | "sender" | "place">,
): Promise<Signed | undefined> {
  const rows = await db.rows(
    SignedTransactions,
    `INDEXED BY signed_transactions_open
WHERE network = ? AND sender = ? AND state = 'open' AND place < ?
  AND is_live = 1 AND block_hash IS NULL
ORDER BY place LIMIT 1`,
    [network, sender, place],
  );
  const [signed] = await withPayments(db, rows);
  return signed;
}
