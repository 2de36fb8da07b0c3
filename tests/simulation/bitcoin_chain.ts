import { secp256k1 } from "@noble/curves/secp256k1";
import { ripemd160 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { Transaction } from "@scure/btc-signer";
import {
  hashOfHeader,
  outpoint,
  type Output,
  type Tx,
  writeBlock,
  writeCoinbase,
  writeHeader,
} from "./bitcoin_tx.ts";

export interface Block {
  readonly hash: string;
  readonly height: number;
  readonly parent: Block | undefined;
  readonly atMs: number;
  readonly header: Uint8Array;
  /** The coinbase first. */
  readonly txs: readonly Tx[];
  /** From the first block to this one. */
  readonly branch: readonly Block[];
}

interface Made extends Output {
  readonly txid: string;
  readonly vout: number;
  readonly isCoinbase: boolean;
}

interface Unspent extends Made {
  readonly height: number;
}

/** Why a transaction can't stand in a block after this one. */
type Unfit = "early" | "missing" | "premature" | "too much" | "unsigned";

/** What a miner knows of a transaction. */
export interface Candidate {
  readonly tx: Tx;
  readonly feeRaw: bigint;
}

const MATURE_BLOCKS = 100;
const SUBSIDY_RAW = 50n * 10n ** 8n;
/** Of a header, without nonce and the like, before which no block is. */
const NO_HEADER = new Uint8Array(80);
const P2WPKH = /^0014([0-9a-f]{40})$/;
const VSIZE_MAX = 900_000;

/** Blocks on all branches, and which of their outputs are spent where. */
export class BitcoinChain {
  head: Block;
  readonly #blocks = new Map<string, Block>();
  /** Of all transactions that anybody has seen, mined or not: what they make is in their bytes. */
  readonly #made = new Map<string, Made>();
  readonly #txs = new Map<string, Tx>();
  readonly #minedIn = new Map<string, Block[]>();
  readonly #spentIn = new Map<string, Block[]>();
  readonly #signed = new Map<string, boolean>();
  #salt = 0;

  constructor(genesis: { readonly hash: string; readonly atMs: number }) {
    const first = { ...genesis, height: 0, parent: undefined, header: NO_HEADER, txs: [] };
    const branch: Block[] = [];
    this.head = { ...first, branch };
    branch.push(this.head);
    this.#blocks.set(genesis.hash, this.head);
  }

  block(hash: string): Block | undefined {
    return this.#blocks.get(hash);
  }

  raw({ header, txs }: Block): string {
    return writeBlock(header, txs);
  }

  /** A block of these transactions, which are valid in this order. It is no head yet. */
  extend(
    parent: Block,
    { atMs, txs, outputs }: {
      readonly atMs: number;
      readonly txs: readonly Candidate[];
      /** What its miner makes; by default all that he may, for nobody. */
      readonly outputs?: readonly Output[];
    },
  ): Block {
    const height = parent.height + 1;
    const fees = txs.reduce((sum, { feeRaw }) => sum + feeRaw, 0n);
    const coinbase = writeCoinbase({
      height,
      salt: ++this.#salt,
      outputs: outputs ?? [{ valueRaw: SUBSIDY_RAW + fees, script: MINER }],
      wtxids: txs.map(({ tx }) => tx.wtxid),
    });
    const all = [coinbase, ...txs.map(({ tx }) => tx)];
    const header = writeHeader({
      parentHash: parent.hash,
      txids: all.map(({ txid }) => txid),
      atMs: Math.max(atMs, parent.atMs),
    });
    return this.adopt(parent, { header, txs: all, atMs: Math.max(atMs, parent.atMs) });
  }

  /** As somebody else has made it. */
  adopt(
    parent: Block,
    { header, txs, atMs }: Pick<Block, "header" | "txs" | "atMs">,
  ): Block {
    const branch = [...parent.branch];
    const hash = hashOfHeader(header);
    const at = { hash, height: parent.height + 1, parent, header, txs };
    const block: Block = { ...at, atMs: Math.floor(atMs / 1_000) * 1_000, branch };
    branch.push(block);
    this.#blocks.set(hash, block);
    for (const tx of txs) {
      this.learn(tx);
      this.#minedIn.getOrInsertComputed(tx.txid, () => []).push(block);
      for (const { outpoint } of tx.inputs) {
        this.#spentIn.getOrInsertComputed(outpoint, () => []).push(block);
      }
    }
    return block;
  }

  /** Answers the blocks that were left for it. */
  follow(head: Block): Block[] {
    const left = this.head.branch.slice(forkOf(this.head, head).height + 1);
    this.head = head;
    return left;
  }

  /** What it makes is known from now on. */
  learn(tx: Tx): void {
    const { txid, outputs, isCoinbase } = tx;
    this.#txs.set(txid, tx);
    for (const [vout, output] of outputs.entries()) {
      this.#made.set(outpoint(txid, vout), { ...output, txid, vout, isCoinbase });
    }
  }

  tx(txid: string): Tx | undefined {
    return this.#txs.get(txid);
  }

  /** On whatever branch. */
  wasMined(txid: string): boolean {
    return this.#minedIn.has(txid);
  }

  made(outpoint: string): Made | undefined {
    return this.#made.get(outpoint);
  }

  /** The block of the branch that ends here. */
  minedIn(txid: string, at: Block): Block | undefined {
    return this.#minedIn.get(txid)?.find((block) => isOn(block, at));
  }

  isSpent(outpoint: string, at: Block): boolean {
    return this.#spentIn.get(outpoint)?.some((block) => isOn(block, at)) === true;
  }

  unspent(outpoint: string, at: Block): Unspent | undefined {
    const made = this.#made.get(outpoint);
    const block = made && this.minedIn(made.txid, at);
    if (!block || this.isSpent(outpoint, at)) return undefined;
    return { ...made, height: block.height };
  }

  /** Of these scripts. */
  allUnspent(scripts: ReadonlySet<string>, at: Block): Unspent[] {
    return [...this.#made].flatMap(([outpoint, { script }]) =>
      scripts.has(script) ? this.unspent(outpoint, at) ?? [] : []
    );
  }

  /** Undefined as long as one of those that it comes from is unknown. */
  feeOf({ inputs, outputs }: Tx): bigint | undefined {
    let feeRaw = 0n;
    for (const { outpoint } of inputs) {
      const made = this.#made.get(outpoint);
      if (!made) return undefined;
      feeRaw += made.valueRaw;
    }
    for (const { valueRaw } of outputs) feeRaw -= valueRaw;
    return feeRaw;
  }

  /** In the next block, beside those of the same block that make what it spends. */
  unfit(tx: Tx, at: Block, beside: (txid: string) => boolean = () => false): Unfit | undefined {
    if (tx.notUpTo > at.height) return "early";
    for (const { outpoint, txid } of tx.inputs) {
      const unspent = this.unspent(outpoint, at);
      if (!unspent && !(beside(txid) && this.#made.has(outpoint))) return "missing";
      if (unspent?.isCoinbase && unspent.height + MATURE_BLOCKS > at.height + 1) return "premature";
    }
    if ((this.feeOf(tx) ?? -1n) < 0n) return "too much";
    return this.#isSigned(tx) ? undefined : "unsigned";
  }

  /**
   * What miners choose after this block: those first that pay most for their size, together with
   * those that they need. What doesn't fit with those before it is left.
   */
  choose(parent: Block, candidates: readonly Candidate[], rateMinRaw = 0n): Candidate[] {
    const left = new Map(candidates.map((one) => [one.tx.txid, one]));
    const chosen = new Map<string, Candidate>();
    const spent = new Set<string>();
    let vsize = 0;
    const packageOf = (one: Candidate): Candidate[] | undefined => {
      const needed = new Map<string, Candidate>();
      const add = (one: Candidate): boolean => {
        for (const { txid } of one.tx.inputs) {
          const parent = left.get(txid);
          if (parent && !needed.has(txid) && !add(parent)) return false;
        }
        needed.set(one.tx.txid, one);
        return needed.size <= FAMILY_MAX;
      };
      return add(one) ? [...needed.values()] : undefined;
    };
    const isFit = (some: readonly Candidate[]) => {
      const [own, ids] = [new Set(spent), new Set(some.map(({ tx }) => tx.txid))];
      return some.every(({ tx }) =>
        tx.inputs.every(({ outpoint }) => !own.has(outpoint) && own.add(outpoint)) &&
        !this.minedIn(tx.txid, parent) &&
        this.unfit(tx, parent, (txid) => ids.has(txid) || chosen.has(txid)) === undefined
      );
    };
    for (;;) {
      let best: { readonly some: readonly Candidate[]; readonly rateRaw: bigint } | undefined;
      for (const one of left.values()) {
        const some = packageOf(one);
        const rateRaw = some && rateOf(some);
        if (!some || rateRaw! < rateMinRaw || (best && best.rateRaw >= rateRaw!)) continue;
        if (isFit(some)) best = { some, rateRaw: rateRaw! };
      }
      if (!best || vsize > VSIZE_MAX) return [...chosen.values()];
      for (const one of best.some) {
        left.delete(one.tx.txid);
        chosen.set(one.tx.txid, one);
        vsize += one.tx.vsize;
        for (const { outpoint } of one.tx.inputs) spent.add(outpoint);
      }
    }
  }

  /** Of what keys' hashes guard. Nobody here checks others, because only people have them. */
  #isSigned(tx: Tx): boolean {
    return this.#signed.getOrInsertComputed(tx.wtxid, () => {
      const transaction = Transaction.fromRaw(Uint8Array.fromHex(tx.raw), LENIENT);
      return tx.inputs.every(({ outpoint, witness }, i) => {
        const { script, valueRaw } = this.#made.get(outpoint)!;
        const [, hash] = P2WPKH.exec(script) ?? [];
        if (hash === undefined) return true;
        const [signature, key, ...more] = witness;
        if (!signature || !key || more.length > 0) return false;
        if (ripemd160(sha256(key)).toHex() !== hash || signature.at(-1) !== SIGHASH_ALL) {
          return false;
        }
        const code = Uint8Array.fromHex(`76a914${hash}88ac`);
        const digest = transaction.preimageWitnessV0(i, code, SIGHASH_ALL, valueRaw);
        return secp256k1.verify(signature.slice(0, -1), digest, key, { format: "der" });
      });
    });
  }
}

const LENIENT = {
  allowUnknownInputs: true,
  allowUnknownOutputs: true,
  disableScriptCheck: true,
  allowLegacyWitnessUtxo: true,
};
const SIGHASH_ALL = 1;
const FAMILY_MAX = 25;
/** Nobody's, as far as anybody here knows. */
const MINER = `5120${"11".repeat(32)}`;

export function isOn(block: Block, { branch }: Block): boolean {
  return branch[block.height] === block;
}

/** The newest block that both come from. */
export function forkOf(one: Block, other: Block): Block {
  let height = Math.min(one.height, other.height);
  while (one.branch[height] !== other.branch[height]) height--;
  return one.branch[height]!;
}

/** For 1,000 bytes. */
function rateOf(some: readonly Candidate[]): bigint {
  const feeRaw = some.reduce((sum, one) => sum + one.feeRaw, 0n);
  return feeRaw * 1_000n / BigInt(some.reduce((sum, { tx }) => sum + tx.vsize, 0));
}
