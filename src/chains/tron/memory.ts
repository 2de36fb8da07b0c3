import type { BlockOfIds, Header } from "./blocks/block.ts";

const BLOCKS_KEPT = 256;
/** An hour of blocks. */
const SHOWN_FOR_BLOCKS = 1_200;

/**
 * What one URL has answered. A block's hash vouches for all blocks below it, so blocks that lead up
 * to a new one needn't be asked for again, nor whether it is still the same chain.
 */
export class Memory {
  /** By height, each linked to the one before. */
  readonly #trail = new Map<number, string>();
  #shownAtHeight: number | undefined;
  #newest: BlockOfIds | undefined;
  solid: { readonly header: Header; readonly askedAtHeight: number } | undefined;

  /** Whether the newest block links to known ones or is one of them. */
  note({ height, hash, parentHash }: Header): boolean {
    const isLinked = this.#trail.get(height) === hash || this.#trail.get(height - 1) === parentHash;
    if (!isLinked) this.#trail.clear();
    if (this.#trail.get(height) !== hash) {
      for (let above = height + 1; this.#trail.delete(above);) above++;
    }
    this.#trail.set(height - 1, parentHash).set(height, hash);
    this.#trail.delete(height - BLOCKS_KEPT);
    return isLinked;
  }

  hashAt(height: number): string | undefined {
    return this.#trail.get(height);
  }

  /** The genesis block was just checked; the next head is on the same chain. */
  noteShown(): void {
    this.#shownAtHeight = undefined;
  }

  /** Whether the genesis block has to be checked again. */
  isToBeShown({ height }: Header, isLinked: boolean): boolean {
    if (this.#shownAtHeight === undefined) {
      this.#shownAtHeight = height;
      return false;
    }
    return !isLinked || height >= this.#shownAtHeight + SHOWN_FOR_BLOCKS;
  }

  /** For the next reader of that block only: it may have been replaced since. */
  keepNewest(block: BlockOfIds): void {
    this.#newest = block;
  }

  takeNewest(height: number): BlockOfIds | undefined {
    const newest = this.#newest?.header.height === height ? this.#newest : undefined;
    if (newest) this.#newest = undefined;
    return newest;
  }
}
