import { type PayeeRow, Payees } from "../../store/tables/control/payees.ts";
import { AuditLog } from "../../store/tables/audit.ts";
import { isGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";

export const PAYEE_ADDED = "payee.added";
export const PAYEE_REMOVED = "payee.removed";

/** An old row with a valid seal may have been put back; the log knows that it was removed. */
export async function isPayeeRemoved(deps: Deps, row: PayeeRow): Promise<boolean> {
  if (row.removedAtMs !== null || !await isGenuine(deps, Payees, row)) return true;
  const said = await deps.db.list(AuditLog, { subject: payeeSubject(row) });
  const last = said.filter(({ action }) => action === PAYEE_ADDED || action === PAYEE_REMOVED)
    .toSorted((a, b) => b.id - a.id)[0];
  if (!last || last.action === PAYEE_REMOVED) return true;
  return Number(last.detail.usableAtMs) > row.usableAtMs;
}

export function payeeSubject({ id }: Pick<PayeeRow, "id">): string {
  return `payee:${id}`;
}
