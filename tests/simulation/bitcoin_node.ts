import { type BitcoinChain, type Block, type Candidate, forkOf, isOn } from "./bitcoin_chain.ts";
import { lieAbout } from "./bitcoin_lies.ts";
import { outpoint, type Output, readTx, type Tx } from "./bitcoin_tx.ts";
import type { Misbehaved } from "./ground.ts";
import { RpcError, type RpcRequest } from "./json_rpc.ts";
import type { Random } from "./random.ts";

/** How a node that is up differs from one that serves everything. */
export type Manner =
  /** Old blocks are gone. */
  | "pruned"
  /** One field of an answer is wrong now and then. */
  | "lying"
  /** It answers an error to what it takes. */
  | "refusing what it takes"
  /** Its pool is full: it asks for more than others, and forgets what pays less. */
  | "full"
  /** It hasn't seen enough to estimate fees. */
  | "without estimates";

interface Pooled extends Candidate {
  readonly atMs: number;
  readonly height: number;
}

/** What nodes of one kind do in their own way. */
interface Kind {
  readonly version: number;
  readonly name: string;
  readonly chain: string;
  /** For each byte that it takes to spend an output, below which it is dust. */
  readonly dustRawPerByte: bigint;
  readonly isMined: string;
}

export type Preset = "BTC-REGTEST" | "LTC-REGTEST";

export const KINDS: Readonly<Record<Preset, Kind>> = {
  "BTC-REGTEST": {
    version: 280_100,
    name: "/Satoshi:28.1.0/",
    chain: "regtest",
    dustRawPerByte: 3n,
    isMined: "Transaction outputs already in utxo set",
  },
  "LTC-REGTEST": {
    version: 210_201,
    name: "/LitecoinCore:0.21.2.1/",
    chain: "regtest",
    dustRawPerByte: 30n,
    isMined: "Transaction already in block chain",
  },
};

/** For 1,000 bytes. */
export const RELAY_RAW = 1_000n;
/** What a sender's own node refuses to send. */
const RATE_MAX_RAW = 10_000_000n;
const [ANCESTORS_MAX, DESCENDANTS_MAX, REPLACED_MAX] = [25, 25, 100];
const FINAL_SEQUENCE = 0xffff_fffe;
/** What a pruned node still has. */
const KEPT_BLOCKS = 10;
/** Of the answers of a node that lies. */
const LIES = 0.3;
const MISTAKEN_REFUSALS: readonly (readonly [number, string])[] = [
  [-26, "mempool min fee not met, 141 < 705"],
  [-26, "mempool full"],
  [-25, "bad-txns-inputs-missingorspent"],
  [-26, "txn-mempool-conflict"],
  [-1, "internal error"],
  [-26, "too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]"],
];

/** One node of a chain: what it thinks is the newest block, and what waits in its mempool. */
export class BitcoinNode {
  readonly chain: BitcoinChain;
  readonly pool = new Map<string, Pooled>();
  /** As if that were the newest block; undefined follows the chain. */
  pinned: Block | undefined;
  /** How far behind the chain it answers. */
  lag = 0;
  manner: Manner | undefined;
  /** For 1,000 bytes: below, its pool keeps nothing. */
  minFeeRaw = RELAY_RAW;
  /** What it estimates. */
  rateRaw: bigint;
  nowMs: () => number = () => 0;
  onTaken: (tx: Tx) => void = () => {};
  readonly #spenders = new Map<string, string>();
  #sequence = 1;
  /** The block that the pool stands upon. */
  #base: Block;
  readonly #kind: Kind;
  readonly #random: Random;
  readonly #counts: Misbehaved;

  constructor(
    chain: BitcoinChain,
    { kind, random, counts, rateRaw }: {
      readonly kind: Kind;
      readonly random: Random;
      readonly counts: Misbehaved;
      readonly rateRaw: bigint;
    },
  ) {
    this.chain = chain;
    this.#base = chain.head;
    this.#kind = kind;
    this.#random = random;
    this.#counts = counts;
    this.rateRaw = rateRaw;
  }

  get head(): Block {
    if (this.pinned) return this.pinned;
    const { branch, height } = this.chain.head;
    return branch[Math.max(0, height - this.lag)]!;
  }

  answer(request: RpcRequest): unknown {
    this.#sync();
    const answer = this.#answer(request);
    if (this.manner !== "lying" || !this.#random.chance(LIES)) return answer;
    const lie = lieAbout(request, { answer, random: this.#random });
    if (lie !== undefined) this.#counts.lies++;
    return lie ?? answer;
  }

  forget(): void {
    for (const txid of [...this.pool.keys()]) this.#remove(txid);
  }

  #answer({ method, params }: RpcRequest): unknown {
    const [first, second, third] = params;
    switch (method) {
      case "getblockchaininfo":
        return this.#chainInfo();
      case "getnetworkinfo":
        return {
          version: this.#kind.version,
          subversion: this.#kind.name,
          relayfee: coins(RELAY_RAW),
          incrementalfee: coins(RELAY_RAW),
        };
      case "getblockcount":
        return this.head.height;
      case "getbestblockhash":
        return this.head.hash;
      case "getblockhash": {
        const block = this.head.branch[Number(first)];
        if (!block) throw new RpcError(-8, "Block height out of range");
        return block.hash;
      }
      case "getblockheader":
        return this.#header(this.#block(first));
      case "getblock":
        return this.#rawBlock(this.#block(first));
      case "getmempoolinfo":
        return {
          loaded: true,
          size: this.pool.size,
          mempoolminfee: coins(this.minFeeRaw),
          minrelaytxfee: coins(RELAY_RAW),
        };
      case "getrawmempool":
        return { txids: [...this.pool.keys()], mempool_sequence: this.#sequence };
      case "getrawtransaction":
        return this.#rawTransaction(String(first), third);
      case "getmempoolentry":
        return this.#entry(this.#pooled(first));
      case "getmempoolancestors":
        return this.#entries(this.#ancestors(this.#pooled(first).tx));
      case "getmempooldescendants":
        return this.#entries(this.#descendants(this.#pooled(first).tx));
      case "gettxout":
        return this.#output(outpoint(String(first), Number(second)), third !== false);
      case "estimatesmartfee":
        return this.manner === "without estimates"
          ? { errors: ["Insufficient data or no feerate found"], blocks: 0 }
          : { feerate: coins(this.rateRaw), blocks: first };
      case "scantxoutset":
        return this.#scan(second as readonly string[]);
      case "testmempoolaccept":
        return [this.#tried(String((first as readonly string[])[0]))];
      case "sendrawtransaction":
        return this.#send(String(first));
      default:
        throw new RpcError(-32601, "Method not found");
    }
  }

  #chainInfo(): unknown {
    const { height, hash } = this.head;
    const pruned = this.manner === "pruned";
    return {
      chain: this.#kind.chain,
      blocks: height,
      headers: this.pinned ? height : Math.max(height, this.chain.head.height),
      bestblockhash: hash,
      initialblockdownload: false,
      pruned,
      ...pruned ? { pruneheight: Math.max(0, height - KEPT_BLOCKS + 1) } : {},
    };
  }

  #block(hash: unknown): Block {
    const block = this.chain.block(String(hash));
    const isBehind = this.pinned !== undefined || this.lag > 0;
    const isUnheard = block && isBehind && block.height > this.head.height;
    if (!block || isUnheard) throw new RpcError(-5, "Block not found");
    return block;
  }

  #header(block: Block): unknown {
    const { hash, height, parent, atMs, txs } = block;
    const next = isOn(block, this.head) ? this.head.branch[height + 1] : undefined;
    return {
      hash,
      confirmations: isOn(block, this.head) ? this.head.height - height + 1 : -1,
      height,
      time: atMs / 1_000,
      nTx: Math.max(1, txs.length),
      ...parent ? { previousblockhash: parent.hash } : {},
      ...next ? { nextblockhash: next.hash } : {},
    };
  }

  #rawBlock(block: Block): string {
    if (this.manner === "pruned" && block.height <= this.head.height - KEPT_BLOCKS) {
      this.#counts.pruned++;
      throw new RpcError(-1, "Block not available (pruned data)");
    }
    return this.chain.raw(block);
  }

  #rawTransaction(txid: string, blockHash: unknown): string {
    if (typeof blockHash !== "string") {
      const pooled = this.pool.get(txid);
      if (pooled) return pooled.tx.raw;
      throw new RpcError(-5, `No such mempool transaction. ${HOW_TO_INDEX}`);
    }
    const block = this.chain.block(blockHash);
    if (!block) throw new RpcError(-5, "Block hash not found");
    const found = block.txs.find((tx) => tx.txid === txid);
    if (found) return found.raw;
    throw new RpcError(-5, `No such transaction found in the provided block. ${ASK_WALLET}`);
  }

  #pooled(txid: unknown): Pooled {
    const pooled = this.pool.get(String(txid));
    if (!pooled) throw new RpcError(-5, "Transaction not in mempool");
    return pooled;
  }

  #entries(some: readonly Pooled[]): unknown {
    return Object.fromEntries(some.map((one) => [one.tx.txid, this.#entry(one)]));
  }

  #entry(one: Pooled): unknown {
    const { tx, feeRaw, atMs, height } = one;
    const ancestors = [one, ...this.#ancestors(tx)];
    const descendants = [one, ...this.#descendants(tx)];
    return {
      vsize: tx.vsize,
      weight: tx.weight,
      time: Math.floor(atMs / 1_000),
      height,
      ancestorcount: ancestors.length,
      ancestorsize: vsizeOf(ancestors),
      descendantcount: descendants.length,
      descendantsize: vsizeOf(descendants),
      wtxid: tx.wtxid,
      fees: {
        base: coins(feeRaw),
        modified: coins(feeRaw),
        ancestor: coins(feesOf(ancestors)),
        descendant: coins(feesOf(descendants)),
      },
      depends: this.#parents(tx).map(({ tx }) => tx.txid),
      spentby: this.#children(tx).map(({ tx }) => tx.txid),
      "bip125-replaceable": ancestors.some(({ tx }) => saysReplaceable(tx)),
    };
  }

  #output(outpoint: string, withMempool: boolean): unknown {
    const bestblock = this.head.hash;
    const shown = ({ valueRaw, script }: Output) => ({
      value: coins(valueRaw),
      scriptPubKey: { hex: script },
    });
    if (withMempool) {
      if (this.#spenders.has(outpoint)) return null;
      const [txid = "", vout] = outpoint.split(":");
      const output = this.pool.get(txid)?.tx.outputs[Number(vout)];
      if (output) return { bestblock, confirmations: 0, ...shown(output), coinbase: false };
    }
    const unspent = this.chain.unspent(outpoint, this.head);
    if (!unspent) return null;
    const confirmations = this.head.height - unspent.height + 1;
    return { bestblock, confirmations, ...shown(unspent), coinbase: unspent.isCoinbase };
  }

  #scan(wanted: readonly string[]): unknown {
    const scripts = new Set(wanted.map((one) => /^raw\((.*)\)$/.exec(one)?.[1] ?? ""));
    const found = this.chain.allUnspent(scripts, this.head);
    return {
      success: true,
      height: this.head.height,
      bestblock: this.head.hash,
      unspents: found.map(({ txid, vout, script, valueRaw, height }) => ({
        ...{ txid, vout, scriptPubKey: script, amount: coins(valueRaw), height },
      })),
    };
  }

  #tried(raw: string): unknown {
    const tx = read(raw);
    const refused = this.#whyRefused(tx);
    const about = { txid: tx.txid, wtxid: tx.wtxid };
    if (refused) return { ...about, allowed: false, "reject-reason": REASON.exec(refused)![0] };
    const feeRaw = this.chain.feeOf(tx)!;
    if (isTooDear(feeRaw, tx)) {
      return { ...about, allowed: false, "reject-reason": "max-fee-exceeded" };
    }
    const base = coins(feeRaw);
    return { ...about, allowed: true, vsize: tx.vsize, fees: { base } };
  }

  #send(raw: string): string {
    const tx = read(raw);
    const { txid } = tx;
    if (tx.outputs.some((_, vout) => this.chain.unspent(outpoint(txid, vout), this.head))) {
      throw new RpcError(-27, this.#kind.isMined);
    }
    if (this.pool.has(txid)) return txid;
    const refused = this.#whyRefused(tx);
    if (refused) throw new RpcError(refused.startsWith("bad-txns-inputs-") ? -25 : -26, refused);
    const feeRaw = this.chain.feeOf(tx)!;
    if (isTooDear(feeRaw, tx)) {
      throw new RpcError(
        -25,
        "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)",
      );
    }
    this.#add(tx, feeRaw);
    this.onTaken(tx);
    if (this.manner === "refusing what it takes") {
      this.#counts.tookAndRefused++;
      throw new RpcError(...this.#random.pick(MISTAKEN_REFUSALS));
    }
    return txid;
  }

  /** As another node sends it along. */
  put(tx: Tx): boolean {
    this.#sync();
    if (this.pool.has(tx.txid) || this.#whyRefused(tx) !== undefined) return false;
    this.#add(tx, this.chain.feeOf(tx)!);
    return true;
  }

  /** In the order in which nodes look. */
  #whyRefused(tx: Tx): string | undefined {
    if (tx.isCoinbase) return "coinbase";
    if (tx.outputs.some((output) => this.#isDust(output))) return "dust";
    if (tx.notUpTo > this.head.height) return "non-final";
    if (this.pool.has(tx.txid)) return "txn-already-in-mempool";
    const conflicts = this.#conflicts(tx);
    if (conflicts.some((one) => !this.#isReplaceable(one))) return "txn-mempool-conflict";
    this.chain.learn(tx);
    const unfit = this.chain.unfit(tx, this.head, (txid) => this.pool.has(txid));
    if (unfit === "missing") {
      const isMined = this.chain.minedIn(tx.txid, this.head) &&
        tx.outputs.some((_, vout) => this.chain.unspent(outpoint(tx.txid, vout), this.head));
      return isMined ? "txn-already-known" : "bad-txns-inputs-missingorspent";
    }
    if (unfit === "premature") return "bad-txns-premature-spend-of-coinbase";
    if (unfit === "too much") return "bad-txns-in-belowout";
    const candidate = { tx, feeRaw: this.chain.feeOf(tx)! };
    return this.#whyTooCheap(candidate) ?? this.#whyCrowded(tx, conflicts) ??
      this.#whyNoReplacement(candidate, conflicts) ??
      (unfit === "unsigned" ? "mandatory-script-verify-flag-failed" : undefined);
  }

  #whyTooCheap({ tx, feeRaw }: Candidate): string | undefined {
    const least = (rateRaw: bigint) => rateRaw * BigInt(tx.vsize) / 1_000n;
    for (
      const [rateRaw, name] of [[this.minFeeRaw, "mempool min"], [RELAY_RAW, "min relay"]] as const
    ) {
      if (feeRaw < least(rateRaw)) return `${name} fee not met, ${feeRaw} < ${least(rateRaw)}`;
    }
    return undefined;
  }

  #whyCrowded(tx: Tx, conflicts: readonly Pooled[]): string | undefined {
    const ancestors = this.#ancestors(tx);
    const TOO_LONG = "too-long-mempool-chain, too many";
    if (ancestors.length + 1 > ANCESTORS_MAX) {
      return `${TOO_LONG} unconfirmed ancestors [limit: ${ANCESTORS_MAX}]`;
    }
    const crowded = ancestors.find((one) => this.#descendants(one.tx).length + 2 > DESCENDANTS_MAX);
    if (crowded) {
      return `${TOO_LONG} descendants for tx ${crowded.tx.txid} [limit: ${DESCENDANTS_MAX}]`;
    }
    const own = new Set(ancestors);
    return conflicts.some((one) => own.has(one)) ? "bad-txns-spends-conflicting-tx" : undefined;
  }

  /** BIP-125. */
  #whyNoReplacement({ tx, feeRaw }: Candidate, conflicts: readonly Pooled[]): string | undefined {
    if (conflicts.length === 0) return undefined;
    const refuse = (why: string) => `insufficient fee, rejecting replacement ${tx.txid}${why}`;
    const rateRaw = feeRaw * 1_000n / BigInt(tx.vsize);
    for (const one of conflicts) {
      const oldRaw = one.feeRaw * 1_000n / BigInt(one.tx.vsize);
      if (rateRaw <= oldRaw) return refuse(`; new feerate ${rateRaw} <= old feerate ${oldRaw}`);
    }
    const replaced = this.#withDescendants(conflicts);
    if (replaced.length > REPLACED_MAX) {
      return `too many potential replacements, rejecting replacement ${tx.txid}`;
    }
    const before = new Set(conflicts.flatMap((one) => one.tx.inputs.map(({ txid }) => txid)));
    const isNew = tx.inputs.some(({ txid }) => this.pool.has(txid) && !before.has(txid));
    if (isNew) return `replacement-adds-unconfirmed, replacement ${tx.txid} contains new input`;
    const oldRaw = feesOf(replaced);
    if (feeRaw < oldRaw) return refuse(`, less fees than conflicting txs; ${feeRaw} < ${oldRaw}`);
    if (feeRaw - oldRaw < RELAY_RAW * BigInt(tx.vsize) / 1_000n) {
      return refuse(", not enough additional fees to relay");
    }
    return undefined;
  }

  #isDust({ valueRaw, script }: Output): boolean {
    if (script.startsWith("6a")) return false;
    const isWitness = /^(00|5[1-9a-f]|60)/.test(script);
    const bytes = 9 + script.length / 2 + (isWitness ? 67 : 148);
    return valueRaw < BigInt(bytes) * this.#kind.dustRawPerByte;
  }

  #isReplaceable(one: Pooled): boolean {
    return [one, ...this.#ancestors(one.tx)].some(({ tx }) => saysReplaceable(tx));
  }

  #conflicts(tx: Tx): Pooled[] {
    const txids = new Set(tx.inputs.map(({ outpoint }) => this.#spenders.get(outpoint)));
    return [...txids].flatMap((txid) => txid === undefined ? [] : [this.pool.get(txid)!]);
  }

  #parents({ inputs }: Tx): Pooled[] {
    const txids = new Set(inputs.map(({ txid }) => txid));
    return [...txids].flatMap((txid) => this.pool.get(txid) ?? []);
  }

  #children({ txid, outputs }: Tx): Pooled[] {
    const txids = new Set(outputs.map((_, vout) => this.#spenders.get(outpoint(txid, vout))));
    return [...txids].flatMap((txid) => txid === undefined ? [] : [this.pool.get(txid)!]);
  }

  #ancestors(tx: Tx): Pooled[] {
    return reached(tx, (one) => this.#parents(one));
  }

  #descendants(tx: Tx): Pooled[] {
    return reached(tx, (one) => this.#children(one));
  }

  #withDescendants(some: readonly Pooled[]): Pooled[] {
    return [...new Set(some.flatMap((one) => [one, ...this.#descendants(one.tx)]))];
  }

  #add(tx: Tx, feeRaw: bigint): void {
    for (const { tx: { txid } } of this.#withDescendants(this.#conflicts(tx))) this.#remove(txid);
    this.pool.set(tx.txid, { tx, feeRaw, atMs: this.nowMs(), height: this.head.height });
    for (const { outpoint } of tx.inputs) this.#spenders.set(outpoint, tx.txid);
    this.#sequence++;
  }

  #remove(txid: string): void {
    const found = this.pool.get(txid);
    if (!found) return;
    this.pool.delete(txid);
    for (const { outpoint } of found.tx.inputs) this.#spenders.delete(outpoint);
    this.#sequence++;
  }

  /** What waits is what can follow its newest block, and pays enough. */
  #sync(): void {
    const { head } = this;
    if (head !== this.#base) this.#move(this.#base, head);
    if (this.minFeeRaw > RELAY_RAW) this.#evict();
  }

  #move(from: Block, to: Block): void {
    this.#base = to;
    const { height } = forkOf(from, to);
    for (const { txs } of to.branch.slice(height + 1)) {
      for (const tx of txs) {
        this.#remove(tx.txid);
        const conflicts = this.#withDescendants(this.#conflicts(tx));
        for (const { tx: { txid } } of conflicts) this.#remove(txid);
      }
    }
    const undone = from.branch.slice(height + 1).flatMap(({ txs }) => txs.slice(1));
    for (const tx of undone) {
      if (this.pool.has(tx.txid) || this.#whyRefused(tx) !== undefined) continue;
      this.#add(tx, this.chain.feeOf(tx)!);
    }
    for (let isStable = false; !isStable;) {
      isStable = true;
      for (const { tx } of [...this.pool.values()]) {
        if (this.chain.unfit(tx, to, (txid) => this.pool.has(txid)) === undefined) continue;
        this.#remove(tx.txid);
        isStable = false;
      }
    }
  }

  #evict(): void {
    for (const one of [...this.pool.values()]) {
      const family = [one, ...this.#descendants(one.tx)];
      if (feesOf(family) * 1_000n >= this.minFeeRaw * BigInt(vsizeOf(family))) continue;
      for (const { tx: { txid } } of family) this.#remove(txid);
    }
  }
}

const HOW_TO_INDEX = "Use -txindex or provide a block hash to enable blockchain transaction " +
  "queries. Use gettransaction for wallet transactions.";
const ASK_WALLET = "Use gettransaction for wallet transactions.";
/** What testmempoolaccept says of a refusal, without the numbers. */
const REASON = /^[^,]+/;

function read(raw: string): Tx {
  try {
    return readTx(raw);
  } catch {
    throw new RpcError(-22, "TX decode failed. Make sure the tx has at least one input.");
  }
}

function isTooDear(feeRaw: bigint, { vsize }: Tx): boolean {
  return feeRaw * 1_000n > RATE_MAX_RAW * BigInt(vsize);
}

function reached(tx: Tx, next: (tx: Tx) => readonly Pooled[]): Pooled[] {
  const found = new Set<Pooled>();
  for (const waiting = [...next(tx)]; waiting.length > 0;) {
    const one = waiting.pop()!;
    if (found.has(one)) continue;
    found.add(one);
    waiting.push(...next(one.tx));
  }
  return [...found];
}

function saysReplaceable({ inputs }: Tx): boolean {
  return inputs.some(({ sequence }) => sequence < FINAL_SEQUENCE);
}

function feesOf(some: readonly Candidate[]): bigint {
  return some.reduce((sum, { feeRaw }) => sum + feeRaw, 0n);
}

function vsizeOf(some: readonly Candidate[]): number {
  return some.reduce((sum, { tx }) => sum + tx.vsize, 0);
}

/** As nodes write them. */
function coins(raw: bigint): number {
  return Number(raw) / 1e8;
}
