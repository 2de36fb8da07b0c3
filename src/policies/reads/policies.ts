import { type Db, queryOne } from "../../store/engine/db.ts";
import { AuditLog, type AuditRow } from "../../audit/table.ts";
import { columnList, rowFromJson, rowsFromJson } from "../../store/tables/table.ts";
import {
  Policies,
  type PolicyMarkRow,
  PolicyMarks,
  type PolicyMeterRow,
  PolicyMeters,
  type PolicyRemovalRow,
  PolicyRemovals,
  type PolicyRow,
} from "../table.ts";

export function allPolicies(db: Db): Promise<PolicyRow[]> {
  return db.rows(Policies, "ORDER BY id");
}

/** What the audit log says about the rules as they were last set. */
export async function lastPolicyChange(db: Db, subject: string): Promise<AuditRow | undefined> {
  const [row] = await db.rows(
    AuditLog,
    `INDEXED BY audit_log_policies
WHERE subject = ? AND action = 'policies.changed' ORDER BY id DESC LIMIT 1`,
    [subject],
  );
  return row;
}

export interface MeterAt {
  readonly meterId: number;
  readonly split: string;
  /** Payments after this moment are in the window. */
  readonly edgeMs: number;
}

interface EdgeRows {
  readonly meter: PolicyMeterRow | undefined;
  /** The first after the edge. */
  readonly mark: PolicyMarkRow | undefined;
  /** Everything taken out behind the edge. */
  readonly removals: readonly PolicyRemovalRow[];
}

interface Span {
  readonly spanMs: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** As of one moment, however many payments there are. */
export async function edgeRows(
  db: Db,
  { meterId, split, edgeMs }: MeterAt,
  spans: readonly Span[],
): Promise<EdgeRows> {
  const row = await queryOne(
    db,
    `SELECT
  (SELECT json_array(${columnList(PolicyMeters)})
  FROM policy_meters
  WHERE meter_id = ? AND split = ?) AS meter,
  (SELECT json_array(${columnList(PolicyMarks)})
  FROM policy_marks INDEXED BY policy_marks_time
  WHERE meter_id = ? AND split = ? AND at_ms > ?
  ORDER BY at_ms, added_count
  LIMIT 1) AS mark,
  (SELECT json_group_array(json_array(${columnList(PolicyRemovals, "r")}))
  FROM json_each(?) AS s
  CROSS JOIN policy_removals AS r
  WHERE r.meter_id = ? AND r.split = ? AND r.span_ms = s.value ->> 0
    AND r.starts_at_ms >= s.value ->> 1 AND r.starts_at_ms < s.value ->> 2) AS removals`,
    [
      ...[meterId, split, meterId, split, edgeMs],
      JSON.stringify(spans.map(({ spanMs, fromMs, untilMs }) => [spanMs, fromMs, untilMs])),
      ...[meterId, split],
    ],
  );
  return {
    meter: row.meter === null ? undefined : rowFromJson(PolicyMeters, row.meter),
    mark: row.mark === null ? undefined : rowFromJson(PolicyMarks, row.mark),
    removals: rowsFromJson(PolicyRemovals, row.removals),
  };
}

export interface Release {
  readonly entryId: number;
  readonly withdrawalId: number;
}

/** Withdrawals that ended unpaid and still count, oldest first. */
export async function releasesToCount(db: Db, limit: number): Promise<Release[]> {
  const rows = await db.query(
    `SELECT id, withdrawal_id
FROM ledger_entries INDEXED BY ledger_entries_releases
WHERE kind = 'release' AND id > coalesce((SELECT entry_id FROM policy_cursor WHERE id = 1), 0)
ORDER BY id
LIMIT ?`,
    [limit],
  );
  return rows.map((row) => ({ entryId: Number(row.id), withdrawalId: Number(row.withdrawal_id) }));
}
