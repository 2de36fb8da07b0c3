import { openMissingRates } from "./reads.ts";
import { Alerts } from "../alerts/table.ts";
import { readAll } from "../store/engine/workspace.ts";
import { rateOf } from "./rules/rate_of.ts";
import { resolve } from "../books/alerts.ts";
import type { Deps } from "../deps/deps.ts";
import { currentRates, pairOfSubject } from "./current.ts";

/** A rate that was missing is there again. */
export async function endMissingRates(deps: Deps): Promise<void> {
  const open = await openMissingRates(deps.db);
  if (open.length === 0) return;
  const known = await currentRates(deps);
  const nowMs = deps.clock.nowMs();
  const found = open.filter(({ subject }) => {
    const { world, ...pair } = pairOfSubject(subject);
    return rateOf(known.of[world], { ...pair, nowMs });
  });
  if (found.length === 0) return;
  await deps.db.write({
    reads: readAll(Alerts, found.map(({ id }) => [id])),
    decide: (view) => {
      for (const { id } of found) {
        const row = view.find(Alerts, [id]);
        if (row?.open) resolve(view, { row, nowMs });
      }
    },
  });
}
