import { type SweepRow, Sweeps } from "./table.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import { read, readAll } from "../store/engine/workspace.ts";
import { alertRead } from "../books/alerts.ts";
import { moveSweep, type SweepReason } from "../books/move_sweep.ts";
import type { Deps } from "../deps/deps.ts";

/** Keeps the sweep waiting, with a reason, until its next try. */
export async function postpone(
  deps: Deps,
  { sweep, forMs, code, reason }: SweepReason & { sweep: SweepRow; forMs: number },
): Promise<void> {
  await deps.db.write({
    reads: [read(Sweeps, [sweep.id])],
    decide: (view) => {
      // It waits even if somebody else changed it, or it would be tried in every round.
      const row = view.raw.get(Sweeps, [sweep.id]);
      if (row.state !== "waiting") return;
      view.update(Sweeps, row, { code, reason, nextTryAtMs: deps.clock.nowMs() + forMs });
    },
  });
}

/**
 * Another try would fail too, so an operator has to look. Not if somebody has signed for it
 * meanwhile.
 */
export async function parkSweep(
  deps: Deps,
  { sweep, deposits }: { sweep: SweepRow; deposits: readonly TransactionRow[] },
  why: SweepReason,
): Promise<void> {
  const { id, network } = sweep;
  const fields = { sweep_id: id, network, reason: why.reason };
  const parked = await deps.db.write({
    reads: [
      read(Sweeps, [id]),
      alertRead("sweep_parked", `sweep:${id}`),
      ...readAll(Transactions, deposits.map(({ id }) => [id])),
    ],
    decide: (view) => {
      if (view.get(Sweeps, [id]).state !== "waiting") return undefined;
      const current = deposits.map((row) => view.get(Transactions, [row.id]));
      const nowMs = deps.clock.nowMs();
      return moveSweep(view, { id, trigger: "parked", deposits: current, why, nowMs });
    },
  });
  if (parked) deps.log.error("sweep parked", fields);
}

/** Nothing is left to sweep, at least for now. */
export async function endSweep(
  deps: Deps,
  { sweep: { id }, deposits }: { sweep: SweepRow; deposits: readonly TransactionRow[] },
): Promise<void> {
  await deps.db.write({
    reads: [read(Sweeps, [id]), ...readAll(Transactions, deposits.map((row) => [row.id]))],
    decide: (view) => {
      const current = deposits.map((row) => view.get(Transactions, [row.id]));
      moveSweep(view, { id, trigger: "emptied", deposits: current, nowMs: deps.clock.nowMs() });
    },
  });
}
