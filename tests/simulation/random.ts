/** Numbers that depend on a seed alone: xoshiro128**, filled by splitmix32. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number) {
    let mixed = seed >>> 0;
    const next = () => {
      mixed = (mixed + 0x9e3779b9) >>> 0;
      let z = mixed;
      z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
      return (z ^ (z >>> 15)) >>> 0;
    };
    [this.#a, this.#b, this.#c, this.#d] = [next(), next(), next(), next()];
  }

  /** A generator of its own, so that what one subject draws changes nothing for the others. */
  fork(): Random {
    return new Random(this.uint32());
  }

  uint32(): number {
    const product = Math.imul(this.#b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result;
  }

  /** At least 0, less than 1. */
  fraction(): number {
    return this.uint32() / 2 ** 32;
  }

  chance(of: number): boolean {
    return this.fraction() < of;
  }

  /** A whole number, both ends included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.fraction() * (to - from + 1));
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.between(0, from.length - 1)];
    if (from.length === 0) throw new Error("There is nothing to pick from");
    return picked as T;
  }

  /** How long until something that happens every `meanMs` on average happens again. */
  wait(meanMs: number): number {
    return Math.ceil(-Math.log(1 - this.fraction()) * meanMs);
  }

  fill(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i += 4) {
      const value = this.uint32();
      for (let j = i; j < Math.min(i + 4, bytes.length); j++) bytes[j] = value >>> (8 * (j - i));
    }
  }
}
