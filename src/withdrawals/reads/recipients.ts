import { orNull, type SqlRow } from "../../store/connection/connection.ts";
import { zip } from "../../base/lists.ts";
import type { Db } from "../../store/engine/db.ts";

/** An account's payments of one currency to one address that moved nothing, with the times of signing. */
export interface FailedPayments {
  readonly accountId: number;
  readonly network: string;
  readonly address: string;
  /** Null for the native coin. */
  readonly contract: string | null;
  readonly signedAtMs: readonly number[];
}

const TIMES_MAX = 100;
const LISTED_MAX = 1_000;

/** A reorganisation that undoes a failure removes it here too. */
const FAILED = `f.is_successful = 0 AND f.purpose = 'withdrawal'`;
/** Since an operator last allowed the recipient. Only for lists: nobody has checked its seal. */
const SINCE_ALLOWED = `t.created_at_ms > coalesce(
    (
      SELECT r.allowed_at_ms
      FROM allowed_recipients AS r
      WHERE r.account_id = a.account_id AND r.network = f.network AND r.address = f.to_address),
    -1)`;

interface PaymentPlace {
  readonly network: string;
  readonly sender: string;
  readonly address: string;
  readonly contract: string | null;
}

/** When the failed payments were signed, allowed or not, newest first. Concurrent look-ups share one statement. */
export function failuresOf(db: Db, place: PaymentPlace): Promise<number[]> {
  const work = (places: readonly PaymentPlace[]) => allFailuresOf(db, places);
  return db.lookUps.run("failures", { job: place, work });
}

async function allFailuresOf(
  db: Db,
  places: readonly PaymentPlace[],
): Promise<PromiseSettledResult<number[]>[]> {
  const keys = places.map(({ network, sender, address, contract }) =>
    JSON.stringify([network, sender, address, contract])
  );
  const distinct = [...new Set(keys)];
  const rows = await db.query(
    `SELECT (
    SELECT json_group_array(created_at_ms)
    FROM (
      SELECT t.created_at_ms
      FROM signed_payments AS f INDEXED BY signed_payments_failed
      CROSS JOIN signed_transactions AS t ON t.id = f.signed_id
      WHERE f.network = k.value ->> 0 AND f.from_address = k.value ->> 1
        AND f.to_address = k.value ->> 2
        AND f.contract_address IS k.value ->> 3
        AND ${FAILED}
      ORDER BY f.id DESC
      LIMIT ${TIMES_MAX})
  ) AS times
FROM json_each(?) AS k
ORDER BY k.key`,
    [`[${distinct.join()}]`],
  );
  const found = new Map(zip(distinct, rows).map(([key, row]) => [key, timesOf(row)]));
  return keys.map((key) => ({ status: "fulfilled", value: found.get(key) ?? [] }));
}

/** Recipients with at least two failures, on all networks and for all accounts. */
export async function failedTwice(db: Db): Promise<FailedPayments[]> {
  const rows = await db.query(
    `SELECT a.account_id, f.network, f.to_address, f.contract_address,
  json_group_array(t.created_at_ms) AS times
FROM signed_payments AS f INDEXED BY signed_payments_failed
CROSS JOIN signed_transactions AS t ON t.id = f.signed_id
JOIN addresses AS a ON a.network = f.network AND a.address = f.from_address
WHERE ${FAILED} AND ${SINCE_ALLOWED}
GROUP BY f.network, f.from_address, f.to_address, f.contract_address
HAVING count(*) > 1
LIMIT ${LISTED_MAX}`,
  );
  return rows.map((row) => ({
    accountId: Number(row.account_id),
    network: String(row.network),
    address: String(row.to_address),
    contract: orNull(row.contract_address, String),
    signedAtMs: timesOf(row),
  }));
}

function timesOf(row: SqlRow): number[] {
  return JSON.parse(String(row.times));
}

/** From where payments of which token have ever failed. */
export async function failingTokens(
  db: Db,
  network: string,
): Promise<{ network: string; sender: string; contractAddress: string }[]> {
  const rows = await db.query(
    `SELECT DISTINCT f.from_address AS sender, f.contract_address
FROM signed_payments AS f INDEXED BY signed_payments_failed
WHERE f.network = ? AND ${FAILED} AND f.contract_address IS NOT NULL
LIMIT ${LISTED_MAX}`,
    [network],
  );
  return rows.map(({ sender, contract_address }) => ({
    network,
    sender: String(sender),
    contractAddress: String(contract_address),
  }));
}

const RECENT_MAX = 1_000;

/**
 * Whether a wallet's newest payments of one currency moved something, newest first; only those
 * signed since an operator last dealt with such an alert.
 */
export async function latestOutcomes(
  db: Db,
  { network, sender, contract, kind, subject, limit }: {
    network: string;
    sender: string;
    contract: string | null;
    kind: string;
    subject: string;
    limit: number;
  },
): Promise<boolean[]> {
  const rows = await db.query(
    `SELECT p.is_successful
FROM (
  SELECT *
  FROM signed_transactions INDEXED BY signed_transactions_sender
  WHERE network = ? AND sender = ?
  ORDER BY place DESC
  LIMIT ${RECENT_MAX}) AS t
JOIN signed_payments AS p ON p.signed_id = t.id
WHERE p.purpose = 'withdrawal' AND t.block_hash IS NOT NULL AND p.contract_address IS ?
  AND t.created_at_ms > (
    SELECT coalesce(max(resolved_at_ms), 0)
    FROM alerts
    WHERE kind = ? AND subject = ?)
ORDER BY t.place DESC
LIMIT ?`,
    [network, sender, contract, kind, subject, limit],
  );
  return rows.map(({ is_successful }) => Number(is_successful) === 1);
}

/** A wallet's newest coin payments, for recipients with code or with earlier payments. */
export async function codeRecords(
  db: Db,
  { network, sender, sinceMs }: { network: string; sender: string; sinceMs: number },
): Promise<Map<string, { waiting: number; paid: number; failed: number }>> {
  const rows = await db.query(
    `SELECT p.to_address,
  sum(t.block_hash IS NULL AND t.state = 'open' AND t.is_live) AS waiting,
  sum(t.block_hash IS NOT NULL AND p.is_successful = 1) AS paid,
  sum(t.block_hash IS NOT NULL AND p.is_successful = 0 AND t.created_at_ms > ?) AS failed
FROM (
  SELECT *
  FROM signed_transactions INDEXED BY signed_transactions_sender
  WHERE network = ? AND sender = ?
  ORDER BY place DESC
  LIMIT ${RECENT_MAX}) AS t
JOIN signed_payments AS p ON p.signed_id = t.id
WHERE p.purpose = 'withdrawal' AND p.contract_address IS NULL
GROUP BY p.to_address
HAVING failed > 0 OR paid > 0 OR max(p.calls_code)`,
    [sinceMs, network, sender],
  );
  return new Map(rows.map(({ to_address, waiting, paid, failed }) => [
    String(to_address),
    { waiting: Number(waiting), paid: Number(paid), failed: Number(failed) },
  ]));
}
