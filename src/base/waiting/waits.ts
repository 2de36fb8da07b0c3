/** The work's result, or the error if that takes longer. */
export function inTime<T>(
  work: Promise<T>,
  { waits, late }: { waits: Waits; late: () => Error },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = waits.start(() => reject(late()));
    const end = <V>(settle: (value: V) => void) => (value: V) => {
      giveUp();
      settle(value);
    };
    work.then(end(resolve), end(reject));
  });
}

/** Many timeouts of one length, most of them cancelled: a single timer serves them all. */
export class Waits {
  readonly #ms: number;
  /** In the order of their ends. */
  readonly #waiting = new Set<{ readonly endsAtMs: number; readonly onEnd: () => void }>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Returns a function that cancels it. */
  start(onEnd: () => void): () => void {
    const wait = { endsAtMs: performance.now() + this.#ms, onEnd };
    this.#waiting.add(wait);
    this.#timer ??= this.#endIn(this.#ms);
    return () => void this.#waiting.delete(wait);
  }

  /** Keeps running when all are cancelled; restarting it would cost each of them more. */
  #endIn(ms: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#end(), ms);
  }

  #end(): void {
    this.#timer = undefined;
    for (const wait of this.#waiting) {
      const leftMs = wait.endsAtMs - performance.now();
      if (leftMs > 0) {
        this.#timer = this.#endIn(Math.ceil(leftMs));
        return;
      }
      this.#waiting.delete(wait);
      wait.onEnd();
    }
  }
}
