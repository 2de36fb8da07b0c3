import { present } from "../assert.ts";
import { nextTurn } from "./next_turn.ts";
import { Places } from "./places.ts";
import { TooBusy } from "./turns.ts";
import { Waits } from "./waits.ts";

/** A caller, as seen by key, account, session or source, and how much it may ask for at once. */
export interface Share {
  readonly owner: string;
  /** In progress at once. */
  readonly max: number;
  /** So many more wait for one of those to end. Beyond them, whoever asks is refused at once. */
  readonly waitingMax: number;
}

/** Room for one work of a caller, until it leaves. */
export interface Place {
  /** Does a part of the work when the caller's turn has come. */
  turn<T>(part: () => Promise<T>): Promise<T>;
  leave(): void;
}

interface Limits {
  /** Parts of all callers that are done at once. */
  readonly atOnce: number;
  /** For a place. */
  readonly waitMaxMs: number;
  /** A part that takes longer waits for something else, and holds up no others any more. */
  readonly slowAfterMs: number;
}

/**
 * Bounds what callers ask for that takes long to answer. Each has its own share of places, so that
 * a crowd is refused instead of kept in memory. Those who have one take turns, caller by caller,
 * and between two parts the event loop does everything else that has come meanwhile.
 */
export class Shares {
  readonly #waitMaxMs: number;
  readonly #callers = new Map<string, Caller>();
  readonly #turns: FairTurns;

  constructor({ waitMaxMs, ...limits }: Limits) {
    this.#waitMaxMs = waitMaxMs;
    this.#turns = new FairTurns(limits);
  }

  /** A place in each of these shares, the narrowest first. The last one's owner has the turns. */
  async enter(shares: readonly [Share, ...Share[]]): Promise<Place> {
    const taken: Share[] = [];
    const leave = () => {
      for (const share of taken.splice(0)) this.#leave(share);
    };
    try {
      for (const share of shares) {
        await this.#take(share);
        taken.push(share);
      }
    } catch (error) {
      leave();
      throw error;
    }
    const { owner } = shares.at(-1)!;
    return { leave, turn: (part) => this.turn(owner, part) };
  }

  async run<T>(
    shares: readonly [Share, ...Share[]],
    work: (place: Place) => Promise<T>,
  ): Promise<T> {
    const place = await this.enter(shares);
    try {
      return await work(place);
    } finally {
      place.leave();
    }
  }

  /** A part of work that needs no place, because something else bounds it. */
  turn<T>(owner: string, part: () => Promise<T>): Promise<T> {
    return this.#turns.run(owner, part);
  }

  async #take({ owner, max, waitingMax }: Share): Promise<void> {
    const caller = this.#callers.getOrInsertComputed(owner, () => ({
      places: new Places(max, { waitMaxMs: this.#waitMaxMs }),
      asking: 0,
    }));
    if (caller.asking >= max + waitingMax) throw new TooBusy(BUSY);
    caller.asking++;
    if (await caller.places.take()) return;
    this.#forget(owner, caller);
    throw new TooBusy(BUSY);
  }

  #leave({ owner }: Share): void {
    const caller = this.#callers.get(owner)!;
    caller.places.leave();
    this.#forget(owner, caller);
  }

  #forget(owner: string, caller: Caller): void {
    caller.asking--;
    if (caller.asking === 0) this.#callers.delete(owner);
  }
}

const BUSY = "Too many requests at once: try again in a moment";

interface Caller {
  readonly places: Places;
  /** Inside or waiting. */
  asking: number;
}

/**
 * A request takes about as many turns of the event loop, from its connection to its answer. So one
 * that needs no place waits for a single part, and not for one part in each of its turns.
 */
const TURNS_BETWEEN = 8;

/** Parts of each owner in turn, so that nobody waits for all that somebody else has asked for. */
export class FairTurns {
  readonly #atOnce: number;
  readonly #slow: Waits;
  /** In the order in which they have their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;
  #isScheduled = false;

  constructor({ atOnce, slowAfterMs }: Pick<Limits, "atOnce" | "slowAfterMs">) {
    this.#atOnce = atOnce;
    this.#slow = new Waits(slowAfterMs);
  }

  async run<T>(owner: string, part: () => Promise<T>): Promise<T> {
    await this.#enter(owner);
    let isCounted = true;
    const leave = () => {
      if (!isCounted) return;
      isCounted = false;
      this.#running--;
      void this.#schedule();
    };
    const giveUp = this.#slow.start(leave);
    try {
      return await part();
    } finally {
      giveUp();
      leave();
    }
  }

  #enter(owner: string): Promise<void> {
    const own = this.#waiting.getOrInsertComputed(owner, () => []);
    const mine = new Promise<void>((resolve) => void own.push(resolve));
    void this.#schedule();
    return mine;
  }

  async #schedule(): Promise<void> {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    while (this.#waiting.size > 0 && this.#running < this.#atOnce) {
      for (let turns = 0; turns < TURNS_BETWEEN; turns++) await nextTurn();
      this.#startNext();
    }
    this.#isScheduled = false;
  }

  #startNext(): void {
    const [next] = this.#waiting;
    const [owner, own] = present(next, "Somebody waits");
    this.#waiting.delete(owner);
    const start = present(own.shift(), "It left when nobody of it waited");
    if (own.length > 0) this.#waiting.set(owner, own);
    this.#running++;
    start();
  }
}
