import { mapInPortions, SMALL_ITEMS } from "../../../base/waiting/in_portions.ts";
import { blockTime } from "../../faults.ts";
import { isSame, merkleRoot, sha256Twice } from "./hashes.ts";
import { hashText, malformed, Reader } from "./reader.ts";
import {
  type BitcoinTransaction,
  type Form,
  readNext,
  type ReadTransaction,
  withoutProof,
} from "./transaction.ts";

interface BlockHeader {
  readonly hash: string;
  readonly parentHash: string;
  readonly merkleRoot: Uint8Array;
  readonly atMs: number;
}

export interface BitcoinBlock {
  readonly hash: string;
  readonly parentHash: string;
  /** By its miner's clock. */
  readonly atMs: number;
  /** In the block's order, the coinbase first. */
  readonly transactions: readonly BitcoinTransaction[];
}

const HEADER_BYTES = 80;
const TRANSACTION_BYTES_MIN = 60;
/** An output of the coinbase that begins so commits to the signatures (BIP-141). */
const COMMITMENT = "6a24aa21a9ed";
const COMMITMENT_CHARS = COMMITMENT.length + 64;
/** A witness of version 8, of the hash of the extension block. */
const EXTENSION_KEPT = "5820";
const NO_WTXID = new Uint8Array(32);

export function readHeader(bytes: Uint8Array): BlockHeader {
  if (bytes.length !== HEADER_BYTES) throw malformed(`a header of ${bytes.length} bytes`);
  const reader = new Reader(bytes);
  reader.uint32();
  const parentHash = reader.hash();
  const merkleRoot = reader.take(32);
  const atMs = blockTime(reader.uint32() * 1000);
  return { hash: hashText(sha256Twice([bytes])), parentHash, merkleRoot, atMs };
}

/**
 * A whole block, checked against its own header: what it says can't differ from what its hash
 * commits to. Throws a NodeError otherwise.
 */
export async function readBlock(
  bytes: Uint8Array,
  { hash, hasMweb }: { hash: string; hasMweb: boolean },
): Promise<BitcoinBlock> {
  const header = readHeader(bytes.subarray(0, HEADER_BYTES));
  if (header.hash !== hash) throw malformed(`block ${header.hash} instead of ${hash}`);
  const reader = new Reader(bytes);
  reader.take(HEADER_BYTES);
  const transactions = await readTransactions(reader, { hasMweb, isInBlock: true });
  checkEnd(reader, transactions);
  const root = await merkleRoot(transactions.map(({ txidBytes }) => txidBytes));
  if (!root || !isSame(root, header.merkleRoot)) throw malformed(`other transactions of ${hash}`);
  await checkWitness(transactions, hash);
  return {
    hash,
    parentHash: header.parentHash,
    atMs: header.atMs,
    transactions: transactions.map((one, i) => ({
      ...withoutProof(one),
      isHogEx: one.isHogEx || hasMweb && i === transactions.length - 1 && keepsExtension(one),
    })),
  };
}

async function readTransactions(reader: Reader, form: Form): Promise<ReadTransaction[]> {
  const count = reader.count(TRANSACTION_BYTES_MIN);
  return await mapInPortions(Array.from({ length: count }), (_, i) => {
    const read = readNext(reader, form);
    // With it, inner hashes of the tree can't be passed off as transactions.
    if (read.isCoinbase !== (i === 0)) throw malformed("a coinbase that isn't a block's first");
    if (read.isHogEx && (i === 0 || i < count - 1)) throw malformed("an early extension block");
    return read;
  }, SMALL_ITEMS);
}

/** What follows is the extension block, if there is one, and to read it takes keys that we lack. */
function checkEnd(reader: Reader, transactions: readonly ReadTransaction[]): void {
  const hasExtension = transactions.at(-1)?.isHogEx === true;
  const isRight = hasExtension ? reader.left > 0 && reader.byte() === 1 : reader.left === 0;
  if (!isRight) throw malformed(`${reader.left} bytes after a block's transactions`);
}

/** Nodes that are told so (`rpcserialversion=1`) leave out the flag, and the extension block. */
function keepsExtension({ outputs: [kept], isCoinbase }: BitcoinTransaction): boolean {
  return !isCoinbase && kept?.script.length === 68 && kept.script.startsWith(EXTENSION_KEPT);
}

async function checkWitness(
  transactions: readonly ReadTransaction[],
  hash: string,
): Promise<void> {
  const [coinbase, ...others] = transactions;
  if (!coinbase) throw malformed(`block ${hash} without transactions`);
  const said = coinbase.outputs.findLast(({ script }) =>
    script.startsWith(COMMITMENT) && script.length >= COMMITMENT_CHARS
  );
  if (!said) {
    const areBare = transactions.every(({ witness }) => witness === undefined);
    if (!areBare) throw malformed(`signatures that block ${hash} doesn't commit to`);
    return;
  }
  const [reserved, ...more] = coinbase.witness ?? [];
  if (reserved?.length !== 32 || more.length > 0) {
    throw malformed(`a commitment of block ${hash} that can't be checked`);
  }
  const root = await merkleRoot([NO_WTXID, ...others.map(({ wtxidBytes }) => wtxidBytes)]);
  const commitment = root && sha256Twice([root, reserved]).toHex();
  if (commitment !== said.script.slice(COMMITMENT.length, COMMITMENT_CHARS)) {
    throw malformed(`other signatures of block ${hash}`);
  }
}
