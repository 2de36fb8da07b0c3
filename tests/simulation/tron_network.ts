import { sha256 } from "@noble/hashes/sha2.js";
import { answerCall } from "../../src/sandbox/tron_node/api/server.ts";
import { messagesIn, textIn } from "../../src/sandbox/tron_node/api/values.ts";
import {
  addressOfKey,
  type HexAddress,
  hexAddress,
  keyOf,
  signHash,
  toBase58Check,
} from "../../src/sandbox/tron_node/addresses.ts";
import type { Block } from "../../src/sandbox/tron_node/blocks.ts";
import { SLOT_MS } from "../../src/sandbox/tron_node/chain.ts";
import {
  addressWord,
  selectorOf,
  topicOf,
  uintWord,
} from "../../src/sandbox/tron_node/contracts/abi.ts";
import type { TokenHandle } from "../../src/sandbox/tron_node/contracts/deploy.ts";
import { USDT_ENERGY } from "../../src/sandbox/tron_node/contracts/token.ts";
import type { Message } from "../../src/sandbox/tron_node/api/values.ts";
import {
  contractOf,
  ownerOf,
  rawBytesOf,
  type Transaction,
  transactionOf,
} from "../../src/sandbox/tron_node/transactions.ts";
import { TronNode } from "../support/tron_node/start.ts";
import {
  type ChainCounts,
  type Fee,
  type Ground,
  type Move,
  newChainCounts,
  type Payment,
  type Weather,
} from "./ground.ts";
import type { Fetch, Outside } from "./outside.ts";
import type { Random } from "./random.ts";
import type { SimulatedTime } from "./time.ts";
import { type Mood, withMood } from "./moods.ts";

interface Faults {
  /** Of a block that replaces some of the last ones. */
  readonly reorganisation: number;
  readonly depthMax: number;
  /** Of a node that changes its mood, at each block. */
  readonly moodChange: number;
  readonly moods: readonly Mood[];
  /** Of a node that falls behind, at each block. */
  readonly lag: number;
  /** Of all nodes that forget what waits, at each block. */
  readonly forgets: number;
  /** Of energy that costs something else, at each block. */
  readonly priceJump: number;
  /** Of no block, or no solid one, for a while. */
  readonly stall: number;
  /** Of nodes that lose touch with the others, at each block. */
  readonly apart: number;
}

const FAULTS: Readonly<Record<Weather, Faults>> = {
  light: {
    reorganisation: 0.005,
    depthMax: 2,
    moodChange: 0.003,
    moods: ["late", "cut", "down"],
    lag: 0.001,
    forgets: 0.002,
    priceJump: 0.001,
    stall: 0.0003,
    apart: 0.0005,
  },
  heavy: {
    reorganisation: 0.02,
    depthMax: 12,
    moodChange: 0.015,
    moods: ["late", "silent", "cut", "down", "refusing", "limited"],
    lag: 0.008,
    forgets: 0.01,
    priceJump: 0.005,
    stall: 0.002,
    apart: 0.003,
  },
};

interface Options {
  readonly weather: Weather;
  readonly tell: (what: string) => void;
}

const NODES = 3;
const BLOCKS_AT_START = 20;
/** Two more than it takes until a block is solid. */
const MIN_CONFIRMATIONS = 20;
const STRANGERS_EVERY = 5;
const TRX = 10n ** 6n;
const ENERGY_SUN = 100n;
const EXPIRES_AFTER_MS = 600_000;
const FEE_LIMIT = 1_000n * TRX;
const TRANSFER = topicOf("Transfer(address,address,uint256)");
const DISPERSE_TRX = selectorOf("disperseTrx(address[],uint256[])");
const PAYERS = Array.from({ length: 6 }, (_, i) => keyOf(`payer ${i}`));

interface Member {
  readonly url: string;
  mood: Mood;
  /** How many blocks it is behind. */
  lag: number;
  wellAtMs: number;
}

/** The simulated node without a socket. */
class Chain extends TronNode {
  readonly tokens: readonly TokenHandle[] = ["honest", "log_only"].map((transfers) =>
    this.deployToken({
      name: "Tether USD",
      symbol: "USDT",
      decimals: 6,
      manners: {
        answers: "false",
        energy: USDT_ENERGY,
        transfers: transfers as "honest" | "log_only",
      },
    })
  );

  answer(request: Request, { body, lag }: { body: string; lag: number }): Response {
    const url = new URL(request.url);
    const { method } = request;
    const input = method === "GET" ? url.search : body;
    const served = { chain: this.chain, broadcaster: this.broadcaster, lag: () => lag };
    const reply = answerCall(served, { call: { method, path: url.pathname, input }, url, body });
    const headers = { "content-type": "application/json; charset=utf-8" };
    return new Response(reply.body, { status: reply.status, headers });
  }
}

/** A TRON chain that makes blocks, several doors to it, and those who pay on it. */
export class TronNetwork implements Ground {
  readonly network = "TRX";
  readonly coin = { symbol: "TRX", decimals: 6 };
  readonly token = { symbol: "USDT", decimals: 6 };
  readonly payers: readonly string[] = PAYERS.map((key) => toBase58Check(addressOfKey(key)));
  /** Enough to stake some of it. */
  readonly fuel = 200_000n;
  readonly startBlock = 1;
  readonly hasGas = true;
  readonly dustAt = () => 0n;
  readonly worth = "20";
  readonly keysShowOwners = true;
  readonly canCollect = false;
  readonly canStake = true;
  readonly wrongs: readonly string[] = [];
  gasWallet = "";
  readonly refuser: string;
  readonly minConfirmations = MIN_CONFIRMATIONS;
  readonly counts: ChainCounts = newChainCounts();
  readonly #chain: Chain;
  readonly #members: readonly Member[];
  readonly #token: TokenHandle;
  readonly #falseToken: TokenHandle;
  /** Pays coins on, so that they come from a contract. */
  readonly #forwarder: HexAddress;
  readonly #time: SimulatedTime;
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #tell: (what: string) => void;
  #signed = 0;
  #areFaultsOn = true;
  #standsUntilMs = 0;
  #notSolidUntilMs = 0;
  #apartUntilMs = 0;
  #isStopped = false;
  #moves: { readonly head: Block; readonly all: readonly Move[] } | undefined;

  constructor(outside: Outside, { weather, tell }: Options) {
    this.#time = outside.time;
    this.#random = outside.random.fork();
    this.#faults = FAULTS[weather];
    this.#tell = tell;
    const startMs = this.#time.nowMs - 2 * BLOCKS_AT_START * SLOT_MS;
    this.#chain = new Chain({
      startMs,
      blocks: BLOCKS_AT_START,
      // Without it nobody sees what contracts pay.
      savesInternalTransactions: true,
      estimatesEnergy: this.#random.chance(0.5),
    });
    [this.#token, this.#falseToken] = this.#chain.tokens as [TokenHandle, TokenHandle];
    this.#forwarder = this.#chain.deployDisperser().address;
    this.refuser = this.#chain.deployDisperser(1).base58;
    for (const payer of this.payers) {
      this.#chain.fund(payer, 10n ** 8n * TRX);
      this.#token.mint(payer, 10n ** 15n);
    }
    for (let i = 0; i < BLOCKS_AT_START; i++) this.#produce();
    this.#members = Array.from({ length: NODES }, (_, i) => {
      const member: Member = {
        url: `http://tron-${i + 1}.test`,
        mood: "well",
        lag: 0,
        wellAtMs: 0,
      };
      const answer: Fetch = async (request) => {
        const body = request.method === "GET" ? "" : await request.text();
        this.#chain.setTime(Math.max(this.#time.nowMs, this.#chain.chain.headMs));
        return this.#chain.answer(request, { body, lag: member.lag });
      };
      const front = withMood(answer, {
        mood: () => member.mood,
        time: this.#time,
        random: this.#random.fork(),
      });
      outside.hosts.set(new URL(member.url).host, front);
      return member;
    });
  }

  get networkFlags(): readonly string[] {
    return [
      ...["--family", "tron", "--native-symbol", "TRX", "--native-decimals", "6"],
      ...["--finality", "finalized", "--quorum", "2", "--poll-interval-ms", "3000"],
      // Otherwise it waits for a payment inside a contract before it believes that it sees them.
      ...["--traces", "on"],
      ...this.#members.flatMap(({ url }) => ["--rpc-url", url]),
    ];
  }

  get tokenFlags(): readonly string[] {
    return ["--contract", this.#token.address, "--decimals", "6"];
  }

  get height(): number {
    return this.#chain.head.number;
  }

  written(same: string): string {
    return toBase58Check(same);
  }

  same(address: string): string {
    return hexAddress(address);
  }

  newAddress(random: Random): string {
    const word = random.uint32().toString(16).padStart(8, "0");
    return toBase58Check(`41${word.repeat(5)}`);
  }

  newReceiver(random: Random): string {
    return this.newAddress(random);
  }

  sweptTo(receiver: string): string {
    return this.same(receiver);
  }

  pay({ from, to, currency, raw, way }: Payment): string {
    const transfer = (token: TokenHandle) =>
      this.#send(from, "TriggerSmartContract", {
        contract_address: token.hex,
        data: token.transferData(to, raw),
      });
    if (way === "false") return transfer(this.#falseToken);
    if (currency === "USDT") return transfer(this.#token);
    if (way === "plain") {
      return this.#send(from, "TransferContract", { to_address: hexAddress(to), amount: raw });
    }
    const words = [64n, 128n, 1n].map(uintWord);
    const data = [...words, addressWord(hexAddress(to)), ...[1n, raw].map(uintWord)].join("");
    return this.#send(from, "TriggerSmartContract", {
      contract_address: this.#forwarder,
      data: DISPERSE_TRX + data,
      call_value: raw,
    });
  }

  moves(): readonly Move[] {
    const { head, chain } = this.#chain;
    if (this.#moves?.head !== head) {
      const all = chain.blocks.flatMap((block) =>
        block.transactions.flatMap((transaction, i) => this.#movesOf(block, { transaction, i }))
      );
      this.#moves = { head, all };
    }
    return this.#moves.all;
  }

  fees(): readonly Fee[] {
    return this.#chain.chain.blocks.flatMap(({ transactions, infos }) =>
      transactions.map((transaction, i) => ({
        hash: transaction.txId,
        from: ownerOf(transaction),
        raw: BigInt(String(infos[i]?.fee ?? 0)),
      }))
    );
  }

  stakes(): readonly bigint[] {
    return this.#chain.chain.blocks.flatMap(({ transactions }) =>
      transactions.flatMap((transaction) => {
        const { type, value = {} } = contractOf(transaction);
        const isStake = type === "FreezeBalanceV2Contract" &&
          ownerOf(transaction) === this.gasWallet;
        return isStake ? [BigInt(String(value.frozen_balance))] : [];
      })
    );
  }

  /** What was lent for sweeps comes back. */
  unended(): readonly string[] {
    const lentRaw = this.#chain.chain.accounts.get(this.gasWallet)?.lent.ENERGY ?? 0n;
    return lentRaw > 0n ? [`${lentRaw} sun are lent to addresses`] : [];
  }

  haunt(): void {}

  restored(): void {}

  #movesOf(
    { number: height, infos }: Block,
    { transaction, i }: { transaction: Transaction; i: number },
  ): Move[] {
    if (transaction.ret.contractRet !== "SUCCESS") return [];
    const { type, value = {} } = contractOf(transaction);
    const at = { hash: transaction.txId, height };
    const coins = (from: string, to: string, raw: bigint): Move[] =>
      raw === 0n ? [] : [{ ...at, currency: "TRX", from, to, raw }];
    const owner = ownerOf(transaction);
    if (type === "TransferContract") {
      return coins(owner, textIn(value.to_address), BigInt(String(value.amount)));
    }
    const info = infos[i] ?? {};
    return [
      ...coins(owner, textIn(value.contract_address), BigInt(String(value.call_value ?? 0))),
      ...messagesIn(info.internal_transactions).flatMap((inner) =>
        messagesIn(inner.callValueInfo).flatMap(({ callValue = 0n }) =>
          coins(
            textIn(inner.caller_address),
            textIn(inner.transferTo_address),
            BigInt(String(callValue)),
          )
        )
      ),
      ...messagesIn(info.log).flatMap((log): Move[] => {
        const [topic, from, to] = log.topics as readonly string[];
        if (`41${log.address}` !== this.#token.hex || topic !== TRANSFER) return [];
        return [{
          ...at,
          currency: "USDT",
          from: `41${from!.slice(-40)}`,
          to: `41${to!.slice(-40)}`,
          raw: BigInt(`0x${log.data}`),
        }];
      }),
    ];
  }

  start(): void {
    this.#time.after(SLOT_MS, () => this.#tick());
  }

  stop(): void {
    this.#isStopped = true;
  }

  endFaults(): void {
    this.#areFaultsOn = false;
    this.#standsUntilMs = this.#notSolidUntilMs = this.#apartUntilMs = 0;
    this.#chain.setChainParameters({ getEnergyFee: ENERGY_SUN });
    for (const member of this.#members) Object.assign(member, { mood: "well", lag: 0 });
    this.#settle();
  }

  #send(from: string, type: string, value: Message): string {
    const key = PAYERS[this.payers.indexOf(from)]!;
    const { chain } = this.#chain;
    const { id } = chain.solid;
    const raw = rawBytesOf({ type, value: { owner_address: hexAddress(from), ...value } }, {
      ref_block_bytes: id.slice(12, 16),
      ref_block_hash: id.slice(16, 32),
      expiration: BigInt(chain.headMs + EXPIRES_AFTER_MS),
      // Makes each one another transaction.
      timestamp: BigInt(this.#time.nowMs + this.#signed++),
      fee_limit: type === "TriggerSmartContract" ? FEE_LIMIT : 0n,
    });
    const transaction = transactionOf(raw, [signHash(sha256(raw), key)]);
    chain.take(transaction);
    return transaction.txId;
  }

  #tick(): void {
    if (this.#isStopped) return;
    if (this.#areFaultsOn) this.#misbehave();
    this.#settle();
    if (this.#time.nowMs >= this.#standsUntilMs) {
      if (this.#areFaultsOn && this.#random.chance(this.#faults.reorganisation)) this.#reorganise();
      this.#chain.setTime(Math.max(this.#time.nowMs, this.#chain.chain.headMs));
      const { transactions } = this.#produce();
      this.counts.mined += transactions.length;
      this.counts.loans += transactions.filter((one) =>
        contractOf(one).type === "DelegateResourceContract"
      ).length;
      this.counts.blocks++;
    }
    this.#time.after(SLOT_MS, () => this.#tick());
  }

  /** Contracts pay all the time; a node that never shows it counts as one that hides it. */
  #produce(): Block {
    const [from = "", to = ""] = this.payers;
    if (this.height % STRANGERS_EVERY === 0) {
      this.pay({ from, to, currency: "TRX", raw: 1n, way: "contract" });
    }
    return this.#chain.produce();
  }

  /** Ends what has lasted long enough. */
  #settle(): void {
    const { nowMs } = this.#time;
    this.#chain.stallSolid(nowMs < this.#notSolidUntilMs);
    if (nowMs < this.#apartUntilMs) return;
    this.#chain.connections.effective = this.#chain.connections.active;
    this.#chain.connections.isGossiping = true;
  }

  /** Other blocks in the place of the last ones, some of whose payments may never come back. */
  #reorganise(): void {
    const { chain } = this.#chain;
    const depthMax = Math.min(this.#faults.depthMax, chain.head.number - chain.solidNumber - 1);
    if (depthMax < 1) return;
    const depth = this.#random.between(1, depthMax);
    const { number } = chain.head;
    const transactions = this.#random.pick(["mined_again", "pooled", "pooled", "gone"] as const);
    this.#chain.reorg(depth, { length: depth, transactions });
    this.counts.reorganisations++;
    this.counts.deepest = Math.max(this.counts.deepest, depth);
    this.#tell(`tron: the last ${depth} blocks before ${number} are replaced, ${transactions}`);
  }

  #misbehave(): void {
    const { nowMs } = this.#time;
    const faults = this.#faults;
    const random = this.#random;
    const tell = this.#tell;
    if (random.chance(faults.priceJump)) {
      const sun = BigInt(random.pick([100, 100, 150, 210, 420]));
      this.#chain.setChainParameters({ getEnergyFee: sun });
      tell(`tron: energy costs ${sun} sun`);
    }
    if (random.chance(faults.forgets)) {
      this.#chain.restart();
      tell("tron: all nodes forget what waits");
    }
    if (random.chance(faults.stall) && nowMs >= this.#standsUntilMs) {
      const forMs = random.pick([30_000, 120_000, 1_200_000]);
      this.#standsUntilMs = nowMs + forMs;
      tell(`tron: no block for ${forMs / 1000} s`);
    }
    if (random.chance(faults.stall) && nowMs >= this.#notSolidUntilMs) {
      const forMs = random.between(30_000, 900_000);
      this.#notSolidUntilMs = nowMs + forMs;
      tell(`tron: no block gets solid for ${Math.round(forMs / 1000)} s`);
    }
    if (random.chance(faults.apart) && nowMs >= this.#apartUntilMs) {
      const { connections } = this.#chain;
      this.#apartUntilMs = nowMs + random.between(5_000, 300_000);
      if (random.chance(0.5)) connections.effective = 0;
      else connections.isGossiping = false;
      tell(
        connections.isGossiping
          ? "tron: nodes take nothing, for want of others"
          : "tron: nodes take what they say they refuse",
      );
    }
    for (const [i, member] of this.#members.entries()) this.#changeMood(member, i + 1);
  }

  /** Most of the nodes are well at any time. */
  #changeMood(member: Member, number: number): void {
    const { nowMs } = this.#time;
    const random = this.#random;
    const isWell = ({ mood, lag }: Member) => mood === "well" && lag === 0;
    if (!isWell(member)) {
      if (nowMs < member.wellAtMs) return;
      Object.assign(member, { mood: "well", lag: 0 });
      return this.#tell(`tron-${number}: is well again`);
    }
    const others = this.#members.filter((one) => !isWell(one)).length;
    if (others >= Math.ceil(NODES / 2)) return;
    if (random.chance(this.#faults.moodChange)) {
      member.mood = random.pick(this.#faults.moods);
      this.#tell(`tron-${number}: is ${member.mood}`);
    } else if (random.chance(this.#faults.lag)) {
      member.lag = random.between(1, 30);
      this.#tell(`tron-${number}: lags ${member.lag} blocks`);
    } else return;
    member.wellAtMs = nowMs + random.between(5_000, 300_000);
  }
}
