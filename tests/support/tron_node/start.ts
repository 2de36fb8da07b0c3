import { sha256 } from "@noble/hashes/sha2.js";
import { toHex, utf8 } from "../../../src/base/bytes.ts";
import { accountIn, type Permission } from "./accounts.ts";
import { hexAddress, toBase58Check } from "./addresses.ts";
import { Bank } from "./bank.ts";
import type { Block } from "./blocks.ts";
import { Broadcaster, type Connections, WELL_CONNECTED } from "./api/broadcast.ts";
import { Chain, type Pooled, SLOT_MS } from "./chain.ts";
import {
  deployDisperser,
  deployToken,
  type TokenHandle,
  type TokenOptions,
} from "./contracts/deploy.ts";
import type { Disperser } from "./contracts/disperser.ts";
import type { ChainParameters } from "./parameters.ts";
import { hexBytes, type Message } from "./api/proto.ts";
import { type Call, type Fault, type NodeServer, type OnCall, serveNode } from "./api/server.ts";
import { readTransaction } from "./transactions.ts";

const START_MS = 1_780_000_002_000;
const PENDING_TIMEOUT_MS = 60_000;
const SOLID_LAG = 18;
const BLOCKS_AT_START = 20;
const BANK_SUN = 10n ** 17n;

export type { Call, Fault, OnCall, TokenHandle };

interface TronNodeOptions {
  /** The time of block 1. */
  readonly startMs?: number;
  /** Another text makes another chain with another genesis. */
  readonly genesis?: string;
  /** The id of the first block of a chain that is known by it. */
  readonly genesisId?: string;
  /** Empty blocks at the start, so that there is a solid one. */
  readonly blocks?: number;
  /** `broadcast`: a block follows each transaction that is taken. A number: one each so many ms. */
  readonly auto?: Auto;
  readonly solidLag?: number;
  /** How long the pool keeps transactions that aren't mined. */
  readonly pendingTimeoutMs?: number;
  /** `vm.saveInternalTx`; off on most nodes. */
  readonly savesInternalTransactions?: boolean;
  /** `vm.estimateEnergy`; off on most nodes. */
  readonly estimatesEnergy?: boolean;
}

type Auto = "off" | "broadcast" | number;

interface ReorgOptions {
  /** The number of new blocks; one more than were lost by default, since the longer fork wins. */
  readonly length?: number;
  /** The lost transactions are mined again at once, stay in the pool, or are gone. */
  readonly transactions?: "mined_again" | "pooled" | "gone";
  /** Signed transactions as hex that the new branch has in its first block. */
  readonly include?: readonly string[];
}

/** One URL of the chain, with its own faults. */
export interface Door {
  readonly url: string;
  readonly calls: readonly Call[];
  /** Calls of paths or methods that the node does not have. */
  readonly unexpected: readonly Call[];
  /** The number of blocks that this door is behind. */
  lag: number;
  /** Asked about each call before it is answered; may change the chain meanwhile. */
  onCall: OnCall;
}

export async function startTronNode(options: TronNodeOptions = {}): Promise<TronNode> {
  const node = new TronNode(options);
  await node.open();
  return node;
}

/** A TRON full node in this process, and the world around it in the hands of a test. */
export class TronNode implements AsyncDisposable {
  readonly chain: Chain;
  readonly connections: Connections = { ...WELL_CONNECTED };
  readonly #bank: Bank;
  readonly #broadcaster: Broadcaster;
  readonly #servers: NodeServer[] = [];
  #door!: Door;
  #auto: Auto = "off";
  #timer: ReturnType<typeof setInterval> | undefined;
  #contracts = 0;

  constructor(options: TronNodeOptions) {
    this.chain = new Chain({
      startMs: options.startMs ?? START_MS,
      genesis: options.genesis ?? "tron node",
      genesisId: options.genesisId,
      solidLag: options.solidLag ?? SOLID_LAG,
      pendingTimeoutMs: options.pendingTimeoutMs ?? PENDING_TIMEOUT_MS,
    });
    this.chain.savesInternalTransactions = options.savesInternalTransactions ?? false;
    this.chain.estimatesEnergy = options.estimatesEnergy ?? false;
    this.#broadcaster = new Broadcaster(this.chain, this.connections);
    this.#bank = new Bank(this.chain);
    this.fund(this.bank, BANK_SUN);
    this.produce(options.blocks ?? BLOCKS_AT_START);
    this.auto(options.auto ?? "off");
  }

  async open(): Promise<void> {
    this.#door = await this.addDoor();
  }

  /** The address that `pay`, `trigger` and `submit` pay from. */
  get bank(): string {
    return this.#bank.address;
  }

  get url(): string {
    return this.#door.url;
  }

  get door(): Door {
    return this.#door;
  }

  get head(): Block {
    return this.chain.head;
  }

  get solid(): Block {
    return this.chain.solid;
  }

  get pool(): readonly Pooled[] {
    return this.chain.pool;
  }

  /** Another URL of the same chain, with its own lag and faults: a second provider. */
  async addDoor(options: { readonly lag?: number; readonly onCall?: OnCall } = {}): Promise<Door> {
    const door = { lag: options.lag ?? 0, onCall: options.onCall ?? (() => {}) };
    const server = await serveNode({
      chain: this.chain,
      broadcaster: this.#broadcaster,
      lag: () => door.lag,
      onCall: (call) => door.onCall(call),
      afterCall: () => this.#mineIfAuto(),
    });
    this.#servers.push(server);
    return Object.assign(door, {
      url: server.url,
      calls: server.calls,
      unexpected: server.unexpected,
    });
  }

  produce(blocks = 1, options: { readonly isEmpty?: boolean } = {}): Block {
    const { isEmpty = false } = options;
    for (let i = 0; i < blocks; i++) this.chain.produce(isEmpty ? { transactions: [] } : {});
    return this.head;
  }

  auto(auto: Auto): void {
    clearInterval(this.#timer);
    this.#auto = auto;
    if (typeof auto === "number") this.#timer = setInterval(() => this.produce(), auto);
  }

  /** The node's clock; the next block is of the first slot from there on. */
  setTime(ms: number): void {
    this.chain.nowMs = ms;
  }

  /** The newest `depth` blocks give way to others. Never below what is solid. */
  reorg(depth: number, options: ReorgOptions = {}): Block {
    const { length = depth + 1, transactions = "mined_again", include = [] } = options;
    const clockMs = this.chain.nowMs;
    const orphaned = this.chain.orphan(depth);
    this.chain.nowMs = this.chain.headMs;
    if (transactions === "pooled") this.chain.returnToPool(orphaned);
    const signed = include.map((hex) => readTransaction(hexBytes(hex)));
    const again = transactions === "mined_again" ? orphaned : [];
    this.chain.produce({ transactions: [...signed, ...again] });
    this.produce(length - 1, { isEmpty: true });
    this.chain.nowMs = Math.max(clockMs, this.chain.headMs);
    return this.head;
  }

  /** Blocks are no longer made solid, or again. */
  stallSolid(isStalled: boolean): void {
    this.chain.isSolidStalled = isStalled;
  }

  /** Loses everything in memory: the pool, and which transactions were sent to it. */
  restart(): void {
    for (const { transaction } of [...this.pool]) this.dropFromPool(transaction.txId);
    this.#broadcaster.forget();
  }

  dropFromPool(txId: string): boolean {
    const before = this.chain.pool.length;
    this.chain.forget(txId);
    return this.chain.pool.length < before;
  }

  setChainParameters(changed: Partial<ChainParameters>): void {
    this.chain.setParameters(changed);
  }

  /** Adds coins without a transaction, at every height. */
  fund(address: string, sun: bigint): void {
    this.chain.rewriteAccount(hexAddress(address))((account) => ({
      ...account,
      balance: account.balance + sun,
    }));
  }

  setBalance(address: string, sun: bigint): void {
    this.chain.rewriteAccount(hexAddress(address))((account) => ({ ...account, balance: sun }));
  }

  /** Bandwidth and energy by stake or delegation, a day's quota. */
  setResources(address: string, { net, energy }: { net?: bigint; energy?: bigint }): void {
    this.chain.rewriteAccount(hexAddress(address))((account) => ({
      ...account,
      netLimit: net ?? account.netLimit,
      energyLimit: energy ?? account.energyLimit,
    }));
  }

  giveAsset(address: string, asset: string, amount: bigint): void {
    this.chain.rewriteAccount(hexAddress(address))((account) => ({
      ...account,
      assets: { ...account.assets, [asset]: (account.assets[asset] ?? 0n) + amount },
    }));
  }

  /** Gives the account to this key. */
  setOwner(address: string, keyAddress: string): void {
    const keys = [{ address: hexAddress(keyAddress), weight: 1n }];
    const guarded = (permission: Permission): Permission => ({ ...permission, keys });
    this.chain.rewriteAccount(hexAddress(address))((account) => ({
      ...account,
      owner: guarded(account.owner),
      actives: account.actives.map(guarded),
    }));
  }

  balanceOf(address: string): bigint {
    return accountIn(this.chain.ledger, hexAddress(address))?.balance ?? 0n;
  }

  deployToken(options: TokenOptions & { readonly at?: string }): TokenHandle {
    const address = options.at === undefined ? this.#contractAddress() : hexAddress(options.at);
    return deployToken(this.chain, address, options);
  }

  deployDisperser(version = 0): Disperser & { readonly base58: string } {
    const disperser = deployDisperser(this.chain, this.#contractAddress(), version);
    return Object.assign(disperser, { base58: toBase58Check(disperser.address) });
  }

  /** Transactions that were removed from the pool without being mined, and why. */
  get dropped(): readonly { readonly txId: string; readonly reason: string }[] {
    return this.chain.dropped;
  }

  /** Signed by the bank and put into the pool, as if it had come from another node. */
  pay(to: string, sun: bigint): string {
    return this.submit("TransferContract", { to_address: hexAddress(to), amount: sun });
  }

  /** A call of a contract by the bank; `data` is hex. */
  trigger(contract: string, data: string, callValue = 0n): string {
    const address = hexAddress(contract);
    return this.submit("TriggerSmartContract", {
      contract_address: address,
      data,
      call_value: callValue,
    });
  }

  submit(type: string, value: Message): string {
    const transaction = this.#bank.sign(type, value);
    this.chain.take(transaction);
    this.#mineIfAuto();
    return transaction.txId;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #contractAddress(): string {
    return `41${toHex(sha256(utf8(`contract ${this.#contracts++}`))).slice(0, 40)}`;
  }

  #mineIfAuto(): void {
    if (this.#auto === "broadcast" && this.chain.pool.length > 0) this.produce();
  }
}

export { SLOT_MS };
