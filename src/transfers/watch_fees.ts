import { alertRead, closeAlert } from "../books/alerts.ts";
import { cursorOf } from "../books/find.ts";
import type { Deps } from "../deps/deps.ts";
import { NetworkCursors } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";
import { feeTooHighOf, isAffordable } from "./preflight.ts";

/** Closes the alert about a too-high fee once the largest refused payment is affordable again. */
export async function watchFees(deps: Deps, network: NetworkRow): Promise<number> {
  const { refusedGas } = await cursorOf(deps, network);
  if (refusedGas === null) return 0;
  const chain = deps.chains.of(network);
  if (!await isAffordable(deps, { network, chain, gas: BigInt(refusedGas) })) return 0;
  const alert = feeTooHighOf(network);
  await deps.db.write({
    reads: [read(NetworkCursors, [network.code]), alertRead(alert.kind, alert.subject)],
    decide: (view) => {
      const row = view.get(NetworkCursors, [network.code]);
      // Something larger was refused meanwhile.
      if (row.refusedGas !== refusedGas) return;
      view.update(NetworkCursors, row, { refusedGas: null });
      closeAlert(view, { ...alert, nowMs: deps.clock.nowMs() });
    },
  });
  deps.log.info("fees have fallen", { network: network.code });
  return 1;
}
