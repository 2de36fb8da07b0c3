import { present } from "../base/assert.ts";
import { NetworkCursors } from "../store/chain_tables.ts";
import type { NetworkRow } from "../store/rows.ts";
import { read } from "../store/workspace.ts";
import { alertRead, closeAlert } from "./_alerts.ts";
import { feeTooHighOf, isAffordable } from "./_preflight.ts";
import { cursorOf } from "./find.ts";
import type { Deps } from "./deps.ts";

/** Once the largest of what was refused because of its fee would be signed again, its alert is over. */
export async function watchFees(deps: Deps, network: NetworkRow): Promise<number> {
  const { refusedGas } = await cursorOf(deps, network);
  if (refusedGas === null) return 0;
  const chain = deps.chains.of(network);
  if (!await isAffordable(deps, { network, chain, gas: BigInt(refusedGas) })) return 0;
  const alert = feeTooHighOf(network);
  await deps.db.write({
    reads: [read(NetworkCursors, [network.code]), alertRead(alert.kind, alert.subject)],
    decide: (view) => {
      const row = present(view.find(NetworkCursors, [network.code]), "A network has a cursor");
      // Something larger was refused meanwhile.
      if (row.refusedGas !== refusedGas) return;
      view.update(NetworkCursors, row, { refusedGas: null });
      closeAlert(view, { ...alert, nowMs: deps.clock.nowMs() });
    },
  });
  deps.log.info("fees have fallen", { network: network.code });
  return 1;
}
