import type { Deps } from "../deps/deps.ts";
import { dayOf } from "../domain/time.ts";
import { read } from "../store/engine/workspace.ts";
import { NodeCalls } from "./table.ts";

/** Adds what nodes have answered since the last time to their day. A crash loses that much. */
export async function noteCalls({ db, chains, clock }: Deps): Promise<void> {
  const taken = chains.calls.take();
  if (taken.length === 0) return;
  const dayMs = dayOf(clock.nowMs());
  try {
    await db.write({
      reads: taken.map(({ network, host }) => read(NodeCalls, [network, dayMs, host])),
      decide: (view) => {
        for (const { network, host, calls } of taken) {
          const row = view.find(NodeCalls, [network, dayMs, host]);
          if (row) view.update(NodeCalls, row, { calls: row.calls + calls });
          else view.insertKeyed(NodeCalls, { network, dayMs, host, calls });
        }
      },
    });
  } catch (error) {
    for (const one of taken) chains.calls.add(one);
    throw error;
  }
}
