import { CREDITED_STATUSES } from "../deposits/rules/transaction_moves.ts";
import { anchoredAbove, rememberedBlocks } from "./reads.ts";
import { NetworkBlocks, NetworkCursors } from "./table.ts";
import { read, readAll, type View } from "../store/engine/workspace.ts";
import { alertRead, insertAlert, logAlert, type NewAlert, raiseAlert } from "../books/alerts.ts";
import type { Deps } from "../deps/deps.ts";
import { CursorMoved } from "./record_movements.ts";
import { planUnanchoring, unanchor, type Unanchoring } from "./_unanchor.ts";

interface RewindOrder {
  readonly network: string;
  /** The highest block that the chain still has. */
  readonly toHeight: number;
  readonly fromHeight: number;
  /** The height of the winning branch. */
  readonly tipHeight: number;
}

/** Forgets the blocks of a lost branch. What was in them is in no block until it is seen again. */
export async function rewindNetwork(deps: Deps, order: RewindOrder): Promise<void> {
  const { network, toHeight, fromHeight } = order;
  const anchored = await planUnanchoring(
    deps,
    await anchoredAbove(deps.db, { network, height: toHeight }),
  );
  const remembered = await rememberedBlocks(deps.db, network);
  const blocks = remembered.filter(({ height }) => height > toHeight);
  let orphans: NewAlert[] = [];
  await deps.db.write({
    reads: [
      read(NetworkCursors, [network]),
      ...readAll(NetworkBlocks, blocks.map(({ height }) => [network, height])),
      ...anchored.reads,
      ...anchored.transactions.map(({ id }) => alertRead("deposit_orphaned", `transaction:${id}`)),
    ],
    decide: (view) => {
      const nowMs = deps.clock.nowMs();
      moveCursorBack(view, { ...order, nowMs });
      for (const { height } of blocks) {
        const row = view.find(NetworkBlocks, [network, height]);
        if (row) view.remove(NetworkBlocks, row);
      }
      unanchor(view, anchored, nowMs);
      orphans = orphanedCredits(view, { anchored, nowMs });
    },
  });
  for (const alert of orphans) logAlert(deps, alert);
  const depth = fromHeight - toHeight;
  deps.log.warn("chain reorganised", { network, depth, height: toHeight });
}

function moveCursorBack(
  view: View,
  { network, toHeight, fromHeight, tipHeight, nowMs }: RewindOrder & { nowMs: number },
): void {
  const cursor = view.get(NetworkCursors, [network]);
  if (cursor.scanHeight !== fromHeight) throw new CursorMoved();
  view.update(NetworkCursors, cursor, {
    scanHeight: toHeight,
    // Confirmations of remaining blocks don't decrease, and never exceed the branch's height.
    topHeight: Math.min(cursor.topHeight, Math.max(tipHeight, toHeight)),
    updatedAtMs: nowMs,
  });
}

/** Credits whose money is in no block now. Alerted at once, because it may be paid out meanwhile. */
function orphanedCredits(
  view: View,
  { anchored, nowMs }: { anchored: Unanchoring; nowMs: number },
): NewAlert[] {
  const credited = anchored.transactions.filter((row) =>
    row.direction === "deposit" && CREDITED_STATUSES.includes(row.status)
  );
  const alerts = credited.map((row): NewAlert => ({
    kind: "deposit_orphaned",
    subject: `transaction:${row.id}`,
    message:
      `Deposit ${row.txHash} of ${row.amount} ${row.currency} on ${row.network} was credited to ` +
      `account ${row.accountId} and then left the chain: it is taken back if it does not return`,
  }));
  return alerts.filter((alert) => insertAlert(view, { ...alert, nowMs }));
}

/** Nothing more is read or confirmed on this network until an operator has looked. */
export async function haltNetwork(
  deps: Deps,
  { network, reason }: { network: string; reason: string },
): Promise<void> {
  await deps.db.write({
    reads: [read(NetworkCursors, [network])],
    decide: (view) => {
      const cursor = view.get(NetworkCursors, [network]);
      if (cursor.haltedReason === null) {
        view.update(NetworkCursors, cursor, { haltedReason: reason });
      }
    },
  });
  await raiseAlert(deps, { kind: "network_halted", subject: network, message: reason });
}
