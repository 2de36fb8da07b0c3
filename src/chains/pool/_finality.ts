import { majorityOf } from "./asking/answers.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Pool } from "./endpoints.ts";
import type { Head } from "./head.ts";
import type { Named } from "./protocol.ts";

/** An endpoint's last head still counts for this long, so that one slow answer doesn't outvote it. */
const REMEMBERED_MS = 60_000;
/** So long it may be silent, or stand still, before the others decide alone what is final. */
const MISSING_MS = 10_000;
/** And at least for so many blocks at its own pace: one between two blocks doesn't stand still. */
const BLOCKS_MISSED = 3;
/** One new block may simply not have reached it yet. */
const MOVES_MIN = 2;
const FAR_BEHIND_MS = 300_000;

interface Vote<N extends Named> {
  readonly endpoint: Endpoint<N>;
  readonly head: Head;
}

/**
 * The highest block that a majority of the endpoints, and at least the quorum, call final. With two
 * endpoints the lower one counts: a block called final too early halts the network at the next
 * fork. Those that are silent, far behind or stand still have no vote, or they would delay all
 * credits.
 */
export function finalOf<N extends Named>(
  pool: Pool<N>,
  { answered, tip }: { answered: readonly Vote<N>[]; tip: Head },
): Head["finalized"] {
  const votes = [...answered, ...rememberedBy(pool, answered)]
    .filter(({ endpoint, head }) => head.finalized && !isSilent(pool, endpoint));
  const near = votes.filter((vote) => !isFarBehind(pool, { vote, tip }));
  const known = near.length > 0 ? near : votes;
  for (const { endpoint } of votes) {
    pool.note(endpoint, "endpoint is far behind", near.length > 0 && !isIn(near, endpoint));
  }
  const counted = withoutStill(pool, { votes: known, tip });
  const finals = counted.flatMap(({ head }) => head.finalized ?? []).toSorted((a, b) =>
    b.height - a.height
  );
  return finals[majorityOf(finals.length, pool.quorum) - 1] ?? null;
}

/** Whether its last head still counts. */
export function isRemembered<N extends Named>(pool: Pool<N>, { seen }: Endpoint<N>): boolean {
  return pool.nowMs() - seen.headSeenAtMs <= REMEMBERED_MS;
}

/** What was final stays so: an old answer may be too low, but never too high. */
function rememberedBy<N extends Named>(pool: Pool<N>, answered: readonly Vote<N>[]): Vote<N>[] {
  return pool.endpoints.flatMap((endpoint) => {
    const { head } = endpoint.seen;
    const isOut = pool.isContradicted(endpoint) || endpoint.unfitness() !== undefined;
    return head && !isOut && !isIn(answered, endpoint) ? [{ endpoint, head }] : [];
  });
}

/** Counted from the first poll that it left open: one that answers late is not silent. */
function isSilent<N extends Named>(
  pool: Pool<N>,
  { seen: { silentSinceMs } }: Endpoint<N>,
): boolean {
  return silentSinceMs !== null && pool.nowMs() - silentSinceMs > MISSING_MS;
}

/**
 * They still count unless those that move on are the majority, and at least the quorum: endpoints
 * that make up blocks must not decide while as many others wait for the next real one. Of two, the
 * one that moves on is believed alone if the quorum is one, as if the other were silent: nobody can
 * tell a frozen node from one whose chain stands still. One that moves at its chain's pace does not
 * stand still, however fast the other goes.
 */
function withoutStill<N extends Named>(
  pool: Pool<N>,
  { votes, tip }: { votes: readonly Vote<N>[]; tip: Head },
): readonly Vote<N>[] {
  const moving = votes.filter((vote) => !standsStill(pool, { vote, tip }));
  const isMost = 2 * moving.length > votes.length || votes.length === 2;
  const isDecided = moving.length >= Math.max(1, pool.quorum) && isMost;
  for (const { endpoint } of votes) {
    pool.note(endpoint, "endpoint stands still", isDecided && !isIn(moving, endpoint));
  }
  return isDecided ? moving : votes;
}

/** The tip has moved on, and this endpoint, asked some time later, still had the same newest block. */
function standsStill<N extends Named>(
  pool: Pool<N>,
  { vote: { endpoint: { seen }, head }, tip }: { vote: Vote<N>; tip: Head },
): boolean {
  const { hash } = head;
  const last = seen.still?.hash === hash ? seen.still : undefined;
  const { tipHeight, moves, sinceMs } = last ?? { tipHeight: tip.height, moves: 0, sinceMs: 0 };
  const hasGrown = tip.height > tipHeight;
  const still = {
    hash,
    tipHeight: Math.max(tip.height, tipHeight),
    moves: hasGrown ? moves + 1 : moves,
    sinceMs: moves === 0 ? pool.nowMs() : sinceMs,
  };
  seen.still = still;
  return still.moves >= MOVES_MIN && seen.headAskedAtMs - still.sinceMs > patienceFor(head);
}

/** By the blocks since its last final one, so that nobody else's blocks make it look slow. */
function patienceFor({ height, atMs, finalized }: Head): number {
  const blocks = height - (finalized?.height ?? height);
  const paceMs = blocks > 0 ? (atMs - (finalized?.atMs ?? atMs)) / blocks : 0;
  return Math.min(Math.max(MISSING_MS, BLOCKS_MISSED * paceMs), FAR_BEHIND_MS);
}

/**
 * Checked by our clock too, or an endpoint that dates its blocks ahead would make all others look
 * behind.
 */
function isFarBehind<N extends Named>(
  pool: Pool<N>,
  { vote: { head }, tip }: { vote: Vote<N>; tip: Head },
): boolean {
  return tip.atMs - head.atMs > FAR_BEHIND_MS && pool.nowMs() - head.atMs > FAR_BEHIND_MS;
}

function isIn<N extends Named>(votes: readonly Vote<N>[], endpoint: Endpoint<N>): boolean {
  return votes.some((vote) => vote.endpoint === endpoint);
}
