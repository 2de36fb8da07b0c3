import { present } from "../base/assert.ts";
import { type BlockAt, NodeError, type Outcome } from "../chains/chain.ts";
import { NetworkBlocks, NetworkCursors } from "../store/chain_tables.ts";
import type { Db } from "../store/db.ts";
import { orphanedDeposits } from "../store/follow_reads.ts";
import type { NetworkRow, TransactionRow } from "../store/rows.ts";
import { Transactions } from "../store/tables.ts";
import { read, type View } from "../store/workspace.ts";
import { alertRead, closeAlert, insertAlert } from "./_alerts.ts";
import { isByHand, keptCredits } from "./_keep_credits.ts";
import { depositReads, moveDeposit } from "./_move_transaction.ts";
import type { Deps } from "./deps.ts";
import { cursorOf } from "./follow_network.ts";

const ORPHANS_PER_STEP_MAX = 50;

/** Where the last look ended: those that can never be decided must not hide the ones after them. */
const lookedAt = new WeakMap<Db, Map<string, number>>();

/**
 * A deposit that left the chain waits, for it may come back. Not credited yet, it fails once its
 * sender's nonce is used for good, by another transaction or by its own without the payment, or once it
 * expired. A credit
 * that was given is taken back as soon as the new branch is deep enough without it: mined again, it is
 * a new deposit. One by hand stands in no transaction: it stays while its coins are there.
 */
export async function failVanishedDeposits(deps: Deps, network: NetworkRow): Promise<number> {
  const orphans = await nextOrphans(deps.db, network.code);
  if (orphans.length === 0) return 0;
  const { scanHeight } = await cursorOf(deps, network);
  const heights = await Promise.all(
    orphans.map((row) => vanishedAt(deps, { network, row, scanHeight })),
  );
  const passed = orphans.flatMap((row, i) => {
    const height = heights[i];
    return height === undefined ? [] : [{ row, height }];
  });
  const rows = passed.map(({ row }) => row).filter(isByHand);
  const kept = rows.length === 0 ? undefined : await keptCredits(deps, { network, rows });
  const vanished = passed.filter(({ row }) => kept !== undefined || !isByHand(row))
    .map((one) => ({ ...one, keptAt: kept?.ids.has(one.row.id) ? kept.block : undefined }));
  await Promise.all(vanished.map(({ row, height, keptAt }) =>
    deps.db.write({
      reads: [
        ...depositReads(row),
        read(NetworkCursors, [network.code]),
        ...keptAt ? [read(NetworkBlocks, [network.code, keptAt.height])] : [],
        alertRead("deposit_reversed", `transaction:${row.id}`),
        alertRead("deposit_orphaned", `transaction:${row.id}`),
      ],
      decide: (view) =>
        vanish(view, { id: row.id, network, height, keptAt, nowMs: deps.clock.nowMs() }),
    })
  ));
  return vanished.length;
}

async function nextOrphans(db: Db, network: string): Promise<TransactionRow[]> {
  const marks = lookedAt.get(db) ?? new Map<string, number>();
  lookedAt.set(db, marks);
  const limit = ORPHANS_PER_STEP_MAX;
  const rows = await orphanedDeposits(db, { network, afterId: marks.get(network) ?? 0, limit });
  marks.set(network, rows.length < limit ? 0 : rows.at(-1)!.id);
  return rows;
}

interface Orphan {
  readonly network: NetworkRow;
  readonly row: TransactionRow;
  readonly scanHeight: number;
}

/** By which block it is certain. Undefined: it may still come back, or nobody could tell. */
async function vanishedAt(
  deps: Deps,
  { network, row, scanHeight }: Orphan,
): Promise<number | undefined> {
  const { minConfirmations } = network;
  if (row.status !== "detected") {
    const height = row.blockNumber + minConfirmations - 1;
    return scanHeight >= height ? height : undefined;
  }
  const outcome = await outcomeOf(deps, { network, row });
  if (outcome === undefined || outcome.kind === "unseen") return undefined;
  // Mined again, and our own reading of that block did not see it move the money.
  const isDeep = outcome.height <= scanHeight - minConfirmations + 1;
  if (outcome.kind === "expired") {
    const ours = await deps.db.find(NetworkBlocks, [network.code, outcome.height]);
    return ours?.hash === outcome.blockHash ? outcome.height : undefined;
  }
  return outcome.kind === "replaced" || isDeep ? outcome.height : undefined;
}

/** A node that cannot tell of one deposit must not keep the others waiting. */
async function outcomeOf(
  deps: Deps,
  { network, row }: { network: NetworkRow; row: TransactionRow },
): Promise<Outcome | undefined> {
  try {
    return await deps.chains.of(network).outcome(
      { txHash: row.txHash, sender: row.sender, nonce: row.senderNonce },
      { depth: network.minConfirmations },
    );
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const fields = { network: network.code, tx_hash: row.txHash, error: error.message };
    deps.log.debug("what became of a deposit is not known", fields);
    return undefined;
  }
}

/** Our own reading must have passed that block: a node's word alone is not enough. */
function vanish(
  view: View,
  { id, network, height, keptAt, nowMs }: {
    id: number;
    network: NetworkRow;
    height: number;
    /** Its coins are there, as of this block. */
    keptAt: BlockAt | undefined;
    nowMs: number;
  },
): void {
  const row = present(view.find(Transactions, [id]), "A transaction stays");
  const { topHeight, scanHeight } = present(
    view.find(NetworkCursors, [network.code]),
    "A network has a cursor",
  );
  if (row.blockHash !== null || scanHeight < height) return;
  if (keptAt) {
    if (view.find(NetworkBlocks, [network.code, keptAt.height])?.hash !== keptAt.hash) return;
    view.update(Transactions, row, { blockNumber: keptAt.height, blockHash: keptAt.hash });
    return closeAlert(view, { kind: "deposit_orphaned", subject: `transaction:${id}`, nowMs });
  }
  const moved = moveDeposit(view, { row, step: { trigger: "vanished", topHeight, nowMs } });
  closeAlert(view, { kind: "deposit_orphaned", subject: `transaction:${id}`, nowMs });
  if (!moved || row.status === "detected") return;
  insertAlert(view, {
    kind: "deposit_reversed",
    subject: `transaction:${id}`,
    message:
      `Deposit ${row.txHash} of ${row.amount} ${row.currency} on ${row.network} was credited and ` +
      `then left the chain: the credit was taken back from account ${row.accountId}`,
    nowMs,
  });
}
