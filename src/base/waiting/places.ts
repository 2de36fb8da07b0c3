import { Waits } from "./waits.ts";

/** So many may be inside at once. Others wait in the order in which they came, but not for ever. */
export class Places {
  readonly #waits: Waits;
  /** Each lets one in. */
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(readonly max: number, { waitMaxMs }: { waitMaxMs: number }) {
    this.#waits = new Waits(waitMaxMs);
  }

  /** True: `leave` must follow. False: all stayed taken. */
  take(): boolean | Promise<boolean> {
    if (this.#taken < this.max) {
      this.#taken++;
      return true;
    }
    return new Promise((resolve) => {
      const enter = () => {
        giveUp();
        resolve(true);
      };
      const giveUp = this.#waits.start(() => {
        this.#waiting.delete(enter);
        resolve(false);
      });
      this.#waiting.add(enter);
    });
  }

  /** Hands the place on. */
  leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#taken--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
