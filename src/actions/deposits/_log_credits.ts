import type { Db } from "../../store/engine/db.ts";
import { auditChainAfter, type ChainStep } from "../../store/reads/audit.ts";
import { creditedBy, TAKEN_BACK } from "../books/trail.ts";

const PAGE = 1000;

/** What is left of the log says of these payments, also where no row leads to the next any more. */
export class LogCredits {
  /** Each row up to here was read. */
  readTo = 0;
  #hash: string | null = null;
  readonly #rowIds = new Map<string, number>();

  constructor(readonly db: Db, readonly places: ReadonlySet<string>) {}

  /** To the newest row. */
  async readOn(): Promise<void> {
    for (;;) {
      const steps = await auditChainAfter(this.db, { id: this.readTo, limit: PAGE });
      for (const step of steps) this.#note(step);
      if (steps.length < PAGE) return;
    }
  }

  /** The row that says that it was credited. */
  creditOf(place: string): number | undefined {
    return this.#rowIds.get(place);
  }

  #note(step: ChainStep): void {
    const { id, action, hash } = step;
    for (const place of toldBy(step)) if (this.places.has(place)) this.#rowIds.set(place, id);
    // Whoever puts in or changes a row must not take a credit back with it.
    if (action === TAKEN_BACK && this.#follows(step)) {
      this.#rowIds.delete(JSON.parse(step.detail).place);
    }
    this.readTo = id;
    this.#hash = hash;
  }

  #follows(step: ChainStep): boolean {
    const { mac, log } = this.db.seals()!;
    return log !== null && step.id > log.id && step.hash === step.expectedAfter(this.#hash, mac);
  }
}

/** Of a row that somebody changed, as far as it can be read. */
function toldBy({ action, detail }: ChainStep): readonly string[] {
  try {
    return [...creditedBy(action, detail)];
  } catch {
    return [];
  }
}
