import type { Seals } from "../../store/engine/seals.ts";
import type { ChainStep } from "../../store/reads/audit.ts";

/** Audit action: a withdrawal was requested. */
export const REQUESTED = "withdrawal.requested";
/** Audit actions: a withdrawal was signed, sent or finished. */
export const MOVED = new Set(
  [
    ...["signed", "sent", "broadcast_rejected", "no_hot_wallet", "cancelled", "confirmed"],
    ...["dropped", "reverted", "expired"],
  ].map((trigger) => `withdrawal.${trigger}`),
);
/** Audit actions for a payment on chain, named in the detail: credited, and taken back. */
export const CREDITED = "deposit.confirmed";
export const TAKEN_BACK = "deposit.vanished";
/** Many credits in one row, from before each had its own. */
export const CREDITS_NOTED = "books.credits_noted";
/** Audit actions for the whole gateway. */
export const STOPPED = "gateway.stopped";
export const RESUMED = "gateway.resumed";
export const GATEWAY = "gateway";
const PLACES_REMEMBERED = 200_000;

/** The log from one of its rows on, in which each row was found to follow the one before. */
export interface Trail {
  readonly fromId: number;
  id: number;
  hash: string | null;
  /** Withdrawals requested and not moved since, with the time of the request. */
  readonly waiting: Map<number, number>;
  /** Undefined: not read for credits. */
  readonly credits: Credits | undefined;
  /** An operator stopped all signing, and nobody has resumed it. */
  isStopped: boolean;
}

interface Credits {
  /** The places include everything credited after this. */
  sinceMs: number | undefined;
  /** Without those taken back. */
  readonly places: Set<string>;
  /** Whether these were credited is found out for the whole trail, however many others there are. */
  readonly wanted: ReadonlySet<string>;
  readonly found: Set<string>;
}

interface Beginning {
  readonly hash: string | null;
  /** No keyed row comes before it. */
  readonly isWhole: boolean;
  readonly isStopped: boolean;
  readonly wanted: ReadonlySet<string> | undefined;
}

export function newTrail(
  fromId: number,
  { hash, isWhole, isStopped, wanted }: Beginning,
): Trail {
  const sinceMs = isWhole ? -Infinity : undefined;
  const credits = wanted &&
    { sinceMs, places: new Set<string>(), wanted, found: new Set<string>() };
  return { fromId, id: fromId - 1, hash, waiting: new Map(), credits, isStopped };
}

/** False: the step does not follow. */
export function take(trail: Trail, step: ChainStep, { mac, log }: Seals): boolean {
  const isKeyed = step.id > log!.id;
  if (isKeyed && trail.id <= log!.id && trail.hash !== log!.hash) return false;
  const isOld = !isKeyed && trail.hash === null && step.hash === null;
  if (!isOld && step.hash !== step.expectedAfter(trail.hash, isKeyed ? mac : undefined)) {
    return false;
  }
  trail.id = step.id;
  trail.hash = step.hash;
  noteWithdrawal(trail, step);
  if (trail.credits) noteCredits(trail.credits, step);
  if (step.subject === GATEWAY) trail.isStopped = step.action === STOPPED;
  return true;
}

function noteWithdrawal({ waiting }: Trail, { action, subject, atMs }: ChainStep): void {
  const id = Number(/^withdrawal:(\d+)$/.exec(subject)?.[1] ?? NaN);
  if (action === REQUESTED) waiting.set(id, atMs);
  else if (MOVED.has(action)) waiting.delete(id);
}

function noteCredits(credits: Credits, { action, atMs, detail }: ChainStep): void {
  credits.sinceMs ??= atMs;
  const { places, wanted, found } = credits;
  if (action === TAKEN_BACK) {
    const { place } = JSON.parse(detail);
    places.delete(place);
    found.delete(place);
  }
  for (const place of creditedBy(action, detail)) {
    places.add(place);
    if (wanted.has(place)) found.add(place);
  }
  if (places.size <= PLACES_REMEMBERED) return;
  places.clear();
  credits.sinceMs = atMs;
}

function creditedBy(action: string, detail: string): readonly string[] {
  if (action === CREDITED) return [JSON.parse(detail).place];
  return action === CREDITS_NOTED ? JSON.parse(detail).places : [];
}
