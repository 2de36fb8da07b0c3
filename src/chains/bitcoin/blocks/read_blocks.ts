import { present } from "../../../base/assert.ts";
import { zip } from "../../../base/lists.ts";
import type { HeightRange, ReadBlock, Spend, Watch } from "../../chain.ts";
import { NodeError } from "../../faults.ts";
import { outpointOf } from "../../../domain/outpoint.ts";
import type { MadeOutput, OutputBook, SpentOutput } from "../../outputs.ts";
import { type BitcoinBlock, readBlock } from "../bytes/block.ts";
import type { BitcoinTransaction } from "../bytes/transaction.ts";
import type { BitcoinNode } from "../node/node.ts";
import { type BitcoinNetwork, COINBASE_BLOCKS, MWEB_BLOCKS } from "../params.ts";
import { inputsOf, paymentsOf, transferOf } from "../payments.ts";

interface Reading {
  readonly range: HeightRange;
  readonly watch: Watch;
  readonly network: BitcoinNetwork;
  /** The network's code. */
  readonly code: string;
  readonly book: OutputBook;
}

/** Each from its own bytes, one after the other: they are large. */
export async function readBlocks(node: BitcoinNode, reading: Reading): Promise<ReadBlock[]> {
  const { range: { from, to }, network: { hasMweb } } = reading;
  const heights = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const hashes = await node.blockHashes(heights);
  const made = new Map<string, MadeOutput>();
  const blocks: ReadBlock[] = [];
  for (const [height, hash] of zip(heights, hashes)) {
    const bytes = hash === undefined ? undefined : await node.rawBlock({ height, hash });
    if (!hash || !bytes) throw new NodeError(`${node.host} has no block ${height}`);
    const block = await readBlock(bytes, { hash, hasMweb });
    const last = blocks.at(-1)?.ref.hash;
    if (last !== undefined && block.parentHash !== last) {
      throw new NodeError(`${node.host} changed its chain at block ${height}`);
    }
    blocks.push(await looked(block, { ...reading, height, made }));
  }
  return blocks;
}

interface Looking extends Reading {
  readonly height: number;
  /** By outpoint: what the blocks of this round pay us. Those recorded are in the book. */
  readonly made: Map<string, MadeOutput>;
}

/** What of it is ours: what it pays our addresses, and what it takes from them. */
async function looked(
  { hash, parentHash, atMs, transactions }: BitcoinBlock,
  looking: Looking,
): Promise<ReadBlock> {
  const { height, watch, network, made } = looking;
  const payments = await paymentsOf(transactions, network);
  const owned = await watch.owned([...new Set(payments.map(({ address }) => address))]);
  const outputs = payments.filter(({ address }) => owned.has(address)).map((one): MadeOutput => ({
    txHash: one.tx.txid,
    position: one.position,
    address: one.address,
    amountRaw: one.amountRaw,
    maturesAt: maturityOf(one.tx, height),
  }));
  for (const output of outputs) made.set(outpointOf(output), output);
  const { own, watched } = await spentBy(transactions, looking);
  const spends = transactions.flatMap((tx) => spendOf(tx, own.get(tx) ?? []));
  const senders = new Map(spends.map((spend) => [spend.txHash, spend.from]));
  const payers = new Map(payments.map(({ tx }) => [tx.txid, tx]));
  return {
    ref: { height, hash, parentHash },
    atMs,
    transfers: outputs.map((output) =>
      transferOf(output, {
        sender: senders.get(output.txHash) ?? "",
        inputs: inputsOf([present(payers.get(output.txHash), "It pays us")]),
      })
    ),
    spends,
    outputs,
    spent: watched,
    paidRaw: null,
  };
}

/** The block's miner can lose its coins to another one, so nobody may pay with them soon. */
function maturityOf({ isCoinbase, isHogEx }: BitcoinTransaction, height: number): number | null {
  if (isCoinbase) return height + COINBASE_BLOCKS;
  return isHogEx ? height + MWEB_BLOCKS : null;
}

const LOOKED_UP_MAX = 2_000;

interface Spent {
  /** By transaction, what it spends of ours. */
  readonly own: ReadonlyMap<BitcoinTransaction, readonly MadeOutput[]>;
  readonly watched: readonly SpentOutput[];
}

async function spentBy(
  transactions: readonly BitcoinTransaction[],
  { book, code, made, watch }: Looking,
): Promise<Spent> {
  const inputs = transactions.flatMap((tx) =>
    tx.inputs.map(({ txid, vout }) => ({
      tx,
      outpoint: outpointOf({ txHash: txid, position: vout }),
    }))
  );
  const known = new Map(made);
  const watched: SpentOutput[] = [];
  for (let from = 0; from < inputs.length; from += LOOKED_UP_MAX) {
    const portion = inputs.slice(from, from + LOOKED_UP_MAX);
    const outpoints = portion.map(({ outpoint }) => outpoint);
    const [ours, awaited] = await Promise.all([
      book.at({ network: code, outpoints }),
      watch.watched?.(outpoints),
    ]);
    for (const output of ours) known.set(outpointOf(output), output);
    for (const { tx, outpoint } of portion) {
      if (awaited?.has(outpoint)) watched.push({ outpoint, spender: tx.txid });
    }
  }
  const own = new Map<BitcoinTransaction, MadeOutput[]>();
  for (const { tx, outpoint } of inputs) {
    const output = known.get(outpoint);
    if (output) own.getOrInsertComputed(tx, () => []).push(output);
  }
  return { own, watched };
}

/** What it cost is ours to say only if all that it spends was ours. */
function spendOf(tx: BitcoinTransaction, spent: readonly MadeOutput[]): Spend[] {
  const [one] = spent;
  if (!one) return [];
  const isWhollyOurs = spent.length === tx.inputs.length;
  const paidRaw = tx.outputs.reduce((sum, { valueRaw }) => sum + valueRaw, 0n);
  const takenRaw = spent.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
  return [{
    txHash: tx.txid,
    from: one.address,
    nonce: 0,
    succeeded: true,
    isWhole: true,
    uses: spent.map((output) => ({ claim: outpointOf(output), isOnce: true })),
    feeRaw: isWhollyOurs ? takenRaw - paidRaw : 0n,
    tokenMoves: [],
  }];
}
