import { Waits } from "./waits.ts";

/** Wakes everybody who waits, and if nobody does, the next who asks. */
export class Wake {
  #waiting = Promise.withResolvers<void>();
  #isFired = false;

  fire(): void {
    this.#isFired = true;
    this.#waiting.resolve();
  }

  async wait(): Promise<void> {
    if (!this.#isFired) await this.#waiting.promise;
    this.#isFired = false;
    this.#waiting = Promise.withResolvers();
  }
}

interface SlotLimits {
  readonly quickMax: number;
  readonly slowMax: number;
  /** Work that takes longer counts as slow. */
  readonly slowAfterMs: number;
  /** Quick and slow together. */
  readonly ownerMax: number;
}

type Owner = number;

/**
 * Limits how much work runs at once. Work that takes long moves to the slow places and frees its
 * quick one, so receivers that hang fill the slow places and delay nobody else. A free place goes
 * to the owner with the fewest, so an owner's work only waits for itself.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #slowWaits: Waits;
  #quick = 0;
  #slow = 0;
  readonly #running = new Map<Owner, number>();
  readonly #waiting = new Map<Owner, (() => void)[]>();

  constructor(limits: SlotLimits) {
    this.#limits = limits;
    this.#slowWaits = new Waits(limits.slowAfterMs);
  }

  get isIdle(): boolean {
    return this.#quick + this.#slow === 0;
  }

  async run<T>(owner: Owner, work: () => Promise<T>): Promise<T> {
    if (this.#isRoom(owner)) this.#take(owner);
    else await this.#wait(owner);
    let isSlow = false;
    const giveUp = this.#slowWaits.start(() => {
      if (this.#slow >= this.#limits.slowMax) return;
      isSlow = true;
      this.#slow++;
      this.#quick--;
      this.#startNext();
    });
    try {
      return await work();
    } finally {
      giveUp();
      if (isSlow) this.#slow--;
      else this.#quick--;
      this.#leave(owner);
    }
  }

  #isRoom(owner: Owner): boolean {
    const { quickMax, ownerMax } = this.#limits;
    return this.#quick < quickMax && this.#countOf(owner) < ownerMax;
  }

  #countOf(owner: Owner): number {
    return this.#running.get(owner) ?? 0;
  }

  #take(owner: Owner): void {
    this.#quick++;
    this.#running.set(owner, this.#countOf(owner) + 1);
  }

  /** Whoever leaves hands the place over. */
  #wait(owner: Owner): Promise<void> {
    const own = this.#waiting.getOrInsertComputed(owner, () => []);
    return new Promise((resolve) => void own.push(resolve));
  }

  #leave(owner: Owner): void {
    const left = this.#countOf(owner) - 1;
    if (left === 0) this.#running.delete(owner);
    else this.#running.set(owner, left);
    this.#startNext();
  }

  #startNext(): void {
    const owner = this.#nextOwner();
    if (owner === undefined || !this.#isRoom(owner)) return;
    const own = this.#waiting.get(owner);
    const start = own?.shift();
    if (!own || !start) return;
    if (own.length === 0) this.#waiting.delete(owner);
    this.#take(owner);
    start();
  }

  /** Among equals, the one that has waited longest. */
  #nextOwner(): Owner | undefined {
    let [next, fewest]: [Owner | undefined, number] = [undefined, Infinity];
    for (const owner of this.#waiting.keys()) {
      const count = this.#countOf(owner);
      if (count < fewest) [next, fewest] = [owner, count];
    }
    return next;
  }
}
