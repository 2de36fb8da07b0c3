import { orNull, type SqlRow } from "../../store/connection/connection.ts";
import { AuditLog } from "../table.ts";
import type { Mac } from "../../base/secrets/mac.ts";
import { chainHash, type ChainHead, headIn } from "../../store/engine/chain_rows.ts";
import { type Db, queryOne } from "../../store/engine/db.ts";
import { columnList } from "../../store/tables/table.ts";

export interface ChainStep {
  readonly id: number;
  readonly action: string;
  readonly subject: string;
  readonly atMs: number;
  /** JSON as stored. */
  readonly detail: string;
  readonly hash: string | null;
  /** What the hash should be after a row with hash `before`; keyed if there is a `mac`. */
  expectedAfter(before: string | null, mac: Mac | undefined): string;
}

/** In the order of writing, exactly as stored. */
export async function auditChainAfter(
  db: Db,
  { id, limit }: { id: number; limit: number },
): Promise<ChainStep[]> {
  const rows = await db.query(
    `SELECT ${columnList(AuditLog)} FROM audit_log WHERE id > ? ORDER BY id LIMIT ?`,
    [id, limit],
  );
  return rows.map(stepOf);
}

function stepOf(row: SqlRow): ChainStep {
  const values = AuditLog.columns.map(({ name }) => row[name] ?? null);
  return {
    id: Number(row.id),
    action: String(row.action),
    subject: String(row.subject),
    atMs: Number(row.at_ms),
    detail: String(row.detail),
    hash: orNull(row.hash, String),
    expectedAfter: (before, mac) => chainHash(before, { table: AuditLog, values, mac }),
  };
}

/** The hash of the row before this one. */
export async function auditHashBefore(db: Db, id: number): Promise<string | null> {
  const [row] = await db.rows(AuditLog, "WHERE id < ? ORDER BY id DESC LIMIT 1", [id]);
  return row?.hash ?? null;
}

/** The newest row before that moment, among those after `afterId`. */
export async function auditIdBefore(
  db: Db,
  { atMs, afterId }: { atMs: number; afterId: number },
): Promise<number | undefined> {
  const [row] = await db.rows(
    AuditLog,
    "WHERE id > ? AND at_ms < ? ORDER BY id DESC LIMIT 1",
    [afterId, atMs],
  );
  return row?.id;
}

export interface AuditEnd {
  /** The highest id that any row of the log ever had. */
  readonly lastId: number;
  /** The newest existing row. */
  readonly newest: { readonly id: number; readonly hash: string | null };
  /** The newest row according to the copy kept beside the log. */
  readonly kept: ChainHead | undefined;
}

export async function auditEnd(db: Db): Promise<AuditEnd> {
  const row = await queryOne(
    db,
    `SELECT audit_id, audit_hash, audit_seal, balances_sum,
  (SELECT id FROM audit_log ORDER BY id DESC LIMIT 1) AS newest_id,
  (SELECT hash FROM audit_log ORDER BY id DESC LIMIT 1) AS newest_hash,
  (SELECT seq FROM sqlite_sequence WHERE name = 'audit_log') AS seq
FROM write_clock
WHERE id = 1`,
  );
  const kept = headIn(row);
  return {
    lastId: Math.max(Number(row.seq ?? 0), kept?.id ?? 0),
    newest: { id: Number(row.newest_id ?? 0), hash: orNull(row.newest_hash, String) },
    kept,
  };
}

const DEEDS_LOOKED_AT = 500;

/** Addresses from which the user signed in, according to the newest rows about their login. */
export async function signInAddresses(db: Db, userId: number): Promise<string[]> {
  const rows = await db.query(
    `SELECT DISTINCT ip
FROM (
  SELECT action, ip
  FROM audit_log INDEXED BY audit_log_self
  WHERE actor = ? AND subject = actor
  ORDER BY id DESC
  LIMIT ?)
WHERE action = 'user.signed_in' AND ip IS NOT NULL`,
    [`user:${userId}`, DEEDS_LOOKED_AT],
  );
  return rows.map(({ ip }) => String(ip));
}

/** Whether the log has an entry by hand under this reference. */
export async function isReferenceNoted(
  db: Db,
  { subject, reference }: { subject: string; reference: string },
): Promise<boolean> {
  const rows = await db.query(
    `SELECT 1
FROM audit_log INDEXED BY audit_log_references
WHERE subject = ? AND json_extract(detail, '$.reference') = ?
  AND action = 'account.adjusted' AND json_extract(detail, '$.reference') IS NOT NULL
LIMIT 1`,
    [subject, reference],
  );
  return rows.length > 0;
}
