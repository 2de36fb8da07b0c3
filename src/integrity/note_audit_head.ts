import { auditEnd } from "../audit/reads/audit.ts";
import type { Deps } from "../deps/deps.ts";

const EVERY_MS = 3_600_000;

/**
 * The program's own log is kept elsewhere, where nobody can put back what it says about the audit
 * log.
 */
export async function noteAuditHead({ db, clock, log, memory }: Deps): Promise<void> {
  const nowMs = clock.nowMs();
  const lastMs = memory.auditHeadNotedAtMs;
  if (lastMs !== undefined && nowMs >= lastMs && nowMs - lastMs < EVERY_MS) return;
  const { id, hash } = (await auditEnd(db)).newest;
  log.info("audit head", { id, hash });
  memory.auditHeadNotedAtMs = nowMs;
}
