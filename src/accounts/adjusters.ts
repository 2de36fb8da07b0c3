import { adjustmentsAt } from "../books/reads/statement.ts";
import type { AuditRow } from "../audit/table.ts";
import type { LedgerEntryRow } from "../books/table.ts";
import type { Deps } from "../deps/deps.ts";

/** By entry: who booked it manually, as the audit log has it. */
export async function adjustersOf(
  { db }: Deps,
  entries: readonly LedgerEntryRow[],
): Promise<ReadonlyMap<number, string>> {
  const manual = entries.filter(({ kind }) => kind === "adjust");
  const found = await Promise.all(manual.map(async (entry) => {
    const { accountId, createdAtMs: atMs } = entry;
    const rows = await adjustmentsAt(db, { accountId, atMs });
    const row = rows.find((row) => isAbout(row, entry));
    return row ? [[entry.id, row.actor] as const] : [];
  }));
  return new Map(found.flat());
}

function isAbout({ detail }: AuditRow, entry: LedgerEntryRow): boolean {
  return (["network", "currency", "amount", "note"] as const).every((name) =>
    detail[name] === entry[name]
  );
}
