import { present } from "../base/assert.ts";
import { type PayeeRow, Payees } from "../payees/table.ts";
import { lastSaidOf } from "../control/reads/last_words.ts";
import type { Deps } from "../deps/deps.ts";
import type { Plan } from "./known.ts";

export const PAYEE_ADDED = "payee.added";
export const PAYEE_REMOVED = "payee.removed";

/**
 * What the log said is remembered for this long. Whoever puts a removed payee back within it could
 * as well have paid a moment before.
 */
const SAID_FOR_MS = 1_000;

/** From when on the plan's payee may be used, if the log has just said so. */
export function knownPayee({ payeeSaid }: Plan, nowMs: number): number | undefined {
  if (!payeeSaid) return undefined;
  const { atMs, usableFromMs } = payeeSaid;
  return atMs <= nowMs && nowMs < atMs + SAID_FOR_MS ? usableFromMs : undefined;
}

/** Looks for its row only once, because the unit sees it. Undefined: it may not be used. */
export async function lookAtPayee(deps: Deps, plan: Plan): Promise<number | undefined> {
  const { values, key } = present(plan.payee, "A rule asks for the payee");
  const id = plan.payeeId ??= (await deps.db.find(Payees, values, key))?.id;
  if (id === undefined) return undefined;
  const atMs = deps.clock.nowMs();
  const usableFromMs = await deps.memory.payeeLooks.run(id, () => usableFrom(deps, id));
  plan.payeeSaid = usableFromMs === undefined ? undefined : { usableFromMs, atMs };
  return usableFromMs;
}

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
