import { inTime, Waits } from "../../base/waiting/waits.ts";
import { NoAnswer } from "./answer_limits.ts";
import type { Connection } from "./connection.ts";

interface PulseLimits {
  /** An answer that takes longer is no reason to give up, but one to ask whether any comes. */
  readonly askAfterMs: number;
  /** A question that takes no time is answered by then. */
  readonly answerMs: number;
  /** While nothing comes, how long others wait to see whether that is over. */
  readonly hopeMs: number;
}

/** Together less than the five seconds after which callers are told. */
export const PULSE = { askAfterMs: 800, answerMs: 2_700, hopeMs: 1_000 };
/** If a timer is as late, this program stood still itself, and an answer may be there already. */
const LATE_MS = 500;

/**
 * Tells a database server that stands still from one that takes long. If an answer is overdue, it
 * asks for nothing in particular; if that isn't answered either, whoever waits is told. What was
 * sent may still happen.
 */
export class Pulse {
  readonly #askFor: () => Promise<unknown>;
  readonly #limits: PulseLimits;
  readonly #overdue: Waits;
  readonly #answer: Waits;
  readonly #hope: Waits;
  #looking: Promise<boolean> | undefined;
  #isSilent = false;

  constructor(askFor: () => Promise<unknown>, limits: PulseLimits = PULSE) {
    this.#askFor = askFor;
    this.#limits = limits;
    this.#overdue = new Waits(limits.askAfterMs);
    this.#answer = new Waits(limits.answerMs);
    this.#hope = new Waits(limits.hopeMs);
  }

  over(connection: Connection): Connection {
    return {
      batch: async (statements, mode) => {
        if (this.#isSilent) await this.#untilAnswers();
        return await this.#watched(connection.batch(statements, mode));
      },
    };
  }

  /** Throws if it still says nothing. */
  async #untilAnswers(): Promise<void> {
    const isThere = await inTime(this.#look(), { waits: this.#hope, late: silent });
    if (!isThere) throw silent();
  }

  #watched<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let stop = () => {};
      const wait = () => {
        stop = this.#overdue.start(() => {
          this.#look().then((isThere) => isThere ? isOver || wait() : reject(silent()));
        });
      };
      let isOver = false;
      const end = () => {
        isOver = true;
        stop();
      };
      wait();
      work.then((value) => {
        end();
        this.#isSilent = false;
        resolve(value);
      }, (error) => {
        end();
        reject(error);
      });
    });
  }

  /** Whether it answers; one question serves all who ask. */
  #look(): Promise<boolean> {
    return this.#looking ??= this.#lookOnce().finally(() => this.#looking = undefined);
  }

  async #lookOnce(): Promise<boolean> {
    const { answerMs } = this.#limits;
    const sinceMs = performance.now();
    try {
      await inTime(this.#askFor(), { waits: this.#answer, late: silent });
      this.#isSilent = false;
      return true;
    } catch {
      if (performance.now() - sinceMs > answerMs + LATE_MS) return true;
      this.#isSilent = true;
      return false;
    }
  }
}

function silent(): NoAnswer {
  return new NoAnswer("the database does not answer");
}
