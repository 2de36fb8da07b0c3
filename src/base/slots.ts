import { Waits } from "./waits.ts";

/** Fires once for everybody who waits, and is remembered for the next who asks. */
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
  /** What takes longer moves over to the slow ones. */
  readonly slowAfterMs: number;
}

/**
 * How many sendings run at once in all. One that takes long gives its place to the next and counts
 * among the slow ones: receivers that hang fill up the slow places, and hold up no others.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #slowWaits: Waits;
  #quick = 0;
  #slow = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limits: SlotLimits) {
    this.#limits = limits;
    this.#slowWaits = new Waits(limits.slowAfterMs);
  }

  /** Nothing is being sent. */
  get isIdle(): boolean {
    return this.#quick + this.#slow === 0;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter();
    let isSlow = false;
    const giveUp = this.#slowWaits.start(() => {
      if (this.#slow >= this.#limits.slowMax) return;
      isSlow = true;
      this.#slow++;
      this.#leave();
    });
    try {
      return await work();
    } finally {
      giveUp();
      if (isSlow) this.#slow--;
      else this.#leave();
    }
  }

  async #enter(): Promise<void> {
    if (this.#quick >= this.#limits.quickMax) {
      // Whoever leaves hands the place over.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#quick++;
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#quick--;
  }
}
