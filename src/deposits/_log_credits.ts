import type { Db } from "../store/engine/db.ts";
import { auditChainAfter, type ChainStep } from "../audit/reads/audit.ts";
import { creditedBy, TAKEN_BACK } from "../books/trail.ts";

const PAGE = 1000;

/** What the rest of the log says about these payments, even if its rows no longer form a chain. */
export class LogCredits {
  /** Every row up to here was read. */
  readTo = 0;
  #hash: string | null = null;
  readonly #rowIds = new Map<string, number>();

  constructor(readonly db: Db, readonly places: ReadonlySet<string>) {}

  /** Up to the newest row. */
  async readOn(): Promise<void> {
    for (;;) {
      const steps = await auditChainAfter(this.db, { id: this.readTo, limit: PAGE });
      for (const step of steps) this.#note(step);
      if (steps.length < PAGE) return;
    }
  }

  /** The row that records the payment's credit. */
  creditOf(place: string): number | undefined {
    return this.#rowIds.get(place);
  }

  #note(step: ChainStep): void {
    const { id, action, hash } = step;
    for (const place of placesIn(step)) if (this.places.has(place)) this.#rowIds.set(place, id);
    // A row that somebody added or changed must not undo a credit.
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

/** The places in a row that somebody changed, if they are still readable. */
function placesIn({ action, detail }: ChainStep): readonly string[] {
  try {
    return [...creditedBy(action, detail)];
  } catch {
    return [];
  }
}
