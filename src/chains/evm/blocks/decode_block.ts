import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import type { BlockRef } from "../../chain.ts";
import { blockTime, NodeError } from "../../faults.ts";
import { nodeAddress } from "../address.ts";
import {
  hash32,
  hexBytes,
  isHash,
  type Json,
  list,
  quantity,
  record,
  safeNumber,
} from "../decode.ts";

/**
 * The root of an empty trie; some L2s write zero or nothing instead, and Hardhat's first block has
 * the hash of no bytes.
 */
const NO_TRANSACTIONS: readonly unknown[] = [
  "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
  "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
  `0x${"0".repeat(64)}`,
  null,
  undefined,
];

export interface EvmBlock {
  readonly ref: BlockRef;
  readonly atMs: number;
  readonly bloom: string;
  readonly txs: readonly EvmTx[];
  /** No transaction in the block can have paid less. */
  readonly baseFeeRaw: bigint;
}

export interface EvmTx {
  readonly hash: string;
  readonly from: string;
  /** Null if the transaction creates a contract. */
  readonly to: string | null;
  readonly nonce: number;
  readonly valueRaw: bigint;
  /** Price per unit of gas. Zero for transactions the chain itself adds. */
  readonly priceRaw: bigint;
}

/** Fails if any part belongs to another block. */
export async function decodeBlock(value: unknown, height: number): Promise<EvmBlock> {
  const ref = decodeRef(value, height);
  const block = record(value, "a block");
  const bloom = hexBytes(block.logsBloom, "logsBloom");
  if (bloom.length !== 514) throw new NodeError(`Block ${height} has no bloom of 256 bytes`);
  const baseFeeRaw = priceOf(block.baseFeePerGas);
  const listed = list(block.transactions, "transactions");
  const txs = await mapInPortions(listed, (tx) => decodeTx(tx, ref));
  if (txs.length === 0 && !NO_TRANSACTIONS.includes(block.transactionsRoot)) {
    throw new NodeError(`Block ${height} has a root of transactions, and none of them`);
  }
  return { ref, atMs: timeOf(block), bloom, txs, baseFeeRaw };
}

export function timeOf({ timestamp }: Json): number {
  return blockTime(1000 * safeNumber(timestamp, "a block's timestamp"));
}

/** Null is an error here: callers that read ahead of the chain check for it first. */
export function decodeRef(value: unknown, height: number): BlockRef {
  if (value === null) throw new NodeError(`The node does not have block ${height}`);
  const block = record(value, "a block");
  const ref = {
    height: safeNumber(block.number, "a block's number"),
    hash: hash32(block.hash, "a block's hash"),
    parentHash: hash32(block.parentHash, "a block's parentHash"),
  };
  if (ref.height !== height) {
    throw new NodeError(`The node answered block ${ref.height} for block ${height}`);
  }
  return ref;
}

function decodeTx(value: unknown, block: BlockRef): EvmTx {
  const tx = record(value, "a transaction");
  const hash = hash32(tx.hash, "a transaction's hash");
  if (
    !isHash(tx.blockHash, { hash: block.hash, what: "a transaction's blockHash" }) ||
    safeNumber(tx.blockNumber, "a transaction's blockNumber") !== block.height
  ) throw new NodeError(`Transaction ${hash} in block ${block.hash} names another block`);
  return {
    hash,
    from: nodeAddress(tx.from, "a transaction's sender"),
    to: tx.to === null || tx.to === undefined ? null : nodeAddress(tx.to, "a recipient"),
    nonce: safeNumber(tx.nonce, "a nonce"),
    valueRaw: quantity(tx.value, "a value"),
    priceRaw: priceOf(tx.gasPrice),
  };
}

/** An unreadable price must not hold up a block, so it counts as zero. */
function priceOf(value: unknown): bigint {
  return typeof value === "string" && /^0x[0-9a-f]{1,32}$/i.test(value) ? BigInt(value) : 0n;
}
