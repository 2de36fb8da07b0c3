import type { Db } from "../../store/engine/db.ts";
import {
  auditChainAfter,
  auditEnd,
  auditHashBefore,
  auditIdBefore,
  auditPage,
  type ChainStep,
} from "../../store/reads/audit.ts";
import { headSeal } from "../../store/engine/chain_rows.ts";
import type { WithdrawalRow } from "../../store/tables/rows.ts";
import type { Seals } from "../../store/engine/seals.ts";

/** Of a withdrawal's rows in the audit log: it was asked for. */
const REQUESTED = "withdrawal.requested";
/** Its bytes were signed or went out, or it came to its end. */
const MOVED = new Set(
  [
    ...["signed", "sent", "broadcast_rejected", "no_hot_wallet", "cancelled", "confirmed"],
    ...["dropped", "reverted", "expired"],
  ].map((trigger) => `withdrawal.${trigger}`),
);
/** Of a payment on chain, named in its detail: it was credited, its credit was taken back. */
export const CREDITED = "deposit.confirmed";
export const TAKEN_BACK = "deposit.vanished";
/** Of many at once, from before each had a row of its own. */
export const CREDITS_NOTED = "books.credits_noted";
/** Of the whole gateway. */
export const STOPPED = "gateway.stopped";
export const RESUMED = "gateway.resumed";
export const GATEWAY = "gateway";
const PAGE = 1000;
const PLACES_REMEMBERED = 200_000;

/** The log from one of its rows on, each found to follow the one before it. */
interface Trail {
  readonly fromId: number;
  id: number;
  hash: string | null;
  /** What was written later than this stands in it. */
  sinceMs: number | undefined;
  /** Requested in it, and not moved since: when. */
  readonly waiting: Map<number, number>;
  /** Credited in it, and not taken back since. */
  readonly credited: Set<string>;
  /** An operator stopped all signing, and none has resumed it. */
  isStopped: boolean;
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
  return await readerOf(db).isWaiting(row, { fromId, seals });
}

/**
 * The places of payments that were credited since that moment and not taken back. Undefined: the log
 * does not prove which.
 */
export async function creditedSince(
  db: Db,
  sinceMs: number,
): Promise<ReadonlySet<string> | undefined> {
  const seals = db.seals();
  if (!seals?.log) return new Set();
  return await readerOf(db).creditedSince(sinceMs, seals);
}

/** Whether signing is stopped, as the log said when it was last looked at. */
export function wasStopped(db: Db): boolean {
  return readers.get(db)?.isStopped ?? false;
}

/** An old row may stand under the number of a new one: it is the one that the log tells of by its time. */
type Requested = Pick<WithdrawalRow, "id" | "requestedAtMs">;

type Noted = readonly { readonly id: number; readonly action: string }[];

function readerOf(db: Db): TrailReader {
  const reader = readers.get(db) ?? new TrailReader(db);
  readers.set(db, reader);
  return reader;
}

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

  get isStopped(): boolean {
    return this.#known?.isStopped ?? false;
  }

  async creditedSince(sinceMs: number, seals: Seals): Promise<ReadonlySet<string> | undefined> {
    const asked = this.#looks;
    const isKnown = () => (this.#known?.sinceMs ?? Infinity) < sinceMs;
    await this.#inTurn(async () => {
      if (this.#looks !== asked && isKnown()) return;
      const isKept = isKnown() && !isTooLong(this.#known!);
      const fromId = isKept ? this.#known!.fromId : await this.#idBefore(sinceMs, seals);
      await this.#look(fromId, seals);
    });
    return isKnown() ? this.#known!.credited : undefined;
  }

  /** Where the log is not keyed yet, nothing of it is proven. */
  async #idBefore(atMs: number, { log }: Seals): Promise<number> {
    const afterId = log!.id;
    return await auditIdBefore(this.db, { atMs, afterId }) ?? afterId + 1;
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
    // The rows that are needed next are the newest.
    if (this.#known && isTooLong(this.#known)) this.#known = undefined;
    const known = this.#known;
    const isKept = known && known.fromId > seals.lostLogId &&
      await follow(this.db, known, { head, seals });
    if (known && !isKept) {
      seals.lostLogId = Math.max(seals.lostLogId, known.id);
      this.#known = undefined;
    }
    if (this.#covers(fromId) || fromId <= seals.lostLogId) return;
    const [hash, [said]] = await Promise.all([
      auditHashBefore(this.db, fromId),
      auditPage(this.db, { actor: null, subject: GATEWAY, cursor: fromId, limit: 1 }),
    ]);
    const isWhole = fromId === seals.log!.id + 1;
    const trail = newTrail(fromId, { hash, isWhole, isStopped: said?.action === STOPPED });
    if (await follow(this.db, trail, { head, seals })) this.#known = trail;
  }
}

const NOWHERE = { id: -1, hash: "" };

function newTrail(
  fromId: number,
  { hash, isWhole, isStopped }: { hash: string | null; isWhole: boolean; isStopped: boolean },
): Trail {
  return {
    fromId,
    id: fromId - 1,
    hash,
    sinceMs: isWhole ? -Infinity : undefined,
    waiting: new Map(),
    credited: new Set(),
    isStopped,
  };
}

function isTooLong({ credited }: Trail): boolean {
  return credited.size > PLACES_REMEMBERED;
}

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
  trail.sinceMs ??= step.atMs;
  note(trail, step);
  if (step.subject === GATEWAY) trail.isStopped = step.action === STOPPED;
  return true;
}

function note({ waiting, credited }: Trail, step: ChainStep): void {
  const id = Number(/^withdrawal:(\d+)$/.exec(step.subject)?.[1] ?? NaN);
  if (step.action === REQUESTED) waiting.set(id, step.atMs);
  else if (MOVED.has(step.action)) waiting.delete(id);
  else if (step.action === CREDITED) credited.add(JSON.parse(step.detail).place);
  else if (step.action === TAKEN_BACK) credited.delete(JSON.parse(step.detail).place);
  else if (step.action === CREDITS_NOTED) {
    for (const place of JSON.parse(step.detail).places) credited.add(place);
  }
}
