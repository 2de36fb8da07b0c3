import type { Db } from "./db.ts";
import { type InstanceRow, Instances, type LeaseRow, Leases } from "./instance_tables.ts";

/** All that there are are few: one a running program, one a job and network. */
export function allInstances(db: Db): Promise<InstanceRow[]> {
  return db.rows(Instances, "ORDER BY instance");
}

export function allLeases(db: Db): Promise<LeaseRow[]> {
  return db.rows(Leases, "ORDER BY job, network");
}
