import type { PayeeRow } from "../../store/tables/control/payees.ts";
import { lastSaidOf } from "../../store/reads/control/last_words.ts";
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
  const actions = [PAYEE_ADDED, PAYEE_REMOVED];
  const last = await lastSaidOf(db, { subject: payeeSubject({ id }), actions });
  return last?.action === PAYEE_ADDED ? Number(last.detail.usableAtMs) : undefined;
}

export function payeeSubject({ id }: Pick<PayeeRow, "id">): string {
  return `payee:${id}`;
}
