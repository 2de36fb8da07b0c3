import { present } from "../base/assert.ts";
import { first, last, zip } from "../base/lists.ts";
import { booksAt, rawOf, UNSEEN_POSITION } from "../books/address_books.ts";
import { closeAlert } from "../books/alerts.ts";
import { finalHeight, isFinal } from "../books/depth.ts";
import { cursorOf } from "../books/find.ts";
import { depositReads, takeBack, takeBackReads } from "../books/move_transaction.ts";
import { eachGenuine } from "../books/tampered.ts";
import type { BlockAt } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import type { Outcome } from "../chains/transfer.ts";
import { type TransactionRow, Transactions } from "./tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { coveredBy, NOTHING_BOOKED } from "../domain/money/address_books.ts";
import { orphanedDeposits } from "../following/reads.ts";
import { NetworkBlocks, type NetworkCursorRow, NetworkCursors } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read, type View } from "../store/engine/workspace.ts";

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
  // One that still waits in a mempool is a new deposit.
  if (vanished.length > 0) deps.memory.pendingNoted.delete(network.code);
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

interface Orphan {
  readonly network: NetworkRow;
  readonly row: TransactionRow;
  readonly cursor: NetworkCursorRow;
}

interface Verdict {
  /** The block that makes it certain. */
  readonly height: number;
  /** No block needs to show it, so its coins decide. */
  readonly byCoins: boolean;
}

/** Undefined: it may still come back, or no node could tell. */
async function verdictOn(
  deps: Deps,
  { network, row, cursor }: Orphan,
): Promise<Verdict | undefined> {
  const { minConfirmations } = network;
  if (row.status !== "detected") {
    const byCoins = isUnseen(row);
    const height = row.blockNumber + minConfirmations - 1;
    const isDecided = byCoins
      ? isFinal(row.blockNumber, { cursor, network })
      : cursor.scanHeight >= height;
    return isDecided ? { height, byCoins } : undefined;
  }
  // What becomes of it, blocks say that are read by us.
  if (deps.chains.of(network).pending) return undefined;
  const outcome = await outcomeOf(deps, { network, row, cursor });
  if (outcome === undefined || outcome.kind === "unseen") return undefined;
  const { kind, height } = outcome;
  if (kind === "replaced") return { height, byCoins: false };
  if (kind === "expired") {
    const ours = await deps.db.find(NetworkBlocks, [network.code, height]);
    return ours?.hash === outcome.blockHash ? { height, byCoins: false } : undefined;
  }
  // It was mined again, but the block as we read it doesn't move the money.
  return isFinal(height, { cursor, network }) ? { height, byCoins: isUnseen(row) } : undefined;
}

/** A node that can't answer about one deposit must not delay the others. */
async function outcomeOf(
  deps: Deps,
  { network, row, cursor: { finalizedHeight: finalHeight } }: Orphan,
): Promise<Outcome | undefined> {
  try {
    return await deps.chains.of(network).outcome(
      { txHash: row.txHash, sender: row.sender, nonce: row.senderNonce },
      { depth: network.minConfirmations, finalHeight },
    );
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const fields = { network: network.code, tx_hash: row.txHash, error: error.message };
    deps.log.debug("it is not known whether a deposit is still there", fields);
    return undefined;
  }
}

interface KeptCredits {
  readonly block: BlockAt;
  readonly ids: ReadonlySet<number>;
}

/** Its block can be read without finding it: manual credits are in no block, and traces are pruned. */
function isUnseen({ position }: TransactionRow): boolean {
  return position <= UNSEEN_POSITION;
}

/**
 * Which of these deposits still have their coins, although their block was read again without them.
 * Undefined if no node knows.
 */
async function keptCredits(
  deps: Deps,
  { network, rows }: { network: NetworkRow; rows: readonly TransactionRow[] },
): Promise<KeptCredits | undefined> {
  const ids = [...new Set(rows.map((row) => present(row.addressId, "Deposits have one")))];
  const height = finalHeight({ cursor: await cursorOf(deps, network), network });
  const pick = { ids };
  const { block, addresses } = await booksAt(deps, { network: network.code, pick, height });
  if (block === undefined) return undefined;
  const catalog = await deps.catalog.current();
  const groups = [...Map.groupBy(rows, (row) => `${row.addressId}/${row.currency}`).values()];
  const asked = groups.map((group) => {
    const { addressId, currency: symbol } = first(group);
    const book = present(addresses.find(({ id }) => id === addressId), "Addresses stay");
    const currency = present(catalog.currency(network.code, symbol), "Currencies stay");
    const { seenRaw } = book.books.get(currency.contractAddress) ?? NOTHING_BOOKED;
    return { group, currency, seenRaw, address: book.address, contract: currency.contractAddress };
  });
  try {
    const found = await deps.chains.of(network).balancesAt(block, asked);
    const kept = zip(asked, found).flatMap(([{ group, currency, seenRaw }, foundRaw]) =>
      coveredBy(foundRaw - seenRaw, { items: group, rawOf: (row) => rawOf(row.amount, currency) })
    );
    return { block, ids: new Set(kept.map(({ id }) => id)) };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return undefined;
  }
}
