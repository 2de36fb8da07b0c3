import { HDKey } from "@scure/bip32";
import {
  addressOfScript,
  canonicalAddress,
  dustLimit,
  readAddress,
} from "../../src/chains/bitcoin/addresses.ts";
import { readExtendedKey } from "../../src/chains/bitcoin/extended_keys.ts";
import { PRESETS } from "../../src/chains/bitcoin/params.ts";
import { BitcoinChain, type Block, type Candidate } from "./bitcoin_chain.ts";
import { BitcoinNode, KINDS, type Manner, type Preset, RELAY_RAW } from "./bitcoin_node.ts";
import { BitcoinPayers } from "./bitcoin_payers.ts";
import type { Output, Tx } from "./bitcoin_tx.ts";
import {
  type ChainCounts,
  type Fee,
  type Ground,
  type Move,
  newChainCounts,
  type Payment,
  type Weather,
} from "./ground.ts";
import { rpcServer } from "./json_rpc.ts";
import { type Mood, withMood } from "./moods.ts";
import type { Outside } from "./outside.ts";
import type { Random } from "./random.ts";
import type { SimulatedTime } from "./time.ts";

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
  /** Of a node that stays at an old block, or on a branch of its own, at each block. */
  readonly stuck: number;
  /** Of a node that shows other manners, at each block. */
  readonly mannerChange: number;
  /** Of a miner who knows all that was ever sent, and mines some of it. */
  readonly odd: number;
  /** Of a payer who replaces his payment. */
  readonly replaced: number;
}

const FAULTS: Readonly<Record<Weather, Faults>> = {
  light: {
    reorganisation: 0.03,
    depthMax: 2,
    moodChange: 0.01,
    moods: ["late", "cut", "down"],
    lostGossip: 0.05,
    priceJump: 0.01,
    forgets: 0.01,
    stuck: 0.01,
    mannerChange: 0.04,
    odd: 0.02,
    replaced: 0.1,
  },
  heavy: {
    reorganisation: 0.08,
    depthMax: 5,
    moodChange: 0.05,
    moods: ["late", "silent", "cut", "down", "refusing", "limited"],
    lostGossip: 0.3,
    priceJump: 0.04,
    forgets: 0.05,
    stuck: 0.04,
    mannerChange: 0.15,
    odd: 0.15,
    replaced: 0.25,
  },
};

const MANNERS: readonly Manner[] = [
  ...["pruned", "lying", "lying", "refusing what it takes", "full", "without estimates"] as const,
];

const NODES = 3;
const BLOCK_MS = 20_000;
/** What was begun ends as it would, and is waited for less. */
const BLOCK_AT_PEACE_MS = 8_000;
const LONG_STAND_MS = 20 * 60_000;
const COIN = 10n ** 8n;
/** What payers were given in the first block, which they can spend after as many. */
const BLOCKS_AT_START = 101;
const [COINS_EACH, COIN_RAW] = [30, 5_000n * COIN];
/** For 1,000 bytes. */
const RATE_RAW = 3_000n;
/** Addresses that such a wallet gives out in a seed. */
const GIVEN_MAX = 100;
/** Old bytes that somebody still has. */
const KNOWN_MAX = 400;
const P2WPKH = "0014";

interface Member {
  readonly node: BitcoinNode;
  /** Behind the same balancer, and behind the first. */
  readonly twin: BitcoinNode;
  readonly url: string;
  isBalanced: boolean;
  mood: Mood;
  wellAtMs: number;
}

interface Options {
  readonly weather: Weather;
  readonly tell: (what: string) => void;
}

/** A chain of outputs, the nodes that serve it, its miners, and those who pay on it. */
export class BitcoinNetwork implements Ground {
  readonly preset: Preset;
  readonly network: "BTC" | "LTC";
  readonly coin: { readonly symbol: string; readonly decimals: number };
  readonly token = undefined;
  readonly tokenFlags = [];
  readonly startBlock = BLOCKS_AT_START;
  readonly hasGas = false;
  readonly keysShowOwners = false;
  readonly canCollect = false;
  readonly canStake = false;
  readonly fuel = 2_000n;
  readonly worth = "0.001";
  readonly minConfirmations: number;
  readonly wrongs: readonly string[] = [];
  gasWallet = "";
  readonly payers: readonly string[];
  readonly refuser: string;
  readonly chain: BitcoinChain;
  readonly members: readonly Member[];
  readonly counts: ChainCounts = newChainCounts();
  readonly #people: BitcoinPayers;
  readonly #time: SimulatedTime;
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #tell: (what: string) => void;
  /** Of the gateway, all that any node ever took. */
  readonly #known = new Map<string, Tx>();
  /** Keys of merchants' own wallets. */
  readonly #receivers: string[] = [];
  readonly #movesIn = new WeakMap<Block, readonly Move[]>();
  #rateRaw = RATE_RAW;
  #areFaultsOn = true;
  #standsUntilMs = 0;
  #isStopped = false;
  #moves: { readonly head: Block; readonly all: readonly Move[] } | undefined;

  constructor(outside: Outside, { weather, tell }: Options) {
    this.#time = outside.time;
    const random = this.#random = outside.random.fork();
    this.#faults = FAULTS[weather];
    this.#tell = tell;
    this.preset = random.pick(["BTC-REGTEST", "LTC-REGTEST"]);
    const { symbol, genesisHash } = this.#preset;
    this.network = symbol;
    this.coin = { symbol, decimals: 8 };
    this.minConfirmations = this.#faults.depthMax + random.between(1, 3);
    const dustRaw = dustLimit(`${P2WPKH}${"00".repeat(20)}`, this.#preset);
    const startMs = this.#time.nowMs - (BLOCKS_AT_START + 1) * BLOCK_MS;
    this.chain = new BitcoinChain({ hash: genesisHash, atMs: startMs });
    this.#people = new BitcoinPayers({
      chain: this.chain,
      random: random.fork(),
      time: this.#time,
      dustRaw,
      send: (tx) => this.#gossip(tx),
      rateRaw: () => this.#rateRaw,
      tell: (what) => tell(`${symbol}: ${what}`),
      replaced: () => this.#areFaultsOn ? this.#faults.replaced : 0,
    });
    this.payers = this.#people.scripts.map((script) => this.#addressOf(script)!);
    this.refuser = this.newAddress(random);
    const gifts = this.#people.scripts.flatMap((script) =>
      Array.from({ length: COINS_EACH }, (): Output => ({ valueRaw: COIN_RAW, script }))
    );
    for (let height = 1; height <= BLOCKS_AT_START; height++) {
      const atMs = startMs + height * BLOCK_MS;
      const outputs = height === 1 ? { outputs: gifts } : {};
      this.chain.follow(this.chain.extend(this.chain.head, { atMs, txs: [], ...outputs }));
    }
    this.members = Array.from({ length: NODES }, (_, i) => this.#newMember(outside, i));
  }

  #newMember(outside: Outside, i: number): Member {
    const nodes = [0, 1].map(() => {
      const node = new BitcoinNode(this.chain, {
        kind: KINDS[this.preset],
        random: this.#random.fork(),
        counts: this.counts,
        rateRaw: this.#rateRaw,
      });
      node.nowMs = () => this.#time.nowMs;
      node.onTaken = (tx) => {
        this.#remember(tx);
        this.#gossip(tx, node);
      };
      return node;
    }) as [BitcoinNode, BitcoinNode];
    const [node, twin] = nodes;
    const url = `http://${this.network.toLowerCase()}-${i + 1}.test/`;
    const member: Member = { node, twin, url, isBalanced: false, mood: "well", wellAtMs: 0 };
    let asked = 0;
    const balanced = rpcServer((call) => {
      const other = member.isBalanced && ++asked % 2 === 0;
      if (other) this.counts.wentBack++;
      return (other ? twin : node).answer(call);
    });
    const front = withMood(balanced, {
      mood: () => member.mood,
      time: this.#time,
      random: this.#random.fork(),
    });
    outside.hosts.set(new URL(url).host, front);
    return member;
  }

  get #preset() {
    return PRESETS[this.preset];
  }

  get networkFlags(): readonly string[] {
    return [
      ...["--family", "bitcoin", "--quorum", "2", "--poll-interval-ms", "4000"],
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
    return canonicalAddress(address, this.#preset);
  }

  newAddress(random: Random): string {
    const hash = new Uint8Array(32);
    random.fill(hash);
    const [short, long] = [hash.subarray(0, 20).toHex(), hash.toHex()];
    const script = random.pick([
      `${P2WPKH}${short}`,
      `${P2WPKH}${short}`,
      `0020${long}`,
      `5120${long}`,
      `76a914${short}88ac`,
      `a914${short}87`,
    ]);
    return this.#addressOf(script)!;
  }

  /** Of some, the key of a wallet of their own. */
  newReceiver(random: Random): string {
    if (random.chance(0.6)) return this.newAddress(random);
    const seed = new Uint8Array(32);
    random.fill(seed);
    const versions = { private: 0x045f18bc, public: random.pick(KEY_FORMS) };
    const key = HDKey.fromMasterSeed(seed, versions).derive("m/84'/1'/0'").publicExtendedKey;
    this.#receivers.push(key);
    return key;
  }

  isOfReceiver(address: string): boolean {
    return this.#receivers.some((text) => {
      const key = readExtendedKey(text, this.#preset);
      return typeof key !== "string" &&
        Array.from({ length: GIVEN_MAX }, (_, i) => key.addressAt(i)).includes(address);
    });
  }

  sweptTo(receiver: string): string {
    const key = readExtendedKey(receiver, this.#preset);
    return typeof key === "string" ? this.same(receiver) : key.changeAddress;
  }

  pay({ from, to, ...order }: Payment): string {
    return this.#people.pay({ ...order, from: this.#scriptOf(from), to: this.#scriptOf(to) });
  }

  moves(): readonly Move[] {
    const { head } = this.chain;
    if (this.#moves?.head !== head) {
      const all = head.branch.slice(BLOCKS_AT_START).flatMap((block) => this.#movesOf(block));
      this.#moves = { head, all };
    }
    return this.#moves.all;
  }

  fees(): readonly Fee[] {
    return this.chain.head.branch.flatMap(({ txs }) =>
      txs.filter((tx) => this.#isOwn(tx)).map((tx): Fee => ({
        hash: tx.txid,
        from: this.#addressOf(this.chain.made(tx.inputs[0]!.outpoint)!.script)!,
        raw: this.chain.feeOf(tx)!,
      }))
    );
  }

  isLost(hash: string): boolean {
    return this.#people.isLost(hash);
  }

  outputs(): { to: string; key: string }[] {
    return this.chain.head.branch.slice(BLOCKS_AT_START).flatMap(({ txs }) =>
      txs.flatMap(({ txid, outputs }) =>
        outputs.flatMap(({ script, valueRaw }, vout) => {
          const to = this.#addressOf(script);
          return to === undefined ? [] : [{ to, key: `${txid}:${vout} ${valueRaw}` }];
        })
      )
    );
  }

  stakes(): readonly bigint[] {
    return [];
  }

  unended(): readonly string[] {
    return [];
  }

  haunt(): void {}

  restored(): void {}

  #addressOf(script: string): string | undefined {
    return addressOfScript(script, this.#preset);
  }

  dustAt(address: string): bigint {
    return dustLimit(this.#scriptOf(address), this.#preset);
  }

  #scriptOf(address: string): string {
    return readAddress(address, this.#preset)!.script;
  }

  /** Its coins are guarded by hashes of keys, which only the gateway has here. */
  #isOwn({ inputs, isCoinbase }: Tx): boolean {
    return !isCoinbase &&
      inputs.every(({ outpoint }) => this.chain.made(outpoint)?.script.startsWith(P2WPKH));
  }

  #movesOf(block: Block): readonly Move[] {
    return this.#movesIn.getOrInsertComputed(
      block,
      () => block.txs.flatMap((tx) => this.#movesBy(tx, block.height)),
    );
  }

  #movesBy(tx: Tx, height: number): Move[] {
    const at = { hash: tx.txid, height, currency: this.coin.symbol };
    const paid = tx.outputs.flatMap(({ script, valueRaw: raw }) => {
      const to = this.#addressOf(script);
      return to === undefined ? [] : [{ to, raw }];
    });
    if (tx.isCoinbase) {
      return paid.map((one) => ({ ...at, ...one, from: "a miner", maturesAt: height + 100 }));
    }
    const gave = new Map<string, bigint>();
    for (const { outpoint } of tx.inputs) {
      const { script, valueRaw } = this.chain.made(outpoint)!;
      const from = this.#addressOf(script)!;
      gave.set(from, (gave.get(from) ?? 0n) + valueRaw);
    }
    const others = paid.filter(({ to }) => !gave.has(to));
    const [first] = gave.keys();
    if (others.length !== tx.outputs.length || others.length > 1 || !this.#isOwn(tx)) {
      return others.map((one) => ({ ...at, ...one, from: first! }));
    }
    // The fee comes out of what is gathered.
    return others.flatMap(({ to, raw }) =>
      [...gave].map(([from, gaveRaw]) => ({
        ...{ ...at, from, to, gaveRaw },
        raw: gave.size === 1 ? raw : gaveRaw,
      }))
    );
  }

  start(): void {
    this.#time.after(this.#random.wait(BLOCK_MS), () => this.#tick());
  }

  stop(): void {
    this.#isStopped = true;
  }

  endFaults(): void {
    this.#areFaultsOn = false;
    this.#standsUntilMs = 0;
    this.#rateRaw = RATE_RAW;
    for (const member of this.members) recover(member);
    this.#setPrices();
  }

  #tick(): void {
    if (this.#isStopped) return;
    if (this.#areFaultsOn) this.#misbehave();
    this.#setPrices();
    this.#people.tidy();
    if (!this.#areFaultsOn) { for (const tx of this.#people.waiting()) this.#putInPools(tx); }
    if (this.#time.nowMs >= this.#standsUntilMs) {
      const isReorganised = this.#areFaultsOn && this.#random.chance(this.#faults.reorganisation);
      if (isReorganised) this.#reorganise();
      else this.#grow();
    }
    const blockMs = this.#areFaultsOn ? BLOCK_MS : BLOCK_AT_PEACE_MS;
    this.#time.after(this.#random.wait(blockMs), () => this.#tick());
  }

  /** What nodes ask and estimate. One that is full asks for more than it is worth. */
  #setPrices(): void {
    const isSpike = this.#rateRaw > 4n * RATE_RAW;
    for (const node of this.#nodes) {
      node.rateRaw = this.#rateRaw;
      node.minFeeRaw = node.manner === "full"
        ? 2n * this.#rateRaw
        : isSpike
        ? this.#rateRaw / 4n
        : RELAY_RAW;
    }
  }

  #grow(): void {
    const block = this.#extend(this.chain.head, this.#candidates());
    this.chain.follow(block);
    this.counts.blocks++;
    this.#count(block);
  }

  #extend(parent: Block, candidates: readonly Candidate[]): Block {
    const isBusy = this.#rateRaw > 4n * RATE_RAW;
    const txs = this.chain.choose(parent, candidates, isBusy ? this.#rateRaw / 2n : 0n);
    const paid = this.#people.minted();
    return this.chain.extend(parent, {
      ...{ atMs: this.#time.nowMs, txs },
      ...paid.length === 0 ? {} : { outputs: paid },
    });
  }

  #count({ txs }: Block): void {
    this.counts.mined += txs.length - 1;
    for (const tx of txs) {
      if (!this.#isOwn(tx)) continue;
      const count = this.#movesBy(tx, 0).length;
      if (count < 2) continue;
      this.counts.batches++;
      if (tx.outputs.length === 1) this.counts.collected += count;
    }
  }

  /** Other blocks in the place of the last ones, some of whose payments may never come back. */
  #reorganise(): void {
    const { head } = this.chain;
    const depth = this.#random.between(1, this.#faults.depthMax);
    const undone = head.branch.slice(-depth).flatMap(({ txs }) => txs.slice(1));
    let parent = head.branch[head.height - depth]!;
    for (let i = 0; i < depth; i++) {
      const isEmpty = this.#random.chance(0.3);
      const candidates = [...this.#candidates(), ...this.#asCandidates(undone)];
      const some = isEmpty ? [] : candidates.filter(() => this.#random.chance(0.8));
      parent = this.#extend(parent, some);
    }
    this.chain.follow(parent);
    this.counts.reorganisations++;
    this.counts.deepest = Math.max(this.counts.deepest, depth);
    this.#tell(`${this.network}: the last ${depth} blocks before ${head.height} are replaced`);
    this.#people.undone(
      undone.filter((tx) => !this.#isOwn(tx) && !this.chain.minedIn(tx.txid, this.chain.head)),
    );
    this.#grow();
  }

  /** What miners know of. Some of them know much that is forgotten elsewhere. */
  #candidates(): Candidate[] {
    const known = new Map(this.#people.waiting(true).map((tx) => [tx.txid, tx]));
    for (const { node, mood } of this.members) {
      if (mood === "down") continue;
      for (const { tx } of node.pool.values()) known.set(tx.txid, tx);
    }
    const isOdd = this.#areFaultsOn && this.#random.chance(this.#faults.odd);
    if (!isOdd) return this.#asCandidates([...known.values()]);
    for (const [txid, tx] of this.#known) known.set(txid, tx);
    return this.#asCandidates([...known.values()].filter(() => this.#random.chance(0.5)));
  }

  #asCandidates(txs: readonly Tx[]): Candidate[] {
    return txs.flatMap((tx) => {
      const feeRaw = this.chain.feeOf(tx);
      return feeRaw === undefined ? [] : [{ tx, feeRaw }];
    });
  }

  #remember(tx: Tx): void {
    this.#known.set(tx.txid, tx);
    if (this.#known.size > KNOWN_MAX) this.#known.delete([...this.#known.keys()][0]!);
  }

  get #nodes(): BitcoinNode[] {
    return this.members.flatMap(({ node, twin }) => [node, twin]);
  }

  #putInPools(tx: Tx): void {
    for (const node of this.#nodes) node.put(tx);
  }

  #gossip(tx: Tx, from?: BitcoinNode): void {
    for (const node of this.#nodes) {
      if (node === from) continue;
      if (this.#areFaultsOn && this.#random.chance(this.#faults.lostGossip)) continue;
      this.#time.after(this.#random.between(50, 2_000), () => void node.put(tx));
    }
  }

  #misbehave(): void {
    const faults = this.#faults;
    const random = this.#random;
    const tell = (what: string) => this.#tell(`${this.network}${what}`);
    if (random.chance(faults.priceJump)) {
      const times = BigInt(random.between(2, 40));
      this.#rateRaw = this.#rateRaw > RATE_RAW ? RATE_RAW : this.#rateRaw * times;
      tell(`: 1,000 bytes cost ${this.#rateRaw}`);
    }
    if (random.chance(faults.stuck / 10)) {
      const forMs = random.chance(0.1) ? LONG_STAND_MS : random.between(1, 10) * BLOCK_MS;
      this.#standsUntilMs = this.#time.nowMs + forMs;
      tell(`: no block for ${forMs / 1_000} s`);
    }
    const { nowMs } = this.#time;
    for (const [i, member] of this.members.entries()) {
      const { node } = member;
      const told = (what: string) => tell(`-${i + 1}: ${what}`);
      if (!isWell(member)) {
        if (nowMs < member.wellAtMs) continue;
        recover(member);
        told("is well again");
        continue;
      }
      // Who lies is outvoted only as long as all others answer.
      if (this.members.some((one) => one.node.manner === "lying")) continue;
      const others = this.members.filter((one) => one !== member && one.mood !== "well").length;
      if (others >= Math.ceil(NODES / 2)) continue;
      if (random.chance(faults.moodChange)) {
        member.mood = random.pick(faults.moods);
        member.wellAtMs = nowMs + random.between(5_000, 240_000);
        told(`is ${member.mood}`);
      } else if (random.chance(faults.stuck)) {
        this.#strand(member);
        member.wellAtMs = nowMs + random.between(10_000, 300_000);
        told(node.pinned ? `stays at ${node.pinned.height}` : "lags");
      } else if (random.chance(faults.mannerChange)) {
        if (random.chance(0.2)) {
          member.isBalanced = true;
          member.twin.lag = random.between(1, 3);
        } else {
          const manner = random.pick(MANNERS);
          if (manner === "lying" && !this.members.every(isWell)) continue;
          node.manner = manner;
        }
        member.wellAtMs = nowMs + random.between(30_000, 300_000);
        told(`is ${node.manner ?? "two, one of which is behind"}`);
      } else if (random.chance(faults.forgets)) {
        node.forget();
        told("forgets its pool");
      }
    }
  }

  /** At the block that it has, on a branch that nobody else follows, or behind. */
  #strand({ node }: Member): void {
    const kind = this.#random.pick(["old", "branch", "behind"]);
    if (kind === "behind") node.lag = this.#random.between(1, 4);
    else if (kind === "old") node.pinned = node.head;
    else {
      const { branch, height } = this.chain.head;
      const depth = this.#random.between(1, this.#faults.depthMax);
      let at = branch[height - depth]!;
      for (let i = 0; i < depth; i++) at = this.#extend(at, this.#candidates());
      node.pinned = at;
    }
  }
}

/** upub is of P2SH; tpub and vpub are of P2WPKH. */
const KEY_FORMS = [0x043587cf, 0x044a5262, 0x045f1cf6];

function isWell({ mood, isBalanced, node }: Member): boolean {
  return mood === "well" && !isBalanced && !node.pinned && node.lag === 0 &&
    node.manner === undefined;
}

function recover(member: Member): void {
  Object.assign(member, { mood: "well", isBalanced: false });
  Object.assign(member.node, { pinned: undefined, lag: 0, manner: undefined });
  member.twin.lag = 0;
}
