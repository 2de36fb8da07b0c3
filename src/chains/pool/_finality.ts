import type { Endpoint } from "./endpoint.ts";
import type { Pool } from "./endpoints.ts";
import type { Head } from "./head.ts";
import type { Named } from "./protocol.ts";

/**
 * An endpoint's last answer still counts for this long, so that one slow answer doesn't change the
 * quorum.
 */
const REMEMBERED_MS = 60_000;
const FAR_BEHIND_MS = 300_000;

interface Vote<N extends Named> {
  readonly endpoint: Endpoint<N>;
  readonly head: Head;
}

/**
 * The highest block that a majority of the endpoints, and at least the quorum, call final. With two
 * endpoints the lower one counts: a block called final too early halts the network at the next
 * fork.
 */
export function finalOf<N extends Named>(
  pool: Pool<N>,
  { answered, tip }: { answered: readonly Vote<N>[]; tip: Head },
): Head["finalized"] {
  const votes = [...answered, ...rememberedBy(pool, answered)].filter(({ head }) => head.finalized);
  const near = votes.filter((vote) => !isFarBehind(pool, { vote, tip }));
  const counted = near.length > 0 ? near : votes;
  for (const { endpoint } of votes) {
    pool.note(endpoint, "endpoint is far behind", near.length > 0 && !isIn(near, endpoint));
  }
  const finals = counted.flatMap(({ head }) => head.finalized ?? []).toSorted((a, b) =>
    b.height - a.height
  );
  const needed = Math.max(pool.quorum, Math.floor(finals.length / 2) + 1);
  return finals[needed - 1] ?? null;
}

/** Whether its last answer still counts. */
export function isRemembered<N extends Named>(pool: Pool<N>, { seen }: Endpoint<N>): boolean {
  return pool.nowMs() - seen.headSeenAtMs <= REMEMBERED_MS;
}

/** Those that didn't answer in time now, but did a moment ago. */
function rememberedBy<N extends Named>(pool: Pool<N>, answered: readonly Vote<N>[]): Vote<N>[] {
  return pool.endpoints.flatMap((endpoint) => {
    const { head } = endpoint.seen;
    const isOut = pool.isContradicted(endpoint) || endpoint.unfitness() !== undefined;
    return head && isRemembered(pool, endpoint) && !isOut && !isIn(answered, endpoint)
      ? [{ endpoint, head }]
      : [];
  });
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
