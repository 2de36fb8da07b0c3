import { present } from "../base/assert.ts";
import { confirmableDeposits, orphanedDeposits } from "../store/follow_reads.ts";
import type { NetworkRow, TransactionRow } from "../store/rows.ts";
import { NetworkCursors, Transactions } from "../store/tables.ts";
import { read, type View } from "../store/workspace.ts";
import { alertRead, insertAlert } from "./_alerts.ts";
import { depositReads, moveDeposit } from "./_move_transaction.ts";
import type { Deps } from "./deps.ts";
import { cursorOf } from "./follow_network.ts";

const DEPOSITS_PER_STEP_MAX = 200;
const ORPHANS_PER_STEP_MAX = 50;

/** Credits every deposit that is deep enough in the blocks that were read and linked. */
export async function confirmDeposits(deps: Deps, network: NetworkRow): Promise<number> {
  const cursor = await cursorOf(deps, network);
  if (cursor.haltedReason !== null) return 0;
  const deposits = await confirmableDeposits(deps.db, {
    network: network.code,
    height: cursor.scanHeight - network.minConfirmations + 1,
    limit: DEPOSITS_PER_STEP_MAX,
  });
  const witnessed = await agreedUpon(deps, { network, deposits });
  const confirmed = await Promise.all(witnessed.map((row) =>
    deps.db.write({
      reads: [...depositReads(row), read(NetworkCursors, [network.code])],
      decide: (view) => confirm(view, { id: row.id, network, nowMs: deps.clock.nowMs() }),
    })
  ));
  return confirmed.filter((row) => row !== undefined).length;
}

/** A network may ask that several endpoints have the block: one of them may lie. */
async function agreedUpon(
  deps: Deps,
  { network, deposits }: { network: NetworkRow; deposits: readonly TransactionRow[] },
): Promise<readonly TransactionRow[]> {
  if (network.quorum === 1) return deposits;
  const chain = deps.chains.of(network);
  const blocks = new Map(deposits.map((row) => [row.blockNumber, row.blockHash!]));
  const agreed = new Set<number>();
  await Promise.all([...blocks].map(async ([height, hash]) => {
    if (await chain.witnesses({ height, hash }) >= network.quorum) agreed.add(height);
  }));
  return deposits.filter((row) => agreed.has(row.blockNumber));
}

/** Depth is judged again inside the transaction: a rewind may have come in between. */
function confirm(
  view: View,
  { id, network, nowMs }: { id: number; network: NetworkRow; nowMs: number },
): TransactionRow | undefined {
  const row = present(view.find(Transactions, [id]), "A transaction stays");
  const cursor = present(view.find(NetworkCursors, [network.code]), "A network has a cursor");
  const depth = cursor.scanHeight - row.blockNumber + 1;
  if (row.blockHash === null || depth < network.minConfirmations) return undefined;
  if (network.finality === "finalized" && row.blockNumber > (cursor.finalizedHeight ?? -1)) {
    return undefined;
  }
  return moveDeposit(view, {
    row,
    step: { trigger: "confirmed", topHeight: cursor.topHeight, nowMs },
  });
}

/**
 * A deposit that left the chain waits, for it may come back. Once its sender's nonce is used for good,
 * by another transaction or by its own without the payment, it cannot: it fails, and a credit that
 * was given is taken back.
 */
export async function failReplacedDeposits(deps: Deps, network: NetworkRow): Promise<number> {
  const orphans = await orphanedDeposits(deps.db, {
    network: network.code,
    limit: ORPHANS_PER_STEP_MAX,
  });
  if (orphans.length === 0) return 0;
  const chain = deps.chains.of(network);
  const outcomes = await Promise.all(orphans.map((row) =>
    chain.outcome(
      { txHash: row.txHash, sender: row.sender, nonce: row.senderNonce },
      { depth: network.minConfirmations },
    )
  ));
  const { scanHeight } = await cursorOf(deps, network);
  const replaced = orphans.flatMap((row, i) => {
    const outcome = outcomes[i]!;
    if (outcome.kind === "unseen") return [];
    // Mined again, and our own reading of that block did not see it move the money.
    const isDeep = outcome.height <= scanHeight - network.minConfirmations + 1;
    return outcome.kind === "replaced" || isDeep ? [{ row, height: outcome.height }] : [];
  });
  await Promise.all(replaced.map(({ row, height }) =>
    deps.db.write({
      reads: [
        ...depositReads(row),
        read(NetworkCursors, [network.code]),
        alertRead("deposit_reversed", `transaction:${row.id}`),
      ],
      decide: (view) => vanish(view, { id: row.id, network, height, nowMs: deps.clock.nowMs() }),
    })
  ));
  return replaced.length;
}

/** Our own reading must have passed the block that used the nonce: a node's word alone is not enough. */
function vanish(
  view: View,
  { id, network, height, nowMs }: {
    id: number;
    network: NetworkRow;
    height: number;
    nowMs: number;
  },
): void {
  const row = present(view.find(Transactions, [id]), "A transaction stays");
  const { topHeight, scanHeight } = present(
    view.find(NetworkCursors, [network.code]),
    "A network has a cursor",
  );
  if (row.blockHash !== null || scanHeight < height) return;
  const moved = moveDeposit(view, { row, step: { trigger: "vanished", topHeight, nowMs } });
  if (!moved || row.status === "detected") return;
  insertAlert(view, {
    kind: "deposit_reversed",
    subject: `transaction:${id}`,
    message:
      `Deposit ${row.txHash} of ${row.amount} ${row.currency} on ${row.network} was credited and ` +
      `then replaced on the chain: the credit was taken back from account ${row.accountId}`,
    nowMs,
  });
}
