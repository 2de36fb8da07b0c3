interface Limit {
  readonly waits: Waits;
  readonly late: () => Error;
  /** Words the work's own error. */
  readonly failed?: (error: unknown) => unknown;
}

/** The work's result, or the error if that takes longer. */
export function inTime<T>(
  work: Promise<T>,
  { waits, late, failed = (error) => error }: Limit,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = waits.start(() => reject(late()));
    work.then((value) => {
      giveUp();
      resolve(value);
    }, (error) => {
      giveUp();
      reject(failed(error));
    });
  });
}

/**
 * Many timeouts of one length, most of them cancelled: a single timer serves them all. It keeps no
 * program alive: what is waited for does.
 */
export class Waits {
  readonly #ms: number;
  /** Leads round all that wait, in the order of their ends, and back to itself. */
  readonly #ring = new Link();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Returns a function that cancels it. */
  start(onEnd: () => void): () => void {
    const wait = new Wait(performance.now() + this.#ms, onEnd);
    this.#ring.putBefore(wait);
    this.#timer ??= this.#endIn(this.#ms);
    return () => wait.leave();
  }

  /** Keeps running when all are cancelled; restarting it would cost each of them more. */
  #endIn(ms: number): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => this.#end(), ms);
    Deno.unrefTimer(timer);
    return timer;
  }

  #end(): void {
    this.#timer = undefined;
    for (let wait = this.#ring.after; wait instanceof Wait; wait = this.#ring.after) {
      const leftMs = wait.endsAtMs - performance.now();
      if (leftMs > 0) {
        // Whoever just heard of an end may have begun another wait, and with it a timer.
        clearTimeout(this.#timer);
        this.#timer = this.#endIn(Math.ceil(leftMs));
        return;
      }
      wait.leave();
      wait.onEnd();
    }
  }
}

/**
 * A link of a ring, at first alone. One that left leads to no other: from the old part of the heap
 * it would keep those after it alive, as the old tables of a `Set` do with what was in it.
 */
class Link {
  #before: Link = this;
  #after: Link = this;

  get after(): Link {
    return this.#after;
  }

  putBefore(link: Link): void {
    link.#before = this.#before;
    link.#after = this;
    this.#before = this.#before.#after = link;
  }

  leave(): void {
    this.#before.#after = this.#after;
    this.#after.#before = this.#before;
    this.#before = this.#after = this;
  }
}

class Wait extends Link {
  constructor(readonly endsAtMs: number, readonly onEnd: () => void) {
    super();
  }
}
