import { nextTurn } from "./next_turn.ts";
import { Places } from "./places.ts";
import { TooBusy } from "./turns.ts";

interface Group {
  readonly places: Places;
  /** Inside or waiting. */
  asking: number;
}

/** So many works of each key at once. Others of that key wait in the order in which they came. */
export class KeyedPlaces {
  readonly #groups = new Map<string, Group>();

  constructor(readonly max: number, readonly limits: { readonly waitMaxMs: number }) {}

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const group = this.#groups.getOrInsertComputed(key, () => ({
      places: new Places(this.max, this.limits),
      asking: 0,
    }));
    group.asking++;
    try {
      return await inside(group.places, work);
    } finally {
      group.asking--;
      if (group.asking === 0) this.#groups.delete(key);
    }
  }
}

async function inside<T>(places: Places, work: () => Promise<T>): Promise<T> {
  const place = places.take();
  if (!await place) throw new TooBusy("Too many requests at once: try again in a moment");
  try {
    // Whoever sent nothing else goes first.
    if (place !== true) await nextTurn();
    return await work();
  } finally {
    places.leave();
  }
}
