import type { Db } from "../store/engine/db.ts";
import { type AlertRow, Alerts } from "../alerts/table.ts";
import { AuditLog, type AuditRow } from "../audit/table.ts";
import { type RateReadingRow, RateReadings, type RateSourceRow, RateSources } from "./table.ts";

export function rateSources(db: Db): Promise<RateSourceRow[]> {
  return db.rows(RateSources, "ORDER BY id");
}

export function rateReadings(db: Db): Promise<RateReadingRow[]> {
  return db.rows(RateReadings, "ORDER BY source");
}

/** What the audit log says about a subject after one of its rows. */
export function saidAfter(
  db: Db,
  { subject, id }: { subject: string; id: number },
): Promise<AuditRow[]> {
  return db.rows(AuditLog, "WHERE subject = ? AND id > ? ORDER BY id", [subject, id]);
}

/** Alerts about rates that something wanted and didn't get. */
export function openMissingRates(db: Db): Promise<AlertRow[]> {
  return db.rows(Alerts, "WHERE kind = 'rate_missing' AND open = 1 ORDER BY id");
}
