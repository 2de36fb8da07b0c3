import { WITHDRAWAL_MOVES } from "../withdrawals/rules/moves.ts";
import type { Seals } from "../store/engine/seals.ts";
import type { ChainStep } from "../audit/reads/audit.ts";

/** Audit action: a withdrawal was requested. */
export const REQUESTED = "withdrawal.requested";
/** An actor: whoever says by a refund link where to. */
export const PAYER = "payer";
export const SIGNED = "withdrawal.signed";
/** Audit actions: a withdrawal was signed, sent or finished. */
export const MOVED: ReadonlySet<string> = new Set([
  SIGNED,
  ...Object.values(WITHDRAWAL_MOVES).flatMap(Object.keys).map((trigger) => `withdrawal.${trigger}`),
]);
/** Audit action: a payment of ours that the books did not know was booked. */
export const ADOPTED = "transfer.adopted";
/** Audit action: a row that an operator has looked at is right as it is. */
export const ACCEPTED = "integrity.accepted";
/** Audit actions for a payment on chain, named in the detail: credited, and taken back. */
export const CREDITED = "deposit.confirmed";
export const TAKEN_BACK = "deposit.vanished";
/** Many credits in one row, from before each had its own. */
export const CREDITS_NOTED = "books.credits_noted";
/** An operator says whether a payment was credited, because a broken log can't prove it. */
export const VOUCHED = "deposit.vouched";

/** The detail of such a row. */
export interface Vouch {
  readonly place: string;
  readonly isCredited: boolean;
  /** What was left of the log up to this row had no credit of it. */
  readonly readTo: number;
  readonly reason: string;
}

/** Audit actions for the whole gateway. */
export const STOPPED = "gateway.stopped";
export const RESUMED = "gateway.resumed";
export const GATEWAY = "gateway";
const PLACES_REMEMBERED = 200_000;

/** The log from one of its rows on, in which each row was found to follow the one before. */
export interface Trail {
  readonly fromId: number;
  /** It begins after a break: the row before it doesn't follow. */
  readonly isCut: boolean;
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
  /** The time of the trail's first row; undefined before there is one. */
  fromMs: number | undefined;
  /** The places include everything credited after this. */
  sinceMs: number | undefined;
  /** Without those taken back. */
  readonly places: Set<string>;
  /** Whether these were credited is found out for the whole trail, however many others there are. */
  readonly wanted: ReadonlySet<string>;
  readonly found: Set<string>;
  /** An operator vouched that these were not credited, and they were not credited since. */
  readonly vouched: Set<string>;
}

interface Beginning {
  readonly hash: string | null;
  /** No keyed row comes before it. */
  readonly isWhole: boolean;
  readonly isStopped: boolean;
  readonly wanted: ReadonlySet<string> | undefined;
  readonly isCut?: boolean;
}

export function newTrail(
  fromId: number,
  { hash, isWhole, isStopped, wanted, isCut = false }: Beginning,
): Trail {
  const fromMs = isWhole ? -Infinity : undefined;
  const credits = wanted && {
    fromMs,
    sinceMs: fromMs,
    wanted,
    places: new Set<string>(),
    found: new Set<string>(),
    vouched: new Set<string>(),
  };
  return { fromId, isCut, id: fromId - 1, hash, waiting: new Map(), credits, isStopped };
}

/** After a row that doesn't follow, the later ones may follow it. */
export function beginAfter({ id, hash }: ChainStep, { credits, isStopped }: Trail): Trail {
  return newTrail(id + 1, {
    hash,
    isWhole: false,
    isStopped,
    wanted: credits?.wanted,
    isCut: true,
  });
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
  noteVouch(trail, step);
  if (step.subject === GATEWAY) trail.isStopped = step.action === STOPPED;
  return true;
}

function noteWithdrawal({ waiting }: Trail, { action, subject, atMs }: ChainStep): void {
  const id = Number(/^withdrawal:(\d+)$/.exec(subject)?.[1] ?? NaN);
  if (action === REQUESTED) waiting.set(id, atMs);
  else if (MOVED.has(action)) waiting.delete(id);
}

function noteCredits(credits: Credits, { action, atMs, detail }: ChainStep): void {
  credits.fromMs ??= atMs;
  credits.sinceMs ??= atMs;
  const { places, wanted, found, vouched } = credits;
  if (action === TAKEN_BACK) {
    const { place } = JSON.parse(detail);
    places.delete(place);
    found.delete(place);
  }
  for (const place of creditedBy(action, detail)) {
    places.add(place);
    vouched.delete(place);
    if (wanted.has(place)) found.add(place);
  }
  if (places.size <= PLACES_REMEMBERED) return;
  places.clear();
  credits.sinceMs = atMs;
}

/** Counts only if the trail continues what had been read when the operator vouched. */
function noteVouch({ credits, fromId }: Trail, { action, detail }: ChainStep): void {
  if (action !== VOUCHED) return;
  const { place, isCredited, readTo }: Vouch = JSON.parse(detail);
  if (!isCredited && fromId <= readTo + 1) credits?.vouched.add(place);
}

/** The payments that were credited according to the row. */
export function creditedBy(action: string, detail: string): readonly string[] {
  if (action === CREDITS_NOTED) return JSON.parse(detail).places;
  if (action === CREDITED) return [JSON.parse(detail).place];
  if (action !== VOUCHED) return [];
  const { place, isCredited }: Vouch = JSON.parse(detail);
  return isCredited ? [place] : [];
}
