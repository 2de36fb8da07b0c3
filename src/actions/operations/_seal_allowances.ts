import { type RootSecret, writeRoot } from "../../keys/root_secret.ts";
import { read } from "../../store/engine/workspace.ts";
import { AuditLog } from "../../store/tables/audit.ts";
import { Secrets } from "../../store/tables/setup.ts";
import { AllowedRecipients } from "../../store/tables/withdrawals.ts";
import { recordAudit } from "../books/records.ts";
import { SEED, SEED_CONTEXT, type SeedDeps } from "./open_key_ring.ts";
import { sealTable } from "./_seal_table.ts";

const SUBJECT = "allowances";

/**
 * For books from before allowed recipients had seals: seals them once, as they are. Whoever puts an
 * old secret back doesn't get later rows sealed, because the log says that it was done.
 */
export async function sealOldAllowances(
  deps: SeedDeps,
  { root, sealed: before }: { root: RootSecret; sealed: string },
): Promise<void> {
  const { db, vault, clock } = deps;
  const isDone = (await db.list(AuditLog, { subject: SUBJECT })).length > 0;
  const rows = isDone ? 0 : await sealTable(deps, AllowedRecipients, () => {});
  const seals = { ...root.seals!, areAllowancesSealed: true };
  const sealed = await vault.seal(writeRoot({ ...root, seals }), SEED_CONTEXT);
  await db.write({
    reads: [read(Secrets, [SEED])],
    decide: (view) => {
      const stored = view.find(Secrets, [SEED]);
      if (stored?.sealed !== before) return;
      view.update(Secrets, stored, { sealed });
      const entry = {
        actor: "worker",
        action: "books.allowances_sealed",
        subject: SUBJECT,
      } as const;
      recordAudit(view, { ...entry, detail: { rows }, nowMs: clock.nowMs() });
    },
  });
}
