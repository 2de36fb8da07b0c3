import type { Db } from "./db.ts";

/** Payments of one currency by one account to one address, signed at these times, that moved nothing. */
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

/** Those that an operator has not seen to. A reorganisation that takes one back takes it from here. */
const FAILED = `f.is_successful = 0 AND f.purpose = 'withdrawal' AND f.block_hash IS NOT NULL`;
const SINCE_ALLOWED = `f.created_at_ms > coalesce(
    (
      SELECT r.allowed_at_ms
      FROM allowed_recipients AS r
      WHERE r.account_id = a.account_id AND r.network = f.network AND r.address = f.to_address),
    -1)`;

/** When the failed ones were signed, the newest first. */
export async function failuresOf(
  db: Db,
  { network, sender, address, contract }: {
    network: string;
    sender: string;
    address: string;
    contract: string | null;
  },
): Promise<number[]> {
  const rows = await db.query(
    `SELECT f.created_at_ms
FROM signed_transfers AS f INDEXED BY signed_transfers_failed
JOIN addresses AS a ON a.network = f.network AND a.address = f.sender
WHERE f.network = ? AND f.sender = ? AND f.to_address = ? AND f.contract_address IS ?
  AND ${FAILED} AND ${SINCE_ALLOWED}
ORDER BY f.id DESC
LIMIT ${TIMES_MAX}`,
    [network, sender, address, contract],
  );
  return rows.map((row) => Number(row.created_at_ms));
}

/** Where at least two failed, of all networks and accounts. */
export async function failedTwice(db: Db): Promise<FailedPayments[]> {
  const rows = await db.query(
    `SELECT a.account_id, f.network, f.to_address, f.contract_address,
  json_group_array(f.created_at_ms) AS times
FROM signed_transfers AS f INDEXED BY signed_transfers_failed
JOIN addresses AS a ON a.network = f.network AND a.address = f.sender
WHERE ${FAILED} AND ${SINCE_ALLOWED}
GROUP BY f.network, f.sender, f.to_address, f.contract_address
HAVING count(*) > 1
LIMIT ${LISTED_MAX}`,
  );
  return rows.map((row) => ({
    accountId: Number(row.account_id),
    network: String(row.network),
    address: String(row.to_address),
    contract: row.contract_address === null ? null : String(row.contract_address),
    signedAtMs: JSON.parse(String(row.times)) as number[],
  }));
}
