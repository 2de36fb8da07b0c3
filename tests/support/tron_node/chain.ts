import { sha256 } from "@noble/hashes/sha2.js";
import { toHex, utf8 } from "../../../src/base/bytes.ts";
import { accountKey, Accounts, newAccount } from "./accounts.ts";
import type { HexAddress } from "./addresses.ts";
import { type Block, sealBlock } from "./blocks.ts";
import { execute } from "./contracts/execute.ts";
import type { World } from "./world.ts";
import { type Layer, Ledger, type State } from "./ledger.ts";
import type { SimulatedContract } from "./contracts/machine.ts";
import { type ChainParameters, MAINNET_LIKE } from "./parameters.ts";
import type { Message } from "./api/proto.ts";
import type { Transaction } from "./transactions.ts";
import { checkNextSlot, type Surroundings, validate } from "./validate.ts";

export const SLOT_MS = 3_000;
const TAPOS_WINDOW = 65_536;

export interface Pooled {
  readonly transaction: Transaction;
  readonly receivedAtMs: number;
}

interface PricePoint {
  readonly sinceMs: number;
  readonly price: bigint;
}

interface Ran {
  readonly transaction: Transaction;
  readonly info: Message;
}

interface ChainOptions {
  /** The time of block 1; genesis is of time zero. */
  readonly startMs: number;
  /** Another text makes another chain. */
  readonly genesis: string;
  /** In the place of the first block's own id, to stand for a chain that is known by it. */
  readonly genesisId?: string | undefined;
  /** Blocks between the solid one and the head: 18 later witnesses make a block solid. */
  readonly solidLag: number;
  /** A pooled transaction older than this is forgotten. */
  readonly pendingTimeoutMs: number;
}

/** Blocks, the state behind them, and the pool before them. */
export class Chain implements World, Surroundings {
  readonly ledger = new Ledger();
  readonly accounts: Accounts;
  readonly contracts = new Map<HexAddress, SimulatedContract>();
  readonly blocks: Block[] = [];
  pool: Pooled[] = [];
  /** Taken out of the pool without being mined, with the reason. */
  readonly dropped: { readonly txId: string; readonly reason: string }[] = [];
  solidNumber = 0;
  readonly solidLag: number;
  isSolidStalled = false;
  savesInternalTransactions = false;
  estimatesEnergy = false;
  readonly energyPrices: PricePoint[] = [{ sinceMs: 0, price: MAINNET_LIKE.getEnergyFee }];
  readonly bandwidthPrices: PricePoint[] = [{ sinceMs: 0, price: MAINNET_LIKE.getTransactionFee }];
  chainParameters: ChainParameters = MAINNET_LIKE;
  /** The node's own clock. */
  nowMs: number;
  readonly pendingTimeoutMs: number;
  readonly #numberOf = new Map<string, number>();
  #forks = 0;

  constructor({ startMs, genesis, genesisId, solidLag, pendingTimeoutMs }: ChainOptions) {
    this.nowMs = startMs - SLOT_MS;
    this.solidLag = solidLag;
    this.pendingTimeoutMs = pendingTimeoutMs;
    this.accounts = new Accounts(this.ledger, () => this.chainParameters, () => this.headMs);
    this.ledger.open();
    const { id, header } = sealBlock({
      number: 0,
      timestampMs: 0,
      parentId: toHex(sha256(utf8(genesis))),
      witness: 0,
      transactions: [],
    });
    const undo = this.ledger.close();
    const first = { number: 0, id: genesisId ?? id, timestampMs: 0 };
    this.blocks.push({ ...first, header, transactions: [], infos: [], undo });
    this.ledger.open();
  }

  get head(): Block {
    return this.blocks.at(-1)!;
  }

  get solid(): Block {
    return this.blocks[this.solidNumber]!;
  }

  get headMs(): number {
    return this.head.timestampMs;
  }

  get nextSlotMs(): number {
    return this.head.number === 0 ? this.nowMs + SLOT_MS : this.headMs + SLOT_MS;
  }

  parameters = (): ChainParameters => this.chainParameters;
  savesInternal = (): boolean => this.savesInternalTransactions;

  recentBlockId(refBlockBytes: string): string | undefined {
    const low = parseInt(refBlockBytes.padStart(4, "0"), 16);
    const head = this.head.number;
    const number = head - ((head - low) % TAPOS_WINDOW + TAPOS_WINDOW) % TAPOS_WINDOW;
    return this.blocks[number]?.id;
  }

  isKnown(txId: string): boolean {
    return this.#numberOf.has(txId) ||
      this.pool.some(({ transaction }) => transaction.txId === txId);
  }

  mined(txId: string, upTo = this.head.number): { block: Block; index: number } | undefined {
    const number = this.#numberOf.get(txId);
    if (number === undefined || number > upTo) return undefined;
    const block = this.blocks[number]!;
    return { block, index: block.transactions.findIndex((each) => each.txId === txId) };
  }

  /** The state as it was after a block; the pool's effects are in none. */
  stateAt(number: number): State {
    return { get: (key) => this.ledger.getBefore(key, this.#undosAfter(number)) };
  }

  /** Changes it at every height, also in the past. */
  rewrite<T>(key: string, change: (value: T | undefined) => T): void {
    this.ledger.rewrite(key, this.#undosAfter(-1), change);
  }

  rewriteAccount(address: HexAddress, type: "Normal" | "Contract" = "Normal") {
    return (change: (account: ReturnType<typeof newAccount>) => ReturnType<typeof newAccount>) =>
      this.rewrite<ReturnType<typeof newAccount>>(
        accountKey(address),
        (account) => change(account ?? newAccount(address, this.headMs, type)),
      );
  }

  /** Runs it on top of the pool; throws what refuses it. */
  take(transaction: Transaction): void {
    const ran = this.#run(transaction);
    this.pool.push({ transaction: ran.transaction, receivedAtMs: this.nowMs });
  }

  /**
   * One block at the next slot, or the first one at or after the node's clock. It has the pool's
   * transactions, or only those that are given; whatever does not fit is dropped.
   */
  produce({ transactions }: { readonly transactions?: readonly Transaction[] } = {}): Block {
    this.ledger.revert();
    const timestampMs = this.#slotFrom(this.nowMs);
    this.nowMs = timestampMs;
    const waiting = this.pool;
    this.pool = [];
    this.ledger.open();
    const chosen = transactions ?? waiting.map(({ transaction }) => transaction);
    const ran = chosen.flatMap((transaction) => this.#runOrDrop(transaction));
    const undo = this.ledger.close();
    this.#append(timestampMs, ran, undo);
    this.ledger.open();
    if (transactions) this.#repool(waiting.filter((each) => !this.isKnown(each.transaction.txId)));
    if (!this.isSolidStalled) {
      this.solidNumber = Math.max(this.solidNumber, this.head.number - this.solidLag, 0);
    }
    return this.head;
  }

  /** Takes the newest blocks back and returns their transactions. A block must follow. */
  orphan(depth: number): Transaction[] {
    if (this.head.number - depth < this.solidNumber) {
      throw new Error(`Block ${this.solidNumber} is solid: a fork cannot go below it`);
    }
    this.ledger.revert();
    const orphaned = this.blocks.splice(this.blocks.length - depth);
    for (const block of orphaned.toReversed()) {
      this.ledger.undo(block.undo);
      for (const { txId } of block.transactions) this.#numberOf.delete(txId);
    }
    this.ledger.open();
    this.#forks++;
    return orphaned.flatMap(({ transactions }) => transactions);
  }

  /** Orphaned transactions wait for the next block, which puts them back into the pool. */
  returnToPool(transactions: readonly Transaction[]): void {
    const receivedAtMs = this.nowMs;
    this.pool.push(...transactions.map((transaction) => ({ transaction, receivedAtMs })));
  }

  forget(txId: string): void {
    const waiting = this.pool.filter(({ transaction }) => transaction.txId !== txId);
    this.ledger.revert();
    this.ledger.open();
    this.pool = [];
    this.#repool(waiting);
  }

  setParameters(changed: Partial<ChainParameters>): void {
    this.chainParameters = { ...this.chainParameters, ...changed };
    const point = (price: bigint) => ({ sinceMs: this.nowMs, price });
    if (changed.getEnergyFee !== undefined) this.energyPrices.push(point(changed.getEnergyFee));
    if (changed.getTransactionFee !== undefined) {
      this.bandwidthPrices.push(point(changed.getTransactionFee));
    }
  }

  /** Again on top of what is now there; what no longer fits is dropped. */
  #repool(waiting: readonly Pooled[]): void {
    for (const pooled of waiting) {
      if (this.nowMs - pooled.receivedAtMs >= this.pendingTimeoutMs) {
        this.dropped.push({ txId: pooled.transaction.txId, reason: "pending timeout" });
      } else if (this.#runOrDrop(pooled.transaction).length > 0) this.pool.push(pooled);
    }
  }

  #runOrDrop(transaction: Transaction): Ran[] {
    try {
      return [this.#run(transaction)];
    } catch (error) {
      this.dropped.push({ txId: transaction.txId, reason: String(error) });
      return [];
    }
  }

  #run(transaction: Transaction): Ran {
    checkNextSlot(transaction, this.nextSlotMs);
    validate(this, transaction);
    this.ledger.open();
    try {
      const { info, contractRet } = execute(this, transaction);
      this.ledger.merge();
      return { transaction: { ...transaction, ret: { contractRet } }, info };
    } catch (error) {
      this.ledger.revert();
      throw error;
    }
  }

  #append(timestampMs: number, ran: readonly Ran[], undo: Layer): void {
    const number = this.head.number + 1;
    const transactions = ran.map(({ transaction }) => transaction);
    const witness = Math.floor(timestampMs / SLOT_MS) + this.#forks;
    const parentId = this.head.id;
    const sealed = sealBlock({ number, timestampMs, parentId, witness, transactions });
    const blockFacts = { blockNumber: BigInt(number), blockTimeStamp: BigInt(timestampMs) };
    const infos = ran.map(({ info: { id, fee, ...rest } }) => ({
      id,
      fee,
      ...blockFacts,
      ...rest,
    }));
    this.blocks.push({ number, ...sealed, timestampMs, transactions, infos, undo });
    for (const { txId } of transactions) this.#numberOf.set(txId, number);
  }

  #slotFrom(ms: number): number {
    const next = this.nextSlotMs;
    return ms <= next ? next : next + Math.ceil((ms - next) / SLOT_MS) * SLOT_MS;
  }

  #undosAfter(number: number): Layer[] {
    return this.blocks.slice(number + 1).map(({ undo }) => undo);
  }
}
