import { orNull } from "../store/connection/connection.ts";
import type { Db } from "../store/engine/db.ts";
import { idsBeyond, type Paged } from "../store/lists/order.ts";
import { type PayoutBatchRow } from "../withdrawals/table.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";

interface UnsweptAmount {
  readonly currency: string;
  readonly amount: string;
}

/** What an account's confirmed deposits left on its deposit addresses, before any sweep. */
export async function unsweptAmounts(
  db: Db,
  { network, accountId, limit }: { network: string; accountId: number; limit: number },
): Promise<UnsweptAmount[]> {
  const rows = await db.query(
    `SELECT currency, amount
FROM transactions INDEXED BY transactions_unswept
WHERE network = ? AND account_id = ? AND status = 'confirmed' AND direction = 'deposit'
  AND sweep_id IS NULL
LIMIT ?`,
    [network, accountId, limit],
  );
  return rows.map(({ currency, amount }) => ({
    currency: String(currency),
    amount: String(amount),
  }));
}

/** The withdrawals of one key with these references. */
export function withdrawalsReferred(
  db: Db,
  { keyId, references }: { keyId: string; references: readonly string[] },
): Promise<WithdrawalRow[]> {
  return db.rows(
    Withdrawals,
    `INDEXED BY withdrawals_reference
WHERE key_id = ? AND client_reference IN (SELECT value FROM json_each(?))`,
    [keyId, JSON.stringify(references)],
  );
}

/** A user's batches that nobody has started. */
export async function draftIds(
  db: Db,
  { accountId, createdBy }: { accountId: number; createdBy: string },
): Promise<number[]> {
  const rows = await db.query(
    `SELECT id
FROM (SELECT * FROM payout_batches WHERE account_id = ? ORDER BY id DESC LIMIT 200)
WHERE created_by = ? AND started_at_ms IS NULL`,
    [accountId, createdBy],
  );
  return rows.map(({ id }) => Number(id));
}

export type BatchListed = Omit<PayoutBatchRow, "lines" | "refusals">;

/** Without their lines. */
export async function batchPage(
  db: Db,
  { accountId, ...paged }: Paged & { accountId: number },
): Promise<BatchListed[]> {
  const { sql, args } = idsBeyond(paged);
  const rows = await db.query(
    `SELECT id, account_id, created_by, size, started_at_ms, created_at_ms
FROM payout_batches
WHERE account_id = ? AND ${sql}`,
    [accountId, ...args],
  );
  return rows.map((row) => ({
    id: Number(row.id),
    accountId: Number(row.account_id),
    createdBy: String(row.created_by),
    size: Number(row.size),
    startedAtMs: orNull(row.started_at_ms, Number),
    createdAtMs: Number(row.created_at_ms),
  }));
}

/** A payout belongs to one of the last batches that were made before it. */
const BATCHES_LOOKED_AT = 10;

/** The batch that has a line with this reference. */
export async function batchOf(
  db: Db,
  { accountId, reference, requestedAtMs }: {
    accountId: number;
    reference: string;
    requestedAtMs: number;
  },
): Promise<number | undefined> {
  const rows = await db.query(
    `SELECT b.id
FROM (
  SELECT id, lines
  FROM payout_batches INDEXED BY payout_batches_time
  WHERE account_id = ? AND created_at_ms <= ?
  ORDER BY created_at_ms DESC LIMIT ${BATCHES_LOOKED_AT}
) AS b, json_each(b.lines) AS line
WHERE line.value ->> 'reference' = ?
LIMIT 1`,
    [accountId, requestedAtMs, reference],
  );
  return rows[0] && Number(rows[0].id);
}
