import type { Db } from "../../store/engine/db.ts";
import type { DepositRequestRow } from "../../wallets/tables/addresses.ts";
import { LedgerEntries, type LedgerEntryRow } from "../../books/table.ts";
import { type TransactionRow, Transactions } from "../tables/transactions.ts";

/**
 * For a sticky address, all deposits in the currency. For a pool address, those detected while the
 * request had it.
 */
export function depositsOfRequest(db: Db, request: DepositRequestRow): Promise<TransactionRow[]> {
  return request.userIdentifier === null
    ? db.rows(Transactions, "WHERE deposit_request_id = ? AND currency = ? ORDER BY id", [
      request.id,
      request.currency,
    ])
    : db.rows(Transactions, "WHERE address_id = ? AND currency = ? ORDER BY id", [
      request.addressId,
      request.currency,
    ]);
}

export interface Booked {
  /** The one that counts, and those that failed. */
  readonly rows: readonly TransactionRow[];
  readonly entries: readonly LedgerEntryRow[];
}

/** Everything in the books about one payment on the chain. */
export async function bookedOf(
  db: Db,
  { network, txHash, position }: Pick<TransactionRow, "network" | "txHash" | "position">,
): Promise<Booked> {
  const payment = "WHERE network = ? AND tx_hash = ? AND position = ?";
  const args = [network, txHash, position];
  const [rows, entries] = await Promise.all([
    db.rows(Transactions, payment, args),
    db.rows(
      LedgerEntries,
      `WHERE transaction_id IN (SELECT id FROM transactions ${payment})`,
      args,
    ),
  ]);
  return { rows, entries };
}

/** The newest request for each address and currency, in one statement. */
export async function latestRequests(
  db: Db,
  pairs: readonly { addressId: number; currency: string }[],
): Promise<Map<string, number>> {
  const found = await db.query(
    `SELECT k.value ->> 0 AS address_id, k.value ->> 1 AS currency, max(r.id) AS id
FROM json_each(?) AS k
CROSS JOIN deposit_requests AS r
WHERE r.address_id = k.value ->> 0 AND r.currency = k.value ->> 1
GROUP BY 1, 2`,
    [JSON.stringify(pairs.map(({ addressId, currency }) => [addressId, currency]))],
  );
  return new Map(found.map((row) => [`${row.address_id}/${row.currency}`, Number(row.id)]));
}

const FIRST = `(SELECT r.id
      FROM deposit_requests AS r INDEXED BY deposit_requests_owner
      WHERE r.address_id = k.value ->> 0 AND r.shared_with_id IS NULL
      ORDER BY r.created_at_ms, r.id
      LIMIT 1)`;

function newestAt(end: string): string {
  return `(SELECT r.id
      FROM deposit_requests AS r INDEXED BY deposit_requests_owner
      WHERE r.address_id = k.value ->> 0 AND r.created_at_ms <= ${end}
        AND r.shared_with_id IS NULL
      ORDER BY r.created_at_ms DESC, r.id DESC
      LIMIT 1)`;
}

/**
 * Which requests got each address at the start and at the end of a span. Before the first request,
 * the first one counts. Empty if the address was never assigned.
 */
export async function requestsAt(
  db: Db,
  asked: readonly { addressId: number; fromMs: number; toMs: number }[],
): Promise<readonly (readonly [number, number] | readonly [])[]> {
  const found = await db.query(
    `SELECT coalesce(${newestAt("k.value ->> 1")}, ${FIRST}) AS before,
  coalesce(${newestAt("k.value ->> 2")}, ${FIRST}) AS after
FROM json_each(?) AS k
ORDER BY k.key`,
    [JSON.stringify(asked.map(({ addressId, fromMs, toMs }) => [addressId, fromMs, toMs]))],
  );
  return found.map(({ before, after }) =>
    before === null || after === null ? [] as const : [Number(before), Number(after)] as const
  );
}

/** How many deposits of a network wait for their first block, by address. */
export async function unminedByAddress(
  db: Db,
  network: string,
): Promise<ReadonlyMap<number, number>> {
  const rows = await db.query(
    `SELECT t.address_id, count(*) AS deposits
FROM transactions AS t INDEXED BY transactions_detected
WHERE t.network = ? AND t.status = 'detected' AND t.block_number = 0 AND t.block_hash IS NULL
  AND t.direction = 'deposit'
GROUP BY t.address_id`,
    [network],
  );
  return new Map(rows.map((row) => [Number(row.address_id), Number(row.deposits)]));
}

/** Looked at in one go; more than enough to lift any sum. */
const DUST_MAX = 500;

/** Detected deposits of these addresses that wait for more. */
export function waitingDust(
  db: Db,
  { network, addressIds, creditFrom }: {
    network: string;
    addressIds: readonly number[];
    creditFrom: number;
  },
): Promise<TransactionRow[]> {
  return db.rows(
    Transactions,
    `INDEXED BY transactions_address
WHERE address_id IN (SELECT value FROM json_each(?)) AND network = ? AND status = 'detected'
  AND direction = 'deposit' AND block_hash IS NOT NULL AND credit_from = ?
LIMIT ${DUST_MAX}`,
    [JSON.stringify(addressIds), network, creditFrom],
  );
}

/** What was credited to these addresses and is still there: some of it. */
export function unsweptAt(db: Db, addressIds: readonly number[]): Promise<TransactionRow[]> {
  return db.rows(
    Transactions,
    `INDEXED BY transactions_address
WHERE address_id IN (SELECT value FROM json_each(?)) AND direction = 'deposit'
  AND status IN ('confirmed', 'sweep_pending') AND block_hash IS NOT NULL
LIMIT ${DUST_MAX}`,
    [JSON.stringify(addressIds)],
  );
}

/** Detected ones in no block that something else has overtaken up to this height. */
export function overtakenDeposits(
  db: Db,
  { network, height, limit }: { network: string; height: number; limit: number },
): Promise<TransactionRow[]> {
  return db.rows(
    Transactions,
    `AS t INDEXED BY transactions_detected
WHERE t.network = ?1 AND t.status = 'detected' AND t.block_hash IS NULL AND t.direction = 'deposit'
  AND EXISTS (
    SELECT 1
    FROM deposit_inputs AS i INDEXED BY deposit_inputs_input
    WHERE i.network = ?1 AND i.tx_hash = t.tx_hash AND i.spent_hash IS NOT NULL
      AND i.spent_height <= ?2)
ORDER BY t.block_number, t.id
LIMIT ?3`,
    [network, height, limit],
  );
}

/** Hashes of payments that have been in no block, of which nothing shows yet that they can't come. */
export async function hiddenDeposits(
  db: Db,
  { network, sinceMs, exceptHashes, limit }: {
    network: string;
    sinceMs: number;
    /** Those that a node shows, and those that were looked at. */
    exceptHashes: readonly string[];
    limit: number;
  },
): Promise<string[]> {
  const rows = await db.query(
    `SELECT DISTINCT t.tx_hash
FROM transactions AS t INDEXED BY transactions_detected
WHERE t.network = ?1 AND t.status = 'detected' AND t.block_number = 0 AND t.block_hash IS NULL
  AND t.direction = 'deposit' AND coalesce(t.seen_at_ms, t.created_at_ms) <= ?2
  AND t.tx_hash NOT IN (SELECT value FROM json_each(?3))
  AND NOT EXISTS (
    SELECT 1
    FROM deposit_inputs AS i INDEXED BY deposit_inputs_input
    WHERE i.network = ?1 AND i.tx_hash = t.tx_hash AND i.spent_hash IS NOT NULL)
LIMIT ?4`,
    [network, sinceMs, JSON.stringify(exceptHashes), limit],
  );
  return rows.map(({ tx_hash: txHash }) => String(txHash));
}

/** Detected ones in no block that no node has shown since then. */
export function unseenDeposits(
  db: Db,
  { network, sinceMs, exceptHashes, limit }: {
    network: string;
    sinceMs: number;
    exceptHashes: readonly string[];
    limit: number;
  },
): Promise<TransactionRow[]> {
  return db.rows(
    Transactions,
    `INDEXED BY transactions_detected
WHERE network = ? AND status = 'detected' AND block_hash IS NULL AND direction = 'deposit'
  AND coalesce(seen_at_ms, created_at_ms) <= ?
  AND tx_hash NOT IN (SELECT value FROM json_each(?))
ORDER BY block_number, id
LIMIT ?`,
    [network, sinceMs, JSON.stringify(exceptHashes), limit],
  );
}
