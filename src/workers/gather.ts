/** Collects items and passes them on together: at most `most` at once, and none later than `withinMs`. */
export class Gather<T> {
  readonly #handOn: (items: readonly T[]) => void;
  readonly #most: number;
  readonly #withinMs: number;
  #items: T[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsked = false;

  constructor(
    handOn: (items: readonly T[]) => void,
    { most, withinMs }: { most: number; withinMs: number },
  ) {
    this.#handOn = handOn;
    this.#most = most;
    this.#withinMs = withinMs;
  }

  add(item: T): void {
    this.#items.push(item);
    if (this.#items.length >= this.#most) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), this.#withinMs);
  }

  /** Passes them on now, unless more are coming within a turn of the event loop. */
  flushUnless(isMoreComing: () => boolean): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    setImmediate(() => {
      this.#isAsked = false;
      if (!isMoreComing()) this.flush();
    });
  }

  /** Passes them on now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const items = this.#items;
    this.#items = [];
    if (items.length > 0) this.#handOn(items);
  }
}
