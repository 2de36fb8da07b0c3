import { present } from "../../base/assert.ts";

/** The values of keys before a layer changed them. */
export type Layer<V> = Map<string, V | undefined>;

/** Reads the state of one moment. */
export interface State<V> {
  get(key: string): V | undefined;
}

/**
 * The state of the chain as keys and values that are replaced, never changed. Every change is noted
 * in the top layer, so a failed transaction, a pool or an orphaned block can be undone, and older
 * values of a key can be read.
 */
export class Ledger<V> {
  readonly #values = new Map<string, V>();
  readonly #open: Layer<V>[] = [];

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: V): void {
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

  /** Ends a block, and keeps what it changed. */
  close(): Layer<V> {
    return this.#pop();
  }

  undo(layer: Layer<V>): void {
    for (const [key, before] of layer) this.#restore(key, before);
  }

  /** The value before these layers, oldest first, and before all open ones. */
  getBefore(key: string, layers: readonly Layer<V>[]): V | undefined {
    const first = [...layers, ...this.#open].find((layer) => layer.has(key));
    return first ? first.get(key) : this.#values.get(key);
  }

  /** Changes the value in every layer at once, also in the past. */
  rewrite(key: string, layers: readonly Layer<V>[], change: (value: V | undefined) => V): void {
    for (const layer of [...layers, ...this.#open]) {
      if (layer.has(key)) layer.set(key, change(layer.get(key)));
    }
    this.#values.set(key, change(this.#values.get(key)));
  }

  #restore(key: string, before: V | undefined): void {
    if (before === undefined) this.#values.delete(key);
    else this.#values.set(key, before);
  }

  #pop(): Layer<V> {
    return present(this.#open.pop(), "No layer is open");
  }
}
