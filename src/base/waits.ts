/** The work's result, or the error when that takes longer. */
export function inTime<T>(
  work: Promise<T>,
  { waits, late }: { waits: Waits; late: () => Error },
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const giveUp = waits.start(() => reject(late()));
  work.then(resolve, reject).finally(giveUp);
  return promise;
}

/** Many waits of one length, most of which are given up before their end: one timer serves them all. */
export class Waits {
  readonly #ms: number;
  /** In the order of their ends. */
  readonly #waiting = new Map<symbol, { readonly endsAtMs: number; readonly onEnd: () => void }>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Answers how to give it up. */
  start(onEnd: () => void): () => void {
    const key = Symbol();
    this.#waiting.set(key, { endsAtMs: performance.now() + this.#ms, onEnd });
    this.#timer ??= setTimeout(() => this.#end(), this.#ms);
    return () => {
      this.#waiting.delete(key);
      if (this.#waiting.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  #end(): void {
    this.#timer = undefined;
    for (const [key, { endsAtMs, onEnd }] of this.#waiting) {
      const leftMs = endsAtMs - performance.now();
      if (leftMs > 0) {
        this.#timer = setTimeout(() => this.#end(), Math.ceil(leftMs));
        return;
      }
      this.#waiting.delete(key);
      onEnd();
    }
  }
}
