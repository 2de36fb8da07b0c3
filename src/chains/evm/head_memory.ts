import type { BalanceAsked, BlockRef } from "../chain.ts";
import type { Head } from "../pool/head.ts";

/** Then the next look finds a new block again, and it is asked for whole. */
const READ_IN_A_ROW = 2;
/** By the chain's time: what is final is asked for again after so long, however few blocks that is. */
const FINAL_FOR_MS = 120_000;

/** What was asked about a block before the node showed it. It is checked as if it came later. */
export interface AskedAhead {
  readonly hash: string;
  readonly contracts: readonly string[];
  readonly logs: Promise<unknown> | undefined;
  readonly traces: { readonly method: string; readonly answer: Promise<unknown> } | undefined;
}

/** What was learned from one node's heads, so that it isn't asked again for what can't have changed. */
export class HeadMemory {
  #newest: (BlockRef & { readonly atMs: number }) | undefined;
  #isLinked = false;
  #final:
    | { readonly value: Head["finalized"]; readonly height: number; readonly atMs: number }
    | undefined;
  /** As it came; until it is read. */
  #whole: { readonly ref: BlockRef; readonly block: unknown } | undefined;
  #readInARow = 0;
  /** The last block of which something was asked ahead. */
  ahead: AskedAhead | undefined;
  readonly balances = new BalanceMemory();

  /** Whether the newest block is asked for with its transactions, because it is read next. */
  get wantsWhole(): boolean {
    return this.#readInARow >= READ_IN_A_ROW;
  }

  /** A block that follows one of the right chain is of that chain. */
  get expectsLink(): boolean {
    return this.#isLinked;
  }

  isLinked({ hash, parentHash }: BlockRef): boolean {
    return this.#newest !== undefined && [hash, parentHash].includes(this.#newest.hash);
  }

  /** Final blocks stay so: an older answer is only lower. Undefined: it has to be asked. */
  finalFor(everyBlocks: number): { readonly value: Head["finalized"] } | undefined {
    const newest = this.#newest;
    const final = this.#final;
    if (!newest || !final || !this.#isLinked) return undefined;
    const isRecent = newest.height >= final.height && newest.atMs - final.atMs < FINAL_FOR_MS &&
      newest.height + 1 < final.height + everyBlocks;
    return isRecent ? final : undefined;
  }

  noteFinal(
    value: Head["finalized"],
    { height, atMs }: BlockRef & { readonly atMs: number },
  ): void {
    this.#final = { value, height, atMs };
  }

  note(newest: BlockRef & { readonly atMs: number }, whole?: unknown): void {
    this.#isLinked = this.isLinked(newest);
    const isSame = this.#newest?.hash === newest.hash;
    if (isSame || this.#whole) this.#readInARow = 0;
    this.#whole = isSame || whole === undefined ? undefined : { ref: newest, block: whole };
    this.#newest = newest;
  }

  /** A block that was just seen, once; whoever reads it again asks for it. */
  take(height: number): unknown {
    if (height !== this.#newest?.height) return undefined;
    this.#readInARow++;
    const whole = this.#whole;
    this.#whole = undefined;
    return whole?.block;
  }

  /** It couldn't be asked as it was. */
  forget(): void {
    this.#isLinked = false;
    this.#whole = undefined;
    this.#readInARow = 0;
  }
}

/** Balances at the block that was read last, asked for together with its receipts. */
class BalanceMemory {
  #hash: string | undefined;
  readonly #known = new Map<string, Promise<bigint>>();

  note(block: { readonly hash: string }, asked: BalanceAsked, answer: Promise<bigint>): void {
    if (this.#hash !== block.hash) this.#known.clear();
    this.#hash = block.hash;
    answer.catch(() => {});
    this.#known.set(keyOf(asked), answer);
  }

  /**
   * Undefined if it has to be asked. Each is for one question only: whoever asks again wants to know
   * whether the block still is.
   */
  async take(
    block: { readonly hash: string },
    asked: readonly BalanceAsked[],
  ): Promise<bigint[] | undefined> {
    if (this.#hash !== block.hash) return undefined;
    const answers = asked.flatMap((one) => this.#known.get(keyOf(one)) ?? []);
    for (const one of asked) this.#known.delete(keyOf(one));
    if (answers.length !== asked.length) return undefined;
    return await Promise.all(answers).catch(() => undefined);
  }
}

function keyOf({ address, contract }: BalanceAsked): string {
  return `${address}/${contract}`;
}
