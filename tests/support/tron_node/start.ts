import type { Permission, Stakes } from "../../../src/sandbox/tron_node/account.ts";
import { hexAddress, toBase58Check } from "../../../src/sandbox/tron_node/addresses.ts";
import type { Call } from "../../../src/sandbox/tron_node/api/server.ts";
import type { Message } from "../../../src/sandbox/tron_node/api/values.ts";
import { hexBytes } from "../../../src/sandbox/tron_node/api/proto.ts";
import type { Block } from "../../../src/sandbox/tron_node/blocks.ts";
import { type Pooled, SLOT_MS } from "../../../src/sandbox/tron_node/chain.ts";
import {
  addContract,
  DEPLOYER,
  type TokenHandle,
} from "../../../src/sandbox/tron_node/contracts/deploy.ts";
import { loanKey } from "../../../src/sandbox/tron_node/contracts/stake.ts";
import { type NodeOptions, SimulatedNode } from "../../../src/sandbox/tron_node/node.ts";
import type { ChainParameters } from "../../../src/sandbox/tron_node/parameters.ts";
import { type Resource, SUN_PER_TRX } from "../../../src/sandbox/tron_node/resources.ts";
import { readTransaction } from "../../../src/sandbox/tron_node/transactions.ts";
import type { LocalServer } from "../../../src/base/net/local_server.ts";
import { Disperser } from "./disperser.ts";
import { befall, type Fault, type OnCall } from "./faults.ts";

const START_MS = 1_780_000_002_000;

export type { Call, Fault, OnCall, TokenHandle };

interface TronNodeOptions extends Partial<NodeOptions> {
  /** `broadcast`: a block follows each transaction that is taken. A number: one each so many ms. */
  readonly auto?: Auto;
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
  /** How many blocks this URL is behind. */
  lag: number;
  /** Asked about each call before it is answered; may change the chain meanwhile. */
  onCall: OnCall;
}

export async function startTronNode(options: TronNodeOptions = {}): Promise<TronNode> {
  const node = new TronNode(options);
  await node.open();
  return node;
}

/** The simulated node, and what a test can do to it and around it. */
export class TronNode extends SimulatedNode implements AsyncDisposable {
  readonly #servers: LocalServer[] = [];
  #door!: Door;
  #auto: Auto = "off";
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: TronNodeOptions) {
    super({ startMs: START_MS, ...options });
    this.chain.savesInternalTransactions = options.savesInternalTransactions ?? false;
    this.chain.estimatesEnergy = options.estimatesEnergy ?? false;
    this.auto(options.auto ?? "off");
  }

  async open(): Promise<void> {
    this.#door = await this.addDoor();
  }

  get url(): string {
    return this.#door.url;
  }

  get door(): Door {
    return this.#door;
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
    const calls: Call[] = [];
    const unexpected: Call[] = [];
    const server = await this.serve({
      lag: () => door.lag,
      react: async (call, forward) => {
        calls.push(call);
        const fault = await door.onCall(call) ?? undefined;
        return befall(fault, () => {
          const reply = forward();
          if (reply.status === 404 || reply.status === 405) unexpected.push(call);
          this.#mineIfAuto();
          return reply;
        });
      },
    });
    this.#servers.push(server);
    return Object.assign(door, { url: server.url, calls, unexpected });
  }

  auto(auto: Auto): void {
    clearInterval(this.#timer);
    this.#auto = auto;
    if (typeof auto === "number") this.#timer = setInterval(() => this.produce(), auto);
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
    this.broadcaster.forget();
  }

  dropFromPool(txId: string): boolean {
    const before = this.chain.pool.length;
    this.chain.forget(txId);
    return this.chain.pool.length < before;
  }

  setChainParameters(changed: Partial<ChainParameters>): void {
    this.chain.setParameters(changed);
  }

  setBalance(address: string, sun: bigint): void {
    this.chain.rewriteAccount(hexAddress(address))((account) => ({ ...account, balance: sun }));
  }

  /** Bandwidth and energy that somebody lends, a day's quota. */
  setResources(address: string, { net, energy }: { net?: bigint; energy?: bigint }): void {
    const staked = (resource: Resource, quota: bigint) => {
      const { limit, weight } = this.chain.accounts.total(resource);
      return (quota * weight * SUN_PER_TRX + limit - 1n) / limit;
    };
    this.chain.rewriteAccount(hexAddress(address))((account) => ({
      ...account,
      borrowed: {
        BANDWIDTH: net === undefined ? account.borrowed.BANDWIDTH : staked("BANDWIDTH", net),
        ENERGY: energy === undefined ? account.borrowed.ENERGY : staked("ENERGY", energy),
      },
    }));
  }

  /** Stakes coins for energy that the account didn't have to have, at every height. */
  stakeFor(address: string, sun: bigint): void {
    this.chain.rewriteAccount(hexAddress(address))((account) => ({
      ...account,
      frozen: { ...account.frozen, ENERGY: account.frozen.ENERGY + sun },
    }));
  }

  /** Lends a part of such a stake, without a transaction and at every height. */
  lendFrom(lender: string, borrower: string, sun: bigint): void {
    const [from, to] = [hexAddress(lender), hexAddress(borrower)];
    const more = (stakes: Stakes, by: bigint) => ({ ...stakes, ENERGY: stakes.ENERGY + by });
    this.chain.rewrite(
      loanKey("ENERGY", { from, to }),
      (lent) => (typeof lent === "bigint" ? lent : 0n) + sun,
    );
    this.chain.rewriteAccount(from)((account) => ({
      ...account,
      frozen: more(account.frozen, -sun),
      lent: more(account.lent, sun),
      lentTo: [...account.lentTo.filter((each) => each !== to), to],
    }));
    this.chain.rewriteAccount(to)((account) => ({
      ...account,
      borrowed: more(account.borrowed, sun),
      borrowedFrom: [...account.borrowedFrom.filter((each) => each !== from), from],
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

  /** It exists at every height, because a deployment is no transaction here. */
  deployDisperser(version = 0): Disperser & { readonly base58: string } {
    const disperser = new Disperser(this.contractAddress(), DEPLOYER, version);
    addContract(this.chain, disperser);
    return Object.assign(disperser, { base58: toBase58Check(disperser.address) });
  }

  /** Transactions that were removed from the pool without being mined, and why. */
  get dropped(): readonly { readonly txId: string; readonly reason: string }[] {
    return this.chain.dropped;
  }

  override submit(type: string, value: Message): string {
    const txId = super.submit(type, value);
    this.#mineIfAuto();
    return txId;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#servers.map((server) => server[Symbol.asyncDispose]()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #mineIfAuto(): void {
    if (this.#auto === "broadcast" && this.chain.pool.length > 0) this.produce();
  }
}

export { SLOT_MS };
