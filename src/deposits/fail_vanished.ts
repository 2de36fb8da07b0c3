import { last } from "../base/lists.ts";
import type { BlockAt } from "../chains/chain.ts";
import { NetworkBlocks, NetworkCursors } from "../following/table.ts";
import { orphanedDeposits } from "../following/reads.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import { type TransactionRow, Transactions } from "./tables/transactions.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { closeAlert } from "../books/alerts.ts";
import { keptCredits } from "./_keep_credits.ts";
import { depositReads, takeBack, takeBackReads } from "../books/move_transaction.ts";
import { eachGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { cursorOf } from "../books/find.ts";
import { verdictOn } from "./_judge_orphan.ts";

const ORPHANS_PER_STEP_MAX = 50;

/**
 * A deposit that left the chain may come back, so it waits. Before its credit it fails once its
 * sender's nonce is used for good (by another transaction, or by its own without the payment) or
 * has expired. A credit is taken back as soon as the new branch is deep enough without it; mined
 * again, it is a new deposit. A deposit that blocks may not show stays while its coins are there.
 */
export async function failVanishedDeposits(deps: Deps, network: NetworkRow): Promise<number> {
  const orphans = await nextOrphans(deps, network.code);
  if (orphans.length === 0) return 0;
  const cursor = await cursorOf(deps, network);
  const verdicts = await Promise.all(
    orphans.map((row) => verdictOn(deps, { network, row, cursor })),
  );
  const passed = orphans.flatMap((row, i) => {
    const verdict = verdicts[i];
    return verdict === undefined ? [] : [{ row, ...verdict }];
  });
  const rows = passed.filter(({ byCoins }) => byCoins).map(({ row }) => row);
  const kept = rows.length === 0 ? undefined : await keptCredits(deps, { network, rows });
  const vanished = passed.filter(({ byCoins }) => kept !== undefined || !byCoins)
    .map((one) => ({ ...one, keptAt: kept?.ids.has(one.row.id) ? kept.block : undefined }));
  await eachGenuine(vanished, ({ row, height, keptAt }) =>
    deps.db.write({
      reads: [
        ...depositReads(row),
        read(NetworkCursors, [network.code]),
        ...keptAt ? [read(NetworkBlocks, [network.code, keptAt.height])] : [],
        ...takeBackReads(row),
      ],
      decide: (view) =>
        vanish(view, { id: row.id, network, height, keptAt, nowMs: deps.clock.nowMs() }),
    }));
  return vanished.length;
}

async function nextOrphans(
  { db, memory: { orphansSeenTo } }: Deps,
  network: string,
): Promise<TransactionRow[]> {
  const limit = ORPHANS_PER_STEP_MAX;
  const rows = await orphanedDeposits(db, {
    network,
    afterId: orphansSeenTo.get(network) ?? 0,
    limit,
  });
  orphansSeenTo.set(network, rows.length < limit ? 0 : last(rows).id);
  return rows;
}

/** We must have read past that block ourselves: a node's word alone is not enough. */
function vanish(
  view: View,
  { id, network, height, keptAt, nowMs }: {
    id: number;
    network: NetworkRow;
    height: number;
    /** The block at which its coins were still there. */
    keptAt: BlockAt | undefined;
    nowMs: number;
  },
): void {
  const row = view.get(Transactions, [id]);
  const { topHeight, scanHeight } = view.get(NetworkCursors, [network.code]);
  if (row.blockHash !== null || scanHeight < height) return;
  if (keptAt) {
    if (view.find(NetworkBlocks, [network.code, keptAt.height])?.hash !== keptAt.hash) return;
    view.update(Transactions, row, { blockNumber: keptAt.height, blockHash: keptAt.hash });
    return closeAlert(view, { kind: "deposit_orphaned", subject: `transaction:${id}`, nowMs });
  }
  takeBack(view, { row, why: "then left the chain", topHeight, nowMs });
}
