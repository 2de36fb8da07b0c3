import { KeyedTurns } from "./batches.ts";
import { nextTurn } from "./next_turn.ts";

/** However many read long lists at once, everything else waits for one page at most. */
export class PageTurns {
  readonly #turns = new KeyedTurns();

  run<T>(readPage: () => Promise<T>): Promise<T> {
    return this.#turns.run("page", async () => {
      const page = await readPage();
      await nextTurn();
      return page;
    });
  }
}
