import { present } from "../base/assert.ts";
import { usableFrom } from "../payees/payees.ts";
import { Payees } from "../payees/table.ts";
import type { Deps } from "../deps/deps.ts";
import type { Plan } from "./known.ts";

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
