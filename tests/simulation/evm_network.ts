import { TRANSFER_TOPIC } from "../../src/chains/evm/erc20.ts";
import {
  type ChainCounts,
  type Fee,
  type Ground,
  type Move,
  newChainCounts,
  type Payment,
  type Weather,
} from "./ground.ts";
import type { Outside } from "./outside.ts";
import type { Random } from "./random.ts";
import type { SimulatedTime } from "./time.ts";
import { type Mood, withMood } from "./moods.ts";
import {
  blocksFrom,
  type EvmBlock,
  EvmChain,
  type EvmTransaction,
  type Failing,
  hashOf,
} from "./evm_chain.ts";
import { MOVED } from "./evm_collector.ts";
import { type Address, type Authorization, type Code, State } from "./evm_state.ts";
import { EvmWatch } from "./evm_watch.ts";
import { EvmNode, type Manner, TIP_RAW } from "./evm_node.ts";
import { RpcError, rpcServer } from "./json_rpc.ts";

interface Faults {
  /** Of a block that replaces some of the last ones. */
  readonly reorganisation: number;
  readonly depthMax: number;
  /** Of a node that changes its mood, at each block. */
  readonly moodChange: number;
  readonly moods: readonly Mood[];
  /** Of a transaction that doesn't reach the next node. */
  readonly lostGossip: number;
  readonly priceJump: number;
  /** Of a node that forgets its pool, at each block. */
  readonly forgets: number;
  /** Of a node that goes back to an old block and stays there, at each block. */
  readonly stuck: number;
  /** Of a node that shows other manners, at each block. */
  readonly mannerChange: number;
  /** Of a block in which orders of batches fail that would not have in a trial. */
  readonly moody: number;
}

const FAULTS: Readonly<Record<Weather, Faults>> = {
  light: {
    reorganisation: 0.03,
    depthMax: 2,
    moodChange: 0.01,
    moods: ["late", "cut", "down"],
    lostGossip: 0.05,
    priceJump: 0.005,
    forgets: 0.01,
    stuck: 0.005,
    mannerChange: 0.04,
    moody: 0.05,
  },
  heavy: {
    reorganisation: 0.08,
    depthMax: 5,
    moodChange: 0.05,
    moods: ["late", "silent", "cut", "down", "refusing", "limited"],
    lostGossip: 0.3,
    priceJump: 0.03,
    forgets: 0.05,
    stuck: 0.03,
    mannerChange: 0.15,
    moody: 0.3,
  },
};

interface Options {
  readonly weather: Weather;
  readonly tell: (what: string) => void;
}

const MANNERS: readonly Manner[] = [
  ...["pruned", "balanced", "lying", "lying", "refusing what it takes", "without traces"] as const,
];

const CHAIN_ID = 700_001;
const NODES = 3;
const BLOCK_MS = 12_000;
/** What was begun ends as it would, and is waited for less. */
const BLOCK_AT_PEACE_MS = 6_000;
const LONG_STAND_MS = 20 * 60_000;
const ETHER = 10n ** 18n;
const TOKEN = `0x${"70ce".repeat(10)}`;
const FALSE_TOKEN = `0x${"fa15e".repeat(8)}`;
const FORWARDER = `0x${"f0e".repeat(13)}0`;
const STRANGER = `0x${"57a9e".repeat(8)}`;
const REFUSER = `0x${"4ef05e4".repeat(5)}00000`;

const CODE: ReadonlyMap<Address, Code> = new Map<Address, Code>([
  [TOKEN, { kind: "token", decimals: 6, symbol: "USDT" }],
  [FALSE_TOKEN, { kind: "false_token", decimals: 6, symbol: "USDT" }],
  [FORWARDER, { kind: "forwarder" }],
  [REFUSER, { kind: "rejector" }],
  [STRANGER, { kind: "collector", owner: `0x${"bad".repeat(13)}0`, nonce: 0 }],
]);
const PAYERS = Array.from({ length: 6 }, (_, i) => `0x${`a${i + 1}`.repeat(20)}`);

const GWEI = 1_000_000_000n;
const BASE_FEE_RAW = 10n * GWEI;

interface Member {
  readonly node: EvmNode;
  readonly url: string;
  mood: Mood;
  wellAtMs: number;
}

/** A chain that makes blocks, the nodes that serve it, and those who pay on it. */
export class EvmNetwork implements Ground {
  readonly network = "ETH";
  readonly coin = { symbol: "ETH", decimals: 18 };
  readonly token = { symbol: "USDT", decimals: 6 };
  readonly tokenFlags = ["--contract", TOKEN, "--decimals", "6"];
  readonly payers = PAYERS;
  readonly fuel = 10_000n;
  readonly refuser = REFUSER;
  readonly minConfirmations: number;
  /** Whether the operator relies on depth alone, or waits for what the chain calls final. */
  readonly finality: "none" | "finalized";
  readonly chain: EvmChain;
  readonly members: readonly Member[];
  readonly counts: ChainCounts = newChainCounts();
  readonly startBlock = 1;
  readonly hasGas = true;
  readonly dustAt = () => 0n;
  readonly worth = "0.01";
  readonly keysShowOwners = true;
  readonly canCollect = true;
  readonly canStake = false;
  readonly #watch: EvmWatch;
  readonly #time: SimulatedTime;
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #tell: (what: string) => void;
  readonly #foreign: EvmTransaction[] = [];
  #baseFeeRaw = BASE_FEE_RAW;
  #areFaultsOn = true;
  #standsUntilMs = 0;
  #isStopped = false;
  #moves: { readonly head: EvmBlock; readonly all: readonly Move[] } | undefined;

  constructor(outside: Outside, { weather, tell }: Options) {
    this.#time = outside.time;
    this.#random = outside.random.fork();
    this.#faults = FAULTS[weather];
    this.#tell = tell;
    this.minConfirmations = this.#faults.depthMax + this.#random.between(1, 3);
    this.finality = this.#random.pick(["none", "finalized"]);
    const state = new State();
    for (const address of PAYERS) {
      state.give(address, 100_000n * ETHER);
      state.giveTokens(TOKEN, { to: address, valueRaw: 10n ** 14n });
    }
    this.chain = new EvmChain({
      chainId: CHAIN_ID,
      code: CODE,
      state,
      atMs: this.#time.nowMs,
      baseFeeRaw: this.#baseFeeRaw,
    });
    this.#watch = new EvmWatch(this.chain);
    // Some tokens let no contract call them, for some of their holders.
    const shy = this.#random.chance(0.5) ? this.#random.between(0, 7) : NaN;
    this.chain.isShy = (from) => Number(from.at(-2)) === shy;
    this.members = Array.from({ length: NODES }, (_, i) => {
      const node = new EvmNode(this.chain, { random: this.#random.fork(), counts: this.counts });
      const url = `http://eth-${i + 1}.test/`;
      const member: Member = { node, url, mood: "well", wellAtMs: 0 };
      node.onTaken = (tx) => {
        this.#watch.look(tx);
        this.#gossip(tx, node);
      };
      const front = withMood(rpcServer((asked) => node.answer(asked)), {
        mood: () => member.mood,
        time: this.#time,
        random: this.#random.fork(),
      });
      outside.hosts.set(new URL(url).host, front);
      return member;
    });
  }

  get networkFlags(): readonly string[] {
    return [
      ...["--family", "evm", "--quorum", "2", "--poll-interval-ms", "4000"],
      ...["--finality", this.finality],
      ...this.members.flatMap(({ url }) => ["--rpc-url", url]),
    ];
  }

  get height(): number {
    return this.chain.head.height;
  }

  written(same: string): string {
    return same;
  }

  same(address: string): string {
    return address.toLowerCase();
  }

  newAddress(random: Random): string {
    return `0x${random.uint32().toString(16).padStart(8, "0").repeat(5)}`;
  }

  newReceiver(random: Random): string {
    return this.newAddress(random);
  }

  sweptTo(receiver: string): string {
    return this.same(receiver);
  }

  pay({ from, to: anyCase, currency, raw, way }: Payment): string {
    const to = this.same(anyCase);
    if (way === "false") return this.#send({ from, to: FALSE_TOKEN, data: transferData(to, raw) });
    if (currency === "USDT") return this.#send({ from, to: TOKEN, data: transferData(to, raw) });
    if (way === "plain") return this.#send({ from, to, valueRaw: raw });
    return this.#send({ from, to: FORWARDER, valueRaw: raw, data: `0x${addressWord(to)}` });
  }

  moves(): readonly Move[] {
    const { head } = this.chain;
    if (this.#moves?.head !== head) this.#moves = { head, all: this.#movesUpTo(head) };
    return this.#moves.all;
  }

  fees(): readonly Fee[] {
    return blocksFrom(this.chain.head).flatMap(({ included }) =>
      included.map(({ tx: { hash, from }, gasUsed, priceRaw }) => ({
        ...{ hash, from, raw: gasUsed * priceRaw },
      }))
    );
  }

  stakes(): readonly bigint[] {
    return [];
  }

  unended(): readonly string[] {
    return [];
  }

  get gasWallet(): string {
    return this.#watch.gasWallet;
  }

  set gasWallet(address: string) {
    this.#watch.gasWallet = address;
  }

  get wrongs(): readonly string[] {
    return this.#watch.wrongs;
  }

  restored(): void {
    this.#watch.restored();
  }

  /** As if its key had signed it, which nobody checks here. */
  haunt(anyCase: string): void {
    const authority = this.same(anyCase);
    const nonce = this.chain.head.state.nonceOf(authority);
    const signature = { r: hashOf(`r ${authority}`), s: hashOf(`s ${authority}`), yParity: 0 };
    const word = { authority, chainId: CHAIN_ID, delegate: STRANGER, nonce, signature };
    const from = PAYERS[0]!;
    this.#send({ from, to: from, authorizations: [word] });
  }

  #movesUpTo(head: EvmBlock): Move[] {
    return blocksFrom(head).flatMap(({ height, included }) =>
      included.filter(({ succeeded }) => succeeded).flatMap(({ tx, logs, inner }) => {
        const at = { hash: tx.hash, height };
        const coins = [
          ...tx.valueRaw > 0n ? [{ from: tx.from, to: tx.to!, valueRaw: tx.valueRaw }] : [],
          ...inner,
        ].map(({ from, to, valueRaw }) => ({ ...at, currency: "ETH", from, to, raw: valueRaw }));
        const tokens = logs
          .filter(({ address, topics }) => address === TOKEN && topics[0] === TRANSFER_TOPIC)
          .map(({ topics, data }) => ({
            ...at,
            currency: "USDT",
            from: `0x${topics[1]!.slice(26)}`,
            to: `0x${topics[2]!.slice(26)}`,
            raw: BigInt(data),
          }));
        return [...coins, ...tokens];
      })
    );
  }

  start(): void {
    this.#time.after(BLOCK_MS, () => void this.#tick());
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** From now on every node is well and the chain grows quietly. */
  endFaults(): void {
    this.#areFaultsOn = false;
    this.#baseFeeRaw = 10n * GWEI;
    this.#standsUntilMs = 0;
    // What was signed while gas was cheap would wait for ever.
    this.#baseFeeRaw = BASE_FEE_RAW;
    for (const member of this.members) {
      recover(member);
    }
  }

  /** By somebody whose keys don't matter here. */
  #send(
    order: {
      from: Address;
      to: Address;
      valueRaw?: bigint;
      data?: string;
      nonce?: number;
      feeTimes?: bigint;
      authorizations?: readonly Authorization[];
    },
  ): string {
    const nonce = order.nonce ?? this.#nextNonce(order.from);
    const { from, to, valueRaw = 0n, data = "0x", feeTimes = 4n } = order;
    const tx: EvmTransaction = {
      hash: hashOf(`${from} ${nonce} ${to} ${valueRaw} ${data} ${this.#random.uint32()}`),
      chainId: CHAIN_ID,
      from,
      to,
      nonce,
      valueRaw,
      data,
      gas: 100_000n,
      maxFeeRaw: this.#baseFeeRaw * feeTimes + 2n * TIP_RAW,
      tipRaw: 2n * TIP_RAW,
      authorizations: order.authorizations ?? [],
      signature: { r: hashOf(`r ${nonce}`), s: hashOf(`s ${nonce}`), yParity: 0 },
    };
    this.#foreign.push(tx);
    return tx.hash;
  }

  #nextNonce(from: Address): number {
    const mined = this.chain.head.state.nonceOf(from);
    const waiting = this.#foreign.filter((tx) => tx.from === from).map(({ nonce }) => nonce);
    return Math.max(mined, ...waiting.map((nonce) => nonce + 1));
  }

  async #tick(): Promise<void> {
    if (this.#isStopped) return;
    if (this.#areFaultsOn) this.#misbehave();
    if (this.#time.nowMs >= this.#standsUntilMs) {
      const isReorganised = this.#areFaultsOn && this.#random.chance(this.#faults.reorganisation);
      await (isReorganised ? this.#reorganise() : this.#grow(this.chain.head));
    }
    const blockMs = this.#areFaultsOn ? BLOCK_MS : BLOCK_AT_PEACE_MS;
    this.#time.after(blockMs, () => void this.#tick());
  }

  async #grow(parent: EvmBlock): Promise<void> {
    const txs = this.#candidates(parent);
    const block = await this.chain.extend(parent, {
      atMs: this.#time.nowMs,
      baseFeeRaw: this.#baseFeeRaw,
      txs,
      failing: this.#failing(),
    });
    this.chain.follow(block);
    this.counts.blocks++;
    this.#settlePools(block);
  }

  /** Other blocks in the place of the last ones, some of whose payments may never come back. */
  async #reorganise(): Promise<void> {
    const { depthMax } = this.#faults;
    const head = this.chain.head;
    const depth = Math.min(this.#random.between(1, depthMax), head.height);
    let parent = head;
    for (let i = 0; i < depth; i++) parent = parent.parent!;
    for (let i = 0; i < depth; i++) {
      const isEmpty = this.#random.chance(0.3);
      parent = await this.chain.extend(parent, {
        atMs: Math.min(parent.atMs + BLOCK_MS, this.#time.nowMs),
        baseFeeRaw: this.#baseFeeRaw,
        txs: isEmpty ? [] : this.#candidates(parent).filter(() => this.#random.chance(0.8)),
        failing: this.#failing(),
      });
    }
    const left = this.chain.follow(parent);
    // What was only in the old blocks may be mined again, unless its payer took it back.
    for (const { tx } of left.flatMap(({ included }) => included)) {
      if (this.#isOwn(tx)) {
        if (this.#random.chance(0.9)) this.#putInPools(tx);
      } else if (tx.authorizations.length === 0 && this.#random.chance(0.7)) this.#foreign.push(tx);
      else {
        this.#tell(`eth: the payment ${tx.hash.slice(0, 10)} is taken back by its payer`);
        const { from, nonce } = tx;
        this.#send({ from, to: from, nonce, feeTimes: 8n });
      }
    }
    this.counts.reorganisations++;
    this.counts.deepest = Math.max(this.counts.deepest, depth);
    this.#tell(`eth: the last ${depth} blocks before ${head.height} are replaced`);
    await this.#grow(parent);
  }

  #failing(): Failing {
    const isMoody = this.#areFaultsOn && this.#random.chance(this.#faults.moody);
    const random = this.#random;
    if (!isMoody) return () => undefined;
    return () => random.chance(0.3) ? random.pick(["fails", "fails", "burns"] as const) : undefined;
  }

  /** A transaction of the gateway: its signature was checked by a node. */
  #isOwn(tx: EvmTransaction): boolean {
    return tx.signature.r !== hashOf(`r ${tx.nonce}`);
  }

  /** What miners know of, in an order in which all of them fit that can. */
  #candidates(parent: EvmBlock): EvmTransaction[] {
    const known = new Map(this.#foreign.map((tx) => [tx.hash, tx]));
    for (const { node, mood } of this.members) {
      if (mood === "down") continue;
      for (const tx of node.pool.values()) known.set(tx.hash, tx);
    }
    const left = [...known.values()]
      .filter(({ nonce, from }) => nonce >= parent.state.nonceOf(from))
      .sort((a, b) => a.nonce - b.nonce || (a.maxFeeRaw > b.maxFeeRaw ? -1 : 1));
    return left;
  }

  #settlePools(block: EvmBlock): void {
    this.counts.mined += block.included.length;
    for (const { tx, logs } of block.included) {
      if (tx.from !== this.gasWallet) continue;
      const moved = logs.filter(({ topics: [topic] }) => topic === MOVED).length;
      if (moved > 0) this.counts.batches++;
      this.counts.collected += moved;
    }
    const isUsed = (tx: EvmTransaction) => tx.nonce < block.state.nonceOf(tx.from);
    for (const { node } of this.members) {
      for (const tx of [...node.pool.values()]) if (isUsed(tx)) node.pool.delete(tx.hash);
    }
    this.#foreign.splice(0, Infinity, ...this.#foreign.filter((tx) => !isUsed(tx)));
  }

  #putInPools(tx: EvmTransaction): void {
    for (const { node } of this.members) put(node, tx);
  }

  #gossip(tx: EvmTransaction, from: EvmNode): void {
    for (const { node } of this.members) {
      if (node === from) continue;
      if (this.#areFaultsOn && this.#random.chance(this.#faults.lostGossip)) continue;
      this.#time.after(this.#random.between(50, 2_000), () => put(node, tx));
    }
  }

  #misbehave(): void {
    const faults = this.#faults;
    const tell = this.#tell;
    const random = this.#random;
    if (random.chance(faults.priceJump)) {
      const times = BigInt(random.between(2, 40));
      this.#baseFeeRaw = this.#baseFeeRaw > 20n * GWEI ? BASE_FEE_RAW : this.#baseFeeRaw * times;
      tell(`eth: a unit of gas costs ${this.#baseFeeRaw / GWEI} gwei`);
    }
    if (random.chance(faults.stuck / 10)) {
      const forMs = random.chance(0.1) ? LONG_STAND_MS : random.between(1, 10) * BLOCK_MS;
      this.#standsUntilMs = this.#time.nowMs + forMs;
      tell(`eth: no block for ${forMs / 1000} s`);
    }
    const nowMs = this.#time.nowMs;
    for (const [i, member] of this.members.entries()) {
      const { node } = member;
      if (!isWell(member)) {
        if (nowMs >= member.wellAtMs) {
          recover(member);
          tell(`eth-${i + 1}: is well again`);
        }
        continue;
      }
      // Who lies is outvoted only as long as all others answer.
      if (this.members.some((one) => one.node.manner === "lying")) continue;
      const others = this.members.filter((one) => one !== member && one.mood !== "well").length;
      if (others >= Math.ceil(NODES / 2)) continue;
      if (random.chance(faults.moodChange)) {
        member.mood = random.pick(faults.moods);
        member.wellAtMs = nowMs + random.between(5_000, 240_000);
        tell(`eth-${i + 1}: is ${member.mood}`);
      } else if (random.chance(faults.stuck)) {
        if (random.chance(0.5)) node.pinned = node.head;
        else node.lag = random.between(1, 4);
        member.wellAtMs = nowMs + random.between(10_000, 300_000);
        tell(`eth-${i + 1}: ${node.pinned ? `stays at ${node.pinned.height}` : "lags"}`);
      } else if (random.chance(faults.mannerChange)) {
        const manner = random.pick(MANNERS);
        if (manner === "lying" && !this.members.every(isWell)) continue;
        // From two that never showed any, a gateway learns that there are none to be had.
        if (this.members.some((one) => one.node.manner === manner)) continue;
        node.manner = manner;
        node.behindBy = random.between(1, 3);
        member.wellAtMs = nowMs + random.between(30_000, 300_000);
        tell(`eth-${i + 1}: is ${manner}`);
      } else if (random.chance(faults.forgets)) {
        node.pool.clear();
        tell(`eth-${i + 1}: forgets its pool`);
      }
    }
  }
}

function isWell({ mood, node }: Member): boolean {
  return mood === "well" && !node.pinned && node.lag === 0 && node.manner === undefined;
}

function recover(member: Member): void {
  member.mood = "well";
  Object.assign(member.node, { pinned: undefined, lag: 0, manner: undefined });
}

function transferData(to: string, amountRaw: bigint): string {
  return `0xa9059cbb${addressWord(to)}${amountRaw.toString(16).padStart(64, "0")}`;
}

function addressWord(address: string): string {
  return address.slice(2).padStart(64, "0");
}

function put(node: EvmNode, tx: EvmTransaction): void {
  try {
    node.put(tx);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
  }
}
