import { Lru } from "../lru.ts";

/** Strangers are identified by marks: their source and the login they claim. */
export type Asker =
  | { readonly isKnown: true }
  | { readonly isKnown: false; readonly marks: readonly string[] };

interface TurnLimits {
  readonly atOnce: number;
  /** Fewer than `atOnce`, so that strangers never take every place. */
  readonly strangersAtOnce: number;
  readonly waitingMax: number;
  readonly waitMs: number;
}

export class TooBusy extends Error {
  override name = "TooBusy";
}

interface Waiting {
  /** How much its marks have asked for lately. */
  readonly score: number;
  start(): void;
  refuse(): void;
}

/** The weight of one try, and the most that is remembered of a mark. */
const WEIGHT_MS = 60_000;
const DEBT_MAX_MS = 60 * WEIGHT_MS;
const MARKS_REMEMBERED_MAX = 20_000;

/**
 * Runs memory-hungry work a few at a time. Strangers have turns of their own. Among them, whoever
 * asked least lately goes first, so a flood only delays itself.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #nowMs: () => number;
  readonly #known: Waiting[] = [];
  readonly #strangers: Waiting[] = [];
  readonly #debts = new Lru<string, number>(MARKS_REMEMBERED_MAX);
  #running = 0;
  #strangersRunning = 0;

  constructor(limits: TurnLimits, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  async run<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
    await this.#enter(asker);
    try {
      return await work();
    } finally {
      this.#running--;
      if (!asker.isKnown) this.#strangersRunning--;
      this.#startNext();
    }
  }

  async #enter(asker: Asker): Promise<void> {
    const list = asker.isKnown ? this.#known : this.#strangers;
    const score = asker.isKnown ? 0 : this.#scoreOf(asker.marks);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const refuse = () => {
      clearTimeout(timer);
      list.splice(list.indexOf(waiting), 1);
      reject(new TooBusy("Too many sign-ins at once: try again in a moment"));
    };
    const timer = setTimeout(refuse, this.#limits.waitMs);
    const start = () => {
      clearTimeout(timer);
      list.splice(list.indexOf(waiting), 1);
      this.#running++;
      if (!asker.isKnown) this.#strangersRunning++;
      resolve();
    };
    const waiting: Waiting = { score, start, refuse };
    list.push(waiting);
    this.#startNext();
    if (list.length > this.#limits.waitingMax) lastOf(list).refuse();
    return await promise;
  }

  #startNext(): void {
    const { atOnce, strangersAtOnce } = this.#limits;
    while (this.#running < atOnce && this.#known.length > 0) firstOf(this.#known).start();
    while (
      this.#running < atOnce && this.#strangersRunning < strangersAtOnce &&
      this.#strangers.length > 0
    ) firstOf(this.#strangers).start();
  }

  #scoreOf(marks: readonly string[]): number {
    const nowMs = this.#nowMs();
    let score = 0;
    for (const mark of marks) {
      const debtMs = Math.max(0, (this.#debts.get(mark) ?? 0) - nowMs);
      score += debtMs;
      this.#debts.set(mark, nowMs + Math.min(DEBT_MAX_MS, debtMs + WEIGHT_MS));
    }
    return score;
  }
}

/** The newest of those that asked least: those who waited long have given up. */
function firstOf(list: readonly Waiting[]): Waiting {
  return list.reduce((first, one) => one.score <= first.score ? one : first);
}

/** The oldest of those that asked most. */
function lastOf(list: readonly Waiting[]): Waiting {
  return list.reduce((last, one) => one.score > last.score ? one : last);
}
