import { openProposals, overdueProposals } from "./reads.ts";
import { type ProposalRow, Proposals } from "./table.ts";
import { read } from "../store/engine/workspace.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { decide } from "./decide.ts";

const AT_ONCE = 100;

/** What nobody approved in time does nothing any more; this only says so. */
export async function expireProposals(deps: Deps): Promise<void> {
  const rows = await overdueProposals(deps.db, { nowMs: deps.clock.nowMs(), limit: AT_ONCE });
  for (const row of rows) await expire(deps, { row, actor: "worker" });
}

/** In restored books: each of them may have been decided since the backup. */
export async function expireRestored(deps: Deps): Promise<void> {
  for (;;) {
    const rows = await openProposals(deps.db, { limit: AT_ONCE });
    for (const row of rows) await expire(deps, { row, actor: "cli" });
    if (rows.length < AT_ONCE) return;
  }
}

async function expire(
  deps: Deps,
  { row: { id }, actor }: { row: ProposalRow; actor: Actor },
): Promise<void> {
  await deps.db.write({
    reads: [read(Proposals, [id])],
    decide: (view) => {
      const row = view.raw.find(Proposals, [id]);
      if (row?.open === 1) decide(view, { row, to: "expired", actor, person: null });
    },
  });
}
