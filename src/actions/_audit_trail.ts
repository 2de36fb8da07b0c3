import type { Db } from "../store/db.ts";
import {
  auditChainAfter,
  auditEnd,
  auditHashBefore,
  type ChainStep,
} from "../store/audit_reads.ts";
import { headSeal } from "../store/chain_rows.ts";
import type { WithdrawalRow } from "../store/rows.ts";
import type { Seals } from "../store/seals.ts";

/** Of a withdrawal's rows in the audit log: it was asked for. */
const REQUESTED = "withdrawal.requested";
/** Its bytes went out, or it came to its end. */
const MOVED = new Set(
  [
    ...["sent", "broadcast_rejected", "no_hot_wallet", "cancelled", "confirmed"],
    ...["dropped", "reverted", "expired"],
  ].map((trigger) => `withdrawal.${trigger}`),
);
const PAGE = 1000;

/** The log from one of its rows on, each found to follow the one before it. */
interface Trail {
  readonly fromId: number;
  id: number;
  hash: string | null;
  /** Requested in it, and not moved since: when. */
  readonly waiting: Map<number, number>;
}

const readers = new WeakMap<Db, TrailReader>();

/**
 * Whether the log proves that a withdrawal was asked for and nothing has become of it: no row of it
 * can be taken out, or changed, without the hashes of all that follow. What was read once is
 * remembered, so that a log that is put back to an earlier state proves nothing either.
 */
export async function isUntouched(db: Db, row: Requested, rows: Noted): Promise<boolean> {
  const seals = db.seals();
  if (!seals?.log) return !rows.some(({ action }) => MOVED.has(action));
  const fromId = rows.find(({ action }) => action === REQUESTED)?.id;
  if (fromId === undefined) return false;
  const reader = readers.get(db) ?? new TrailReader(db);
  readers.set(db, reader);
  return await reader.isWaiting(row, { fromId, seals });
}

/** An old row may stand under the number of a new one: it is the one that the log tells of by its time. */
type Requested = Pick<WithdrawalRow, "id" | "requestedAtMs">;

type Noted = readonly { readonly id: number; readonly action: string }[];

class TrailReader {
  #known: Trail | undefined;
  #looks = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(readonly db: Db) {}

  async isWaiting(
    { id, requestedAtMs }: Requested,
    { fromId, seals }: { fromId: number; seals: Seals },
  ): Promise<boolean> {
    const asked = this.#looks;
    await this.#inTurn(async () => {
      // Another look that began after this was asked has seen as much.
      if (this.#looks === asked || !this.#covers(fromId)) await this.#look(fromId, seals);
    });
    return this.#covers(fromId) && this.#known!.waiting.get(id) === requestedAtMs;
  }

  #covers(fromId: number): boolean {
    return this.#known !== undefined && this.#known.fromId <= fromId;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #look(fromId: number, seals: Seals): Promise<void> {
    this.#looks++;
    const leastLogId = seals.newestLogId;
    const { kept } = await auditEnd(this.db);
    const head = kept?.seal === headSeal(seals.mac, kept ?? NOWHERE) ? kept! : NOWHERE;
    seals.noteLog(head.id, leastLogId);
    const known = this.#known;
    const isKept = known && known.fromId > seals.lostLogId &&
      await follow(this.db, known, { head, seals });
    if (known && !isKept) {
      seals.lostLogId = Math.max(seals.lostLogId, known.id);
      this.#known = undefined;
    }
    if (this.#covers(fromId) || fromId <= seals.lostLogId) return;
    const hash = await auditHashBefore(this.db, fromId);
    const trail = { fromId, id: fromId - 1, hash, waiting: new Map<number, number>() };
    if (await follow(this.db, trail, { head, seals })) this.#known = trail;
  }
}

const NOWHERE = { id: -1, hash: "" };

interface Road {
  readonly head: { readonly id: number; readonly hash: string };
  readonly seals: Seals;
}

/** To the newest row, as it is kept beside the log. False: it is not to be reached. */
async function follow(db: Db, trail: Trail, { head, seals }: Road): Promise<boolean> {
  while (trail.id < head.id) {
    const steps = await auditChainAfter(db, { id: trail.id, limit: PAGE });
    const reached = steps.filter(({ id }) => id <= head.id);
    if (reached.length === 0 || !reached.every((step) => take(trail, step, seals))) return false;
  }
  return trail.id === head.id && trail.hash === head.hash;
}

function take(trail: Trail, step: ChainStep, { mac, log }: Seals): boolean {
  const isKeyed = step.id > log!.id;
  if (isKeyed && trail.id <= log!.id && trail.hash !== log!.hash) return false;
  const isOld = !isKeyed && trail.hash === null && step.hash === null;
  if (!isOld && step.hash !== step.expectedAfter(trail.hash, isKeyed ? mac : undefined)) {
    return false;
  }
  trail.id = step.id;
  trail.hash = step.hash;
  const id = Number(/^withdrawal:(\d+)$/.exec(step.subject)?.[1] ?? NaN);
  if (step.action === REQUESTED) trail.waiting.set(id, step.atMs);
  else if (MOVED.has(step.action)) trail.waiting.delete(id);
  return true;
}
