import { last } from "../base/lists.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { Difference } from "../reconcile/rules/difference.ts";
import { type Counts, countsOf } from "../upkeep/reads/counts.ts";
import type { BalanceKey } from "../books/table.ts";
import type { AnyRow, RowValue, Table } from "../store/tables/table.ts";
import { ENCRYPTED_TABLES, primaryKeyOf, rowsAfter } from "../store/reads/sealed.ts";
import { checkLedgerPage, FIRST_ASSET } from "../integrity/check_ledger.ts";
import { checkIntegrity } from "../integrity/manage_integrity.ts";
import type { TamperedRow } from "../store/engine/tampered_row.ts";
import { verifyAudit } from "../integrity/verify_audit.ts";
import type { Deps } from "../deps/deps.ts";

const PAGE_ROWS = 200;

export interface CopyAudit extends Counts {
  /** How many sealed secrets this program's master key opened, which is all of them. */
  readonly secrets: number;
  readonly differences: readonly Difference[];
  /** Rows that aren't as this program wrote them. */
  readonly tampered: readonly TamperedRow[];
  /** Null if the audit log is empty. Kept elsewhere, it proves the log from here on. */
  readonly auditHead: { readonly id: number; readonly hash: string } | null;
  readonly brokenAuditId: number | null;
}

/** A useful copy must open every secret, and its books must add up from the first entry on. */
export async function auditCopy(deps: Deps): Promise<CopyAudit> {
  let secrets = 0;
  for (const table of ENCRYPTED_TABLES) secrets += await openAll(deps, table);
  const differences: Difference[] = [];
  for (let after: BalanceKey | undefined = FIRST_ASSET; after !== undefined;) {
    const page = await checkLedgerPage(deps, { after, isFromStart: true });
    differences.push(...page.differences);
    after = page.next;
  }
  const { first: tampered } = await checkIntegrity(deps);
  const { head: auditHead, brokenId: brokenAuditId } = await verifyAudit(deps);
  return {
    ...await countsOf(deps.db),
    secrets,
    differences,
    tampered,
    auditHead,
    brokenAuditId,
  };
}

async function openAll({ db, vault }: Deps, table: Table<AnyRow>): Promise<number> {
  let opened = 0;
  let after: RowValue[] | undefined;
  for (;;) {
    const page = await rowsAfter(db, table, { after, limit: PAGE_ROWS });
    for (const row of page) {
      for (const { field, contextOf } of table.encrypted) {
        const text = row[field];
        if (typeof text !== "string" || text === "") continue;
        await vault.open(text, contextOf(row)).catch((cause: Error) => {
          throw refuse("copy_not_opened", { why: cause.message, cause });
        });
        opened += 1;
      }
    }
    if (page.length < PAGE_ROWS) return opened;
    after = primaryKeyOf(table, last(page));
  }
}
