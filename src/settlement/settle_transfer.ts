import { isFinal } from "../books/depth.ts";
import type { Deps } from "../deps/deps.ts";
import { NetworkBlocks, type NetworkCursorRow, NetworkCursors } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { areRecorded, loadOwners } from "./_owners.ts";
import { settleOwners } from "./_settle_owners.ts";
import { read, readAll, type View } from "../store/engine/workspace.ts";
import { lifetimeOf } from "../transfers/next_nonce.ts";
import { bidsFor } from "../transfers/reads/transfers.ts";
import { type SignedTransferRow, SignedTransfers } from "../transfers/table.ts";

interface Settlement {
  readonly network: NetworkRow;
  readonly row: SignedTransferRow;
}

export function isDeep(
  row: SignedTransferRow,
  { cursor, network }: { cursor: NetworkCursorRow; network: NetworkRow },
): boolean {
  return row.blockHash !== null && isFinal(row.blockNumber, { cursor, network });
}

/**
 * These bytes were mined for good, so other bids for their nonce never will be. All consequences
 * for their owners follow in one unit.
 */
export async function settleTransfer(deps: Deps, { network, row }: Settlement): Promise<void> {
  // Without nonces no transfer replaces another.
  const bids = lifetimeOf(network) === null ? await bidsFor(deps.db, row) : [row];
  const owners = await loadOwners(deps, { network, bids });
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [
      read(NetworkCursors, [network.code]),
      read(NetworkBlocks, [network.code, row.blockNumber]),
      ...readAll(SignedTransfers, bids.map(({ id }) => [id])),
      ...owners.reads,
    ],
    decide: (view) => {
      const winner = view.get(SignedTransfers, [row.id]);
      if (!isMinedForGood(view, { network, winner }) || !areRecorded(view, owners)) return;
      const now = bids.map(({ id }) => view.get(SignedTransfers, [id]));
      const losers = now.filter(({ id, state }) => id !== row.id && state === "open");
      for (const loser of losers) {
        view.update(SignedTransfers, loser, { state: "superseded", liveNonce: null });
      }
      const settled = view.update(SignedTransfers, winner, {
        state: "settled",
        liveNonce: lifetimeOf(network) === null ? winner.nonce : winner.liveNonce,
      });
      settleOwners(view, { network, winner: settled, losers, owners, nowMs });
    },
  });
}

/** Checked again inside the unit: a rewind may have happened in between. */
function isMinedForGood(
  view: View,
  { network, winner }: { network: NetworkRow; winner: SignedTransferRow },
): boolean {
  const cursor = view.get(NetworkCursors, [network.code]);
  const block = view.find(NetworkBlocks, [network.code, winner.blockNumber]);
  if (block && block.hash !== winner.blockHash) return false;
  return winner.state === "open" && isDeep(winner, { cursor, network });
}
