import { Block, Transaction } from "bitcoinjs-lib";
import type { Random } from "../../domain/random.ts";

const MARK = [0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed];
/** So that a seed makes the same bytes each time. */
export function bytesOf(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.below(256));
}

interface Made {
  readonly inputs?: number;
  readonly outputs?: number;
  /** Each signature's; none without. */
  readonly witnessBytes?: number;
  readonly script?: Uint8Array;
}

export function makeTransaction(random: Random, made: Made = {}): Transaction {
  const { inputs = 1, outputs = 2, witnessBytes = 0, script } = made;
  const transaction = new Transaction();
  transaction.version = 2;
  for (let i = 0; i < inputs; i++) {
    transaction.addInput(bytesOf(random, 32), random.below(10), 0xfffffffd);
    if (witnessBytes > 0) transaction.setWitness(i, [new Uint8Array(witnessBytes).fill(7)]);
  }
  for (let i = 0; i < outputs; i++) {
    const paid = script ?? Uint8Array.from([0, 20, ...bytesOf(random, 20)]);
    transaction.addOutput(paid, BigInt(random.below(1_000_000_000)));
  }
  return transaction;
}

/** A block of these, with a coinbase that commits to what an independent library makes of them. */
export function makeBlock(transactions: readonly Transaction[]): Block {
  const coinbase = new Transaction();
  coinbase.addInput(new Uint8Array(32), 0xffffffff, 0xffffffff, Uint8Array.from([2, 1, 2]));
  coinbase.addOutput(Uint8Array.from([0x51]), 5_000_000_000n);
  const block = new Block();
  block.version = 0x20000000;
  block.prevHash = new Uint8Array(32).fill(3);
  block.timestamp = 1_700_000_000;
  block.bits = 0x207fffff;
  block.transactions = [coinbase, ...transactions];
  if (transactions.some((one) => one.hasWitnesses())) {
    coinbase.setWitness(0, [new Uint8Array(32)]);
    const commitment = Block.calculateMerkleRoot(block.transactions, true);
    coinbase.addOutput(Uint8Array.from([...MARK, ...commitment]), 0n);
  }
  block.merkleRoot = Block.calculateMerkleRoot(block.transactions);
  return block;
}
