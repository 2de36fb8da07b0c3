import { AuditLog } from "../audit/table.ts";
import { AllowedRecipients } from "../withdrawals/table.ts";
import { verifyAudit } from "../integrity/verify_audit.ts";
import { recordAudit } from "../books/records.ts";
import type { SeedDeps } from "./open_key_ring.ts";
import { replaceRoot, type SealedRoot } from "./_replace_root.ts";
import { sealTable } from "./_seal_table.ts";

const SUBJECT = "allowances";

/**
 * For books from before allowed recipients had seals: seals them once, as they are. Whoever puts an
 * old secret back doesn't get later rows sealed, because the log says that it was done, or is broken
 * where it said so.
 */
export async function sealOldAllowances(deps: SeedDeps, root: SealedRoot): Promise<void> {
  const { db, clock } = deps;
  const isSaid = (await db.list(AuditLog, { subject: SUBJECT })).length > 0;
  const isDone = isSaid || (await verifyAudit(deps)).brokenId !== null;
  const rows = isDone ? 0 : await sealTable(deps, AllowedRecipients, () => {});
  await replaceRoot(deps, {
    root,
    done: { areAllowancesSealed: true },
    note: (view) =>
      recordAudit(view, {
        actor: "worker",
        action: "books.allowances_sealed",
        subject: SUBJECT,
        detail: { rows },
        nowMs: clock.nowMs(),
      }),
  });
}
