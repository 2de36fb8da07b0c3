import { InvariantError } from "../assert.ts";

/** Work in progress, at most one piece per key. */
export class Running {
  readonly #works = new Map<string, Promise<void>>();

  has(key: string): boolean {
    return this.#works.has(key);
  }

  /** The work handles its own failures. */
  start(key: string, work: () => Promise<void>): void {
    if (this.has(key)) throw new InvariantError(`${key} is already in progress`);
    this.#works.set(key, work().finally(() => this.#works.delete(key)));
  }

  /** Resolves when nothing is in progress. */
  async idle(): Promise<void> {
    while (this.#works.size > 0) await Promise.all(this.#works.values());
  }
}
