import { present } from "../base/assert.ts";
import { anchoredAbove, rememberedBlocks } from "../store/follow_reads.ts";
import type { SignedTransferRow } from "../store/rows.ts";
import { NetworkBlocks, NetworkCursors, SignedTransfers, Transactions } from "../store/tables.ts";
import { read, readAll } from "../store/workspace.ts";
import { raiseAlert } from "./_alerts.ts";
import type { Deps } from "./deps.ts";
import { CursorMoved } from "./_record_movements.ts";

export interface RewindOrder {
  readonly network: string;
  /** The highest block that the chain still has. */
  readonly toHeight: number;
  readonly fromHeight: number;
  /** How high the branch is that won. */
  readonly tipHeight: number;
}

/** Forgets the blocks of a branch that lost. What stood in them is in no block until it is seen again. */
export async function rewindNetwork(deps: Deps, order: RewindOrder): Promise<void> {
  const { network, toHeight, fromHeight, tipHeight } = order;
  const anchored = await anchoredAbove(deps.db, { network, height: toHeight });
  const blocks = (await rememberedBlocks(deps.db, network)).filter(({ height }) =>
    height > toHeight
  );
  await deps.db.write({
    reads: [
      read(NetworkCursors, [network]),
      ...readAll(NetworkBlocks, blocks.map(({ height }) => [network, height])),
      ...readAll(Transactions, anchored.transactions.map(({ id }) => [id])),
      ...readAll(SignedTransfers, anchored.transfers.map(({ id }) => [id])),
    ],
    decide: (view) => {
      const cursor = present(view.find(NetworkCursors, [network]), "A network has a cursor");
      if (cursor.scanHeight !== fromHeight) throw new CursorMoved();
      view.update(NetworkCursors, cursor, {
        scanHeight: toHeight,
        // Blocks that stay do not count down, and none is told deeper than its branch is high.
        topHeight: Math.min(cursor.topHeight, Math.max(tipHeight, toHeight)),
        updatedAtMs: deps.clock.nowMs(),
      });
      for (const { height } of blocks) {
        const row = view.find(NetworkBlocks, [network, height]);
        if (row) view.remove(NetworkBlocks, row);
      }
      for (const { id } of anchored.transactions) {
        view.update(Transactions, view.find(Transactions, [id])!, { blockHash: null });
      }
      for (const { id } of anchored.transfers) {
        const transfer = view.find(SignedTransfers, [id])!;
        const unmined = { blockHash: null, isSuccessful: null, feeRaw: null };
        view.update(SignedTransfers, transfer, { ...unmined, ...stateAfterRewind(transfer) });
      }
    },
  });
  const depth = fromHeight - toHeight;
  deps.log.warn("chain reorganised", { network, depth, height: toHeight });
}

/**
 * What was settled for good was not. A payment is watched and sent again; a transfer that had reverted
 * is not, for its withdrawal was given back: its nonce is free for the next one, which burns it.
 */
function stateAfterRewind({ state, isSuccessful }: SignedTransferRow): Partial<SignedTransferRow> {
  if (state !== "settled") return {};
  return isSuccessful ? { state: "open" } : { state: "abandoned", liveNonce: null };
}

/** Nothing more is read or confirmed on this network until an operator has looked. */
export async function haltNetwork(
  deps: Deps,
  { network, reason }: { network: string; reason: string },
): Promise<void> {
  await deps.db.write({
    reads: [read(NetworkCursors, [network])],
    decide: (view) => {
      const cursor = present(view.find(NetworkCursors, [network]), "A network has a cursor");
      if (cursor.haltedReason === null) {
        view.update(NetworkCursors, cursor, { haltedReason: reason });
      }
    },
  });
  await raiseAlert(deps, { kind: "network_halted", subject: network, message: reason });
}
