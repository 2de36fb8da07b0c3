import type { Clock } from "../../base/clock.ts";

const PAUSE_MS = 1;
/** More than one, because a loop that was busy ends a pause before it sees who came meanwhile. */
const QUIET_PAUSES_MAX = 2;
const GATHER_MAX_MS = 10;

/** Waits until the units that arrive together are all in the queue. */
export class Gathering {
  #expected = 1;
  #untilMs = 0;
  #endPause = () => {};

  constructor(readonly queue: readonly unknown[], readonly clock: Clock) {}

  /** To be called for each unit that joins the queue. */
  noteArrival(): void {
    if (this.#isOver) this.#endPause();
  }

  /**
   * About as many as last time tend to come, one after the other as their requests are checked.
   * Asleep in between: a loop of empty turns would take the processor from those who check them.
   */
  async waitFor(expected: number): Promise<void> {
    this.#expected = expected;
    this.#untilMs = this.clock.nowMs() + GATHER_MAX_MS;
    await turn();
    for (let quiet = 0; quiet < QUIET_PAUSES_MAX && !this.#isOver;) {
      const before = this.queue.length;
      await this.#pause();
      quiet = this.queue.length > before ? 0 : quiet + 1;
    }
  }

  get #isOver(): boolean {
    return this.queue.length >= this.#expected || this.clock.nowMs() >= this.#untilMs;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PAUSE_MS);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
