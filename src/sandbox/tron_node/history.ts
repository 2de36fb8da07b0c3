import { present } from "../../base/assert.ts";
import { last } from "../../base/lists.ts";
import { type Account, accountKey, type Entry, newAccount } from "./account.ts";
import type { HexAddress } from "./addresses.ts";
import type { Block } from "./blocks.ts";
import { type Layer, Ledger, type State } from "./ledger.ts";
import type { Transaction } from "./transactions.ts";

const TAPOS_WINDOW = 65_536;

/** The blocks, and the state after each of them. */
export class History {
  readonly ledger = new Ledger<Entry>();
  /** The first one, by which a chain is known, and the newest. */
  readonly blocks: Block[];
  readonly #keptMax: number;
  #forgotten = 0;
  readonly #numberOf = new Map<string, number>();

  constructor(first: Block, keptMax: number) {
    this.blocks = [first];
    this.#keptMax = keptMax;
  }

  /** Undefined: it isn't there yet, or any more. */
  block(number: number): Block | undefined {
    return number === 0 || number > this.#forgotten
      ? this.blocks[this.#placeOf(number)]
      : undefined;
  }

  get head(): Block {
    return last(this.blocks);
  }

  get headMs(): number {
    return this.head.timestampMs;
  }

  recentBlockId(refBlockBytes: string): string | undefined {
    const low = parseInt(refBlockBytes.padStart(4, "0"), 16);
    const head = this.head.number;
    const number = head - ((head - low) % TAPOS_WINDOW + TAPOS_WINDOW) % TAPOS_WINDOW;
    return this.block(number)?.id;
  }

  mined(txId: string, upTo = this.head.number): { block: Block; index: number } | undefined {
    const number = this.#numberOf.get(txId);
    if (number === undefined || number > upTo) return undefined;
    const block = present(this.block(number), "Forgotten blocks have no transactions");
    return { block, index: block.transactions.findIndex((each) => each.txId === txId) };
  }

  /** The state as it was after a block; the pool's effects are in none. */
  stateAt(number: number): State<Entry> {
    return { get: (key) => this.ledger.getBefore(key, this.#undosAfter(number)) };
  }

  /** Changes it at every height, also in the past. */
  rewrite(key: string, change: (value: Entry | undefined) => Entry): void {
    this.ledger.rewrite(key, this.#undosAfter(-1), change);
  }

  rewriteAccount(address: HexAddress, type: "Normal" | "Contract" = "Normal") {
    return (change: (account: Account) => Account) =>
      this.rewrite(accountKey(address), (entry) => {
        const isAccount = typeof entry === "object";
        return change(isAccount ? entry : newAccount(address, this.headMs, type));
      });
  }

  protected add(block: Block): void {
    this.blocks.push(block);
    for (const { txId } of block.transactions) this.#numberOf.set(txId, block.number);
    if (this.blocks.length > 2 * this.#keptMax) this.#forget();
  }

  /** Removes the newest blocks and returns what they contained. */
  protected takeBack(depth: number): Transaction[] {
    const lost = this.blocks.splice(this.blocks.length - depth);
    for (const block of lost.toReversed()) {
      this.ledger.undo(block.undo);
      for (const { txId } of block.transactions) this.#numberOf.delete(txId);
    }
    return lost.flatMap(({ transactions }) => transactions);
  }

  /** Many at once, because each time moves those that stay. */
  #forget(): void {
    const old = this.blocks.splice(1, this.blocks.length - 1 - this.#keptMax);
    this.#forgotten += old.length;
    for (const { transactions } of old) {
      for (const { txId } of transactions) this.#numberOf.delete(txId);
    }
  }

  #placeOf(number: number): number {
    return number === 0 ? 0 : number - this.#forgotten;
  }

  #undosAfter(number: number): Layer<Entry>[] {
    return this.blocks.slice(Math.max(0, this.#placeOf(number) + 1)).map(({ undo }) => undo);
  }
}
