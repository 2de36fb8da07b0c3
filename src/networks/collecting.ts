import { familyOf } from "../chains/registry.ts";
import * as kind from "../domain/kinds.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "./table.ts";

const MINUTE_MS = 60_000;

export const COLLECT = kind.choice(["single", "batch", "auto"]);
export const COLLECT_WAIT = kind.duration({ minMs: MINUTE_MS / 2, maxMs: 24 * 60 * MINUTE_MS });

/** How long a sweep waits for others at most. */
export function collectWaitOf({ collectWaitMs }: Pick<NetworkRow, "collectWaitMs">): number {
  return collectWaitMs ?? 10 * MINUTE_MS;
}

/** Whether sweeps of this network may ever share a transaction. */
export function mustShareSweeps(
  { code, family }: Pick<NetworkRow, "code" | "family">,
  { collect, collectWaitMs }: Partial<Pick<NetworkRow, "collect" | "collectWaitMs">>,
): void {
  const { hasCollectors, holdings } = familyOf(family);
  if (holdings === "outputs") {
    if (collect !== undefined) throw refuse("sweeps_always_shared", { code });
    return;
  }
  const isAsked = collect !== undefined || collectWaitMs !== undefined;
  if (isAsked && !hasCollectors) throw refuse("no_collectors", { code });
}
