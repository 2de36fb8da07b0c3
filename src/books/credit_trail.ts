import { auditChainAfter, auditHashBefore, auditIdBefore } from "../audit/reads/audit.ts";
import type { Seals } from "../store/engine/seals.ts";
import { AuditTrail } from "./audit_trail.ts";
import { newTrail, take, type Trail } from "./trail.ts";

interface Payment {
  readonly place: string;
  /** If it was credited, it was after this. */
  readonly sinceMs: number;
}

/** Undefined if the log proves neither; "vouched" if an operator said that it was not credited. */
export type CreditProof = "credited" | "uncredited" | "vouched" | undefined;

/** The log, read for credits. If it is broken, it still proves what its rows after the break show. */
export class CreditTrail extends AuditTrail {
  /** The row that didn't follow when it was last read. No trail leads over it. */
  #brokenId: number | undefined;

  /** Whether each of these payments was credited since its moment and not taken back. */
  async prove(payments: readonly Payment[]): Promise<readonly CreditProof[]> {
    const seals = this.db.seals();
    if (!seals?.log) return payments.map(() => "uncredited");
    const asked = this.looks;
    return await this.inTurn(async () => {
      if (this.looks === asked) await this.lookOn(seals);
      const further = await this.#readFurther(payments, seals);
      return payments.map((payment) => this.#proofOf(payment, further));
    });
  }

  #proofOf({ place, sinceMs }: Payment, further: Trail | undefined): CreditProof {
    const known = this.known?.credits;
    if (known?.places.has(place) || further?.credits?.found.has(place)) return "credited";
    const isRead = (further?.credits?.fromMs ?? Infinity) < sinceMs;
    if (this.#isKnownSince(sinceMs) || isRead) return "uncredited";
    return known?.vouched.has(place) ? "vouched" : undefined;
  }

  #isKnownSince(atMs: number): boolean {
    return (this.known?.credits?.sinceMs ?? Infinity) < atMs;
  }

  /** If too little is remembered, reads from before the payments on, or as much as can be proven. */
  async #readFurther(payments: readonly Payment[], seals: Seals): Promise<Trail | undefined> {
    const asked = payments.map(({ sinceMs }) => sinceMs).filter((ms) => !this.#isKnownSince(ms));
    if (asked.length === 0) return undefined;
    const [fromId, leastId] = await Promise.all([
      this.#idBefore(Math.min(...asked), seals),
      this.#leastId(seals),
    ]);
    const readMs = this.known?.credits?.fromMs ?? Infinity;
    const isForgotten = asked.some((ms) => ms > readMs);
    if (fromId < leastId && this.covers(leastId) && !isForgotten) return undefined;
    const wanted = new Set(payments.map(({ place }) => place));
    const trail = await this.look(Math.max(fromId, leastId), { seals, wanted });
    if (trail?.isCut) this.#brokenId = trail.fromId - 1;
    return trail;
  }

  /** Before the log is keyed, it proves nothing. */
  async #idBefore(atMs: number, { log }: Seals): Promise<number> {
    const afterId = log!.id;
    return await auditIdBefore(this.db, { atMs, afterId }) ?? afterId + 1;
  }

  /** A trail that begins before this row doesn't lead to the end. */
  async #leastId(seals: Seals): Promise<number> {
    const brokenId = await this.#isStillBroken(seals) ? this.#brokenId! : 0;
    return Math.max(brokenId, seals.lostLogId) + 1;
  }

  /** Somebody may have repaired the log. */
  async #isStillBroken(seals: Seals): Promise<boolean> {
    const id = this.#brokenId;
    if (id === undefined) return false;
    const [hash, [step]] = await Promise.all([
      auditHashBefore(this.db, id),
      auditChainAfter(this.db, { id: id - 1, limit: 1 }),
    ]);
    const before = newTrail(id, { hash, isWhole: false, isStopped: false, wanted: undefined });
    if (step?.id === id && !take(before, step, seals)) return true;
    this.#brokenId = undefined;
    return false;
  }
}
