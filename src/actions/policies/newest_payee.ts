import type { PayeeRow } from "../../store/tables/control/payees.ts";
import { AuditLog } from "../../store/tables/audit.ts";
import type { Deps } from "../deps.ts";

export const PAYEE_ADDED = "payee.added";
export const PAYEE_REMOVED = "payee.removed";

/**
 * From when on the log says that it may be used; undefined: it doesn't, or not any more. An old row
 * with a valid seal may have been put back.
 */
export async function usableFrom(
  { db }: Pick<Deps, "db">,
  id: number,
): Promise<number | undefined> {
  const said = await db.list(AuditLog, { subject: payeeSubject({ id }) });
  const last = said.filter(({ action }) => action === PAYEE_ADDED || action === PAYEE_REMOVED)
    .toSorted((a, b) => b.id - a.id)[0];
  return last?.action === PAYEE_ADDED ? Number(last.detail.usableAtMs) : undefined;
}

export function payeeSubject({ id }: Pick<PayeeRow, "id">): string {
  return `payee:${id}`;
}
