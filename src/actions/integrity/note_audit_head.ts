import { auditEnd } from "../../store/reads/audit.ts";
import type { Db } from "../../store/engine/db.ts";
import type { Deps } from "../deps.ts";

const EVERY_MS = 3_600_000;

const notedAtMs = new WeakMap<Db, number>();

/**
 * The program's own log is kept elsewhere, where nobody can put back what it says about the audit
 * log.
 */
export async function noteAuditHead({ db, clock, log }: Deps): Promise<void> {
  const nowMs = clock.nowMs();
  const lastMs = notedAtMs.get(db);
  if (lastMs !== undefined && nowMs >= lastMs && nowMs - lastMs < EVERY_MS) return;
  notedAtMs.set(db, nowMs);
  const { id, hash } = (await auditEnd(db)).newest;
  log.info("audit head", { id, hash });
}
