import { at, last } from "../../base/lists.ts";
import { type Account, accountKey, type Entry, newAccount } from "./account.ts";
import type { HexAddress } from "./addresses.ts";
import type { Block } from "./blocks.ts";
import { type Layer, Ledger, type State } from "./ledger.ts";
import type { Transaction } from "./transactions.ts";

const TAPOS_WINDOW = 65_536;

/** The blocks, and the state after each of them. */
export class History {
  readonly ledger = new Ledger<Entry>();
  readonly blocks: Block[];
  readonly #numberOf = new Map<string, number>();

  constructor(first: Block) {
    this.blocks = [first];
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
    return this.blocks[number]?.id;
  }

  mined(txId: string, upTo = this.head.number): { block: Block; index: number } | undefined {
    const number = this.#numberOf.get(txId);
    if (number === undefined || number > upTo) return undefined;
    const block = at(this.blocks, number);
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
  }

  /** The newest blocks were never there; returns what they contained. */
  protected takeBack(depth: number): Transaction[] {
    const lost = this.blocks.splice(this.blocks.length - depth);
    for (const block of lost.toReversed()) {
      this.ledger.undo(block.undo);
      for (const { txId } of block.transactions) this.#numberOf.delete(txId);
    }
    return lost.flatMap(({ transactions }) => transactions);
  }

  #undosAfter(number: number): Layer<Entry>[] {
    return this.blocks.slice(number + 1).map(({ undo }) => undo);
  }
}
