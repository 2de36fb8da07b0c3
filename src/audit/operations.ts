import { auditEnd } from "./reads/audit.ts";
import { auditPage } from "./reads/page.ts";
import type { AuditRow } from "./table.ts";
import * as kind from "../domain/kinds.ts";
import { isoUtc } from "../domain/time.ts";
import { verifyAudit } from "../integrity/verify_audit.ts";
import { operation, optional, withFallback } from "../operations/operation.ts";
import { barOf, showStages } from "../operations/screen/progress.ts";

const LISTED = 100;

export const AUDIT_COMMANDS = [
  operation({
    words: ["audit", "list"],
    reads: "see_gateway",
    summary: "Lists who did what, newest first",
    flags: {
      actor: optional(kind.text({ max: 300 }), { help: "only by this actor", example: "user:1" }),
      subject: optional(kind.text({ max: 300 }), { help: "only about this", example: "account:1" }),
      limit: withFallback(kind.integer({ min: 1, max: 1_000_000 }), {
        help: "how many at most",
        example: "50",
        fallback: LISTED,
      }),
    },
    examples: ["audit list", "audit list --actor user:1 --limit 20"],
    columns: ["id", "at", "actor", "ip", "action", "subject"],
    run: async (context, { flags: { actor = null, subject = null, limit } }) => {
      const { db } = await context.deps();
      return (await auditPage(db, { actor, subject, cursor: null, limit })).map(auditShape);
    },
  }),
  operation({
    words: ["audit", "head"],
    reads: "see_gateway",
    summary:
      "Shows the newest row of the audit log; keep its hash elsewhere, to verify the log later",
    flags: {},
    examples: ["audit head --json"],
    run: async (context) => (await auditEnd((await context.deps()).db)).newest,
  }),
  operation({
    words: ["audit", "verify"],
    changes: "see_gateway",
    summary: "Checks that no row of the audit log was changed, added or removed",
    flags: {
      head: optional(kind.auditHash, {
        help: "a head hash from earlier, which must still be in the log",
        example: "9f86d081884c7d659a2feaa0c55ad015",
      }),
    },
    examples: ["audit verify"],
    run: async (context, { flags: { head: known = null } }) => {
      const deps = await context.deps();
      const { verified, unchained, brokenId, head, isKnownFound } = await showStages(
        context.tally(),
        (stages) =>
          verifyAudit(deps, {
            known,
            onProgress: (rows) => stages.next(barOf({ ...rows, what: "rows" })),
          }),
      );
      const ok = brokenId === null && isKnownFound !== false;
      if (!ok) context.exitWith(1);
      return {
        ok,
        first_broken_row: brokenId,
        rows_verified: verified,
        rows_before_the_chain: unchained,
        head_row: head?.id ?? null,
        head_hash: head?.hash ?? null,
        ...isKnownFound === null ? {} : { known_head_found: isKnownFound },
      };
    },
  }),
];

function auditShape(row: AuditRow) {
  return {
    id: row.id,
    at: isoUtc(row.atMs),
    actor: row.actor,
    ip: row.ip,
    action: row.action,
    subject: row.subject,
    detail: row.detail,
    hash: row.hash,
  };
}
