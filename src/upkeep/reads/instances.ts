import { type Db, queryOne } from "../../store/engine/db.ts";
import { type InstanceRow, Instances, type LeaseRow, Leases } from "../table.ts";
import { columnList, rowsFromJson } from "../../store/tables/table.ts";

/** There are few: one per running program. */
export function allInstances(db: Db): Promise<InstanceRow[]> {
  return db.rows(Instances, "ORDER BY instance");
}

/** By instance. */
export async function beatsOf(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query("SELECT instance, beat FROM instances");
  return new Map(rows.map(({ instance, beat }) => [String(instance), Number(beat)]));
}

/** Both in one statement, because every program asks each second. */
export async function instancesAndLeases(
  db: Db,
): Promise<{ instances: InstanceRow[]; leases: LeaseRow[] }> {
  const row = await queryOne(
    db,
    `SELECT
  (SELECT json_group_array(json_array(${columnList(Instances)})) FROM instances) AS instances,
  (SELECT json_group_array(json_array(${columnList(Leases)})) FROM leases) AS leases`,
  );
  return {
    instances: rowsFromJson(Instances, row.instances),
    leases: rowsFromJson(Leases, row.leases),
  };
}
