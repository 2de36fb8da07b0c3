import type { Clock } from "../clock.ts";
import { Lru } from "../lru.ts";

const KEPT_MS = 500;

interface Look<T> {
  readonly atMs: number;
  readonly found: Promise<T>;
  isOver: boolean;
}

/** However many ask for the same, it is looked at twice a second, and one look after the other. */
export class KeptLooks<T> {
  readonly #looks: Lru<string, Look<T>>;

  constructor(readonly clock: Clock, { keysMax }: { keysMax: number }) {
    this.#looks = new Lru(keysMax);
  }

  of(key: string, look: () => Promise<T>): Promise<T> {
    const nowMs = this.clock.nowMs();
    const known = this.#looks.get(key);
    const ageMs = known ? nowMs - known.atMs : Infinity;
    if (known && (!known.isOver || (ageMs >= 0 && ageMs < KEPT_MS))) return known.found;
    const made: Look<T> = { atMs: nowMs, found: look(), isOver: false };
    const end = () => void (made.isOver = true);
    made.found.then(end, end);
    this.#looks.set(key, made);
    return made.found;
  }

  /** Something has changed that the next look must see. */
  forget(): void {
    this.#looks.clear();
  }
}
