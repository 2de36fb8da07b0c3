import { present } from "../../base/assert.ts";
import { at } from "../../base/lists.ts";
import type { Entry } from "./account.ts";
import { Accounts } from "./accounts.ts";
import type { HexAddress } from "./addresses.ts";
import { type Block, firstBlock, makeWitnesses, sealBlock } from "./blocks.ts";
import { execute } from "./contracts/execute.ts";
import type { World } from "./world.ts";
import { History } from "./history.ts";
import type { Layer } from "./ledger.ts";
import type { SimulatedContract } from "./contracts/machine.ts";
import { type ChainParameters, Prices } from "./parameters.ts";
import type { Message } from "./api/values.ts";
import type { Transaction } from "./transactions.ts";
import { checkNextSlot, type Surroundings, validate } from "./validate.ts";

export const SLOT_MS = 3_000;

export interface Pooled {
  readonly transaction: Transaction;
  readonly receivedAtMs: number;
}

interface Ran {
  readonly transaction: Transaction;
  readonly info: Message;
}

interface ChainOptions {
  /** The time of block 1; the time of genesis is zero. */
  readonly startMs: number;
  /** Another text makes another chain. */
  readonly genesis: string;
  /** Replaces the first block's own id, to stand for a real chain. */
  readonly genesisId?: string | undefined;
  /** Blocks between the solid one and the head: 18 later witnesses make a block solid. */
  readonly solidLag: number;
  /** A pooled transaction older than this is forgotten. */
  readonly pendingTimeoutMs: number;
  /** So many blocks are kept, or up to twice as many; older ones are forgotten. */
  readonly blocksMax: number;
}

/** Blocks, the state behind them, and the pool before them. */
export class Chain extends History implements World, Surroundings {
  readonly accounts: Accounts;
  readonly contracts = new Map<HexAddress, SimulatedContract>();
  pool: Pooled[] = [];
  /** Taken out of the pool without being mined, with the reason. */
  readonly dropped: { readonly txId: string; readonly reason: string }[] = [];
  solidNumber = 0;
  readonly solidLag: number;
  isSolidStalled = false;
  savesInternalTransactions = false;
  estimatesEnergy = false;
  readonly prices = new Prices();
  /** The node's own clock. */
  nowMs: number;
  readonly pendingTimeoutMs: number;
  readonly #witnesses = makeWitnesses();
  #forks = 0;

  constructor(options: ChainOptions) {
    const { startMs, genesis, genesisId, solidLag, pendingTimeoutMs, blocksMax } = options;
    super(firstBlock({ genesis, genesisId, undo: new Map() }), blocksMax);
    this.nowMs = startMs - SLOT_MS;
    this.solidLag = solidLag;
    this.pendingTimeoutMs = pendingTimeoutMs;
    this.accounts = new Accounts(this.ledger, () => this.chainParameters, () => this.headMs);
    this.ledger.open();
  }

  get solid(): Block {
    return present(this.block(this.solidNumber), "The solid block is a new one");
  }

  get nextSlotMs(): number {
    return this.head.number === 0 ? this.nowMs + SLOT_MS : this.headMs + SLOT_MS;
  }

  get chainParameters(): ChainParameters {
    return this.prices.now;
  }

  parameters = (): ChainParameters => this.prices.now;
  savesInternal = (): boolean => this.savesInternalTransactions;

  isKnown(txId: string): boolean {
    return this.mined(txId) !== undefined ||
      this.pool.some(({ transaction }) => transaction.txId === txId);
  }

  /** Runs it on top of the pool; throws if it is refused. */
  take(transaction: Transaction): void {
    const ran = this.#run(transaction);
    this.pool.push({ transaction: ran.transaction, receivedAtMs: this.nowMs });
  }

  /**
   * One block at the next slot, or the first one at or after the node's clock. It has the pool's
   * transactions, or only those that are given; whatever doesn't fit is dropped.
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
    const orphaned = this.takeBack(depth);
    this.ledger.open();
    this.#forks++;
    return orphaned;
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
    this.prices.change(changed, this.nowMs);
  }

  /** Runs them again on top of the new blocks, and drops what no longer fits. */
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

  #append(timestampMs: number, ran: readonly Ran[], undo: Layer<Entry>): void {
    const number = this.head.number + 1;
    const transactions = ran.map(({ transaction }) => transaction);
    const turn = Math.floor(timestampMs / SLOT_MS) + this.#forks;
    const witness = at(this.#witnesses, turn % this.#witnesses.length);
    const parentId = this.head.id;
    const sealed = sealBlock({ number, timestampMs, parentId, witness, transactions });
    const blockFacts = { blockNumber: BigInt(number), blockTimeStamp: BigInt(timestampMs) };
    const infos = ran.map(({ info: { id, fee, ...rest } }) => ({
      id,
      fee,
      ...blockFacts,
      ...rest,
    }));
    this.add({ number, ...sealed, timestampMs, transactions, infos, undo });
  }

  #slotFrom(ms: number): number {
    const next = this.nextSlotMs;
    return ms <= next ? next : next + Math.ceil((ms - next) / SLOT_MS) * SLOT_MS;
  }
}
