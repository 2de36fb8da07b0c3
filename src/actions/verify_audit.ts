import { auditChainAfter, lastAuditId } from "../store/audit_reads.ts";
import type { Deps } from "./deps.ts";

export interface AuditVerdict {
  /** Rows that carry a hash and were found right. */
  readonly verified: number;
  /** Rows from before there were hashes. */
  readonly unchained: number;
  /** The first row that is not as it was written, or that does not follow the one before it. */
  readonly brokenId: number | null;
  /** The last right row. Kept elsewhere, its hash also shows a log that was written anew. */
  readonly head: { readonly id: number; readonly hash: string } | null;
  /** Whether the hash that was asked about stands in the log; null: none was. */
  readonly isKnownFound: boolean | null;
}

const PAGE = 1000;

/** Walks the whole log, a page at a time. */
export async function verifyAudit(
  { db }: Pick<Deps, "db">,
  { known = null }: { known?: string | null } = {},
): Promise<AuditVerdict> {
  // Asked first: what is written meanwhile is only more.
  const lastId = await lastAuditId(db);
  let [verified, unchained, id] = [0, 0, 0];
  let head: AuditVerdict["head"] = null;
  let isKnownFound = known === null ? null : false;
  const verdict = (brokenId: number | null) => ({
    verified,
    unchained,
    brokenId,
    head,
    isKnownFound,
  });
  for (;;) {
    const steps = await auditChainAfter(db, { id, limit: PAGE });
    for (const step of steps) {
      id = step.id;
      if (head === null && step.hash === null) {
        unchained++;
        continue;
      }
      if (step.hash !== step.expectedAfter(head?.hash ?? null)) return verdict(id);
      verified++;
      head = { id, hash: step.hash };
      if (step.hash === known) isKnownFound = true;
    }
    // Rows cut off the end are missed by nothing but their number.
    if (steps.length < PAGE) return verdict(id < lastId ? id + 1 : null);
  }
}
