import { nextTurn } from "./next_turn.ts";

/**
 * Whoever asks for the same in one turn of the event loop shares one look, which begins after all
 * of them have asked.
 */
export class SharedLooks<T> {
  readonly #waiting = new Map<unknown, Promise<T>>();

  run(key: unknown, look: () => Promise<T>): Promise<T> {
    return this.#waiting.getOrInsertComputed(key, () => this.#later(key, look));
  }

  async #later(key: unknown, look: () => Promise<T>): Promise<T> {
    await nextTurn();
    this.#waiting.delete(key);
    return await look();
  }
}
