/**
 * A map that forgets what was unused for longest. Two generations: a hit moves to the young one,
 * and when that is full, the old one is dropped. A hit costs one look-up, and the newest half of
 * the size is always kept.
 */
export class Lru<K, V> {
  readonly #generationMax: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(readonly sizeMax: number) {
    this.#generationMax = Math.ceil(sizeMax / 2);
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    this.#young.set(key, value);
    if (this.#young.size <= this.#generationMax) return;
    this.#young.delete(key);
    this.#old = this.#young;
    this.#young = new Map([[key, value]]);
  }

  /** Made if it isn't known. */
  getOrMake(key: K, make: (key: K) => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    this.set(key, made);
    return made;
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
