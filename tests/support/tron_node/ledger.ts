import { present } from "../../../src/base/assert.ts";

/** The values of keys before a layer changed them. */
export type Layer = ReadonlyMap<string, unknown>;

/**
 * The state of the chain as keys and values that are replaced, never changed. Every change is noted
 * in the top layer, so a failed transaction, a pool or an orphaned block can be undone, and older
 * values of a key can be read.
 */
export class Ledger {
  readonly #values = new Map<string, unknown>();
  readonly #open: Map<string, unknown>[] = [];

  get<T>(key: string): T | undefined {
    return this.#values.get(key) as T | undefined;
  }

  set(key: string, value: unknown): void {
    const top = present(this.#open.at(-1), "Nothing is written outside a layer");
    if (!top.has(key)) top.set(key, this.#values.get(key));
    this.#values.set(key, value);
  }

  open(): void {
    this.#open.push(new Map());
  }

  /** Takes back what the layer on top changed. */
  revert(): void {
    this.undo(this.#pop());
  }

  /** Moves the changes of the top layer into the one below. */
  merge(): void {
    const layer = this.#pop();
    const below = present(this.#open.at(-1), "There is no layer below");
    for (const [key, before] of layer) if (!below.has(key)) below.set(key, before);
  }

  /** A block is done: what it changed is kept beside it. */
  close(): Layer {
    return this.#pop();
  }

  undo(layer: Layer): void {
    for (const [key, before] of layer) this.#restore(key, before);
  }

  /** The value before these layers, oldest first, and before all open ones. */
  getBefore<T>(key: string, layers: readonly Layer[]): T | undefined {
    const first = [...layers, ...this.#open].find((layer) => layer.has(key));
    return (first ? first.get(key) : this.#values.get(key)) as T | undefined;
  }

  /** Changes the value in every layer at once, also in the past. */
  rewrite<T>(
    key: string,
    layers: readonly Layer[],
    change: (value: T | undefined) => T,
  ): void {
    for (const layer of [...layers, ...this.#open]) {
      if (layer.has(key)) {
        (layer as Map<string, unknown>).set(key, change(layer.get(key) as T | undefined));
      }
    }
    this.#values.set(key, change(this.#values.get(key) as T | undefined));
  }

  #restore(key: string, before: unknown): void {
    if (before === undefined) this.#values.delete(key);
    else this.#values.set(key, before);
  }

  #pop(): Map<string, unknown> {
    return present(this.#open.pop(), "No layer is open");
  }
}

/** Reads the state of one moment. */
export interface State {
  get<T>(key: string): T | undefined;
}
