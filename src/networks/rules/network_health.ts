/** A network is silent when its node hasn't answered for this long. */
const STALE_AFTER_MS = 30_000;

interface FollowedTo {
  readonly scanHeight: number;
  readonly tipHeight: number;
  readonly haltedReason: string | null;
  readonly updatedAtMs: number;
}

/**
 * A network may be added without its node. Until one has answered, nobody knows whether it is the
 * right chain, and what is paid before the first block that is read may go unseen.
 */
export function hasAnswered(cursor: { readonly tipAtMs: number | null } | undefined): boolean {
  return cursor !== undefined && cursor.tipAtMs !== null;
}

/** Instead of the time of an answer: the network was added without one. */
export const NEVER_ANSWERED = 0;

export function answeredAtMs({ updatedAtMs }: FollowedTo): number | null {
  return updatedAtMs === NEVER_ANSWERED ? null : updatedAtMs;
}

/** Null if its node has never answered. */
export function secondsSinceAnswer(network: FollowedTo, nowMs: number): number | null {
  const atMs = answeredAtMs(network);
  return atMs === null ? null : Math.max(0, Math.floor((nowMs - atMs) / 1000));
}

/** Null if the current tip is unknown. */
export function lagOf(network: FollowedTo, nowMs: number): number | null {
  return isStale(network, nowMs) ? null : Math.max(0, network.tipHeight - network.scanHeight);
}

export type Health = "halted" | "silent" | "ok";

export function statusOf(network: FollowedTo, nowMs: number): Health {
  if (network.haltedReason !== null) return "halted";
  return isStale(network, nowMs) ? "silent" : "ok";
}

function isStale({ updatedAtMs }: FollowedTo, nowMs: number): boolean {
  return nowMs - updatedAtMs > STALE_AFTER_MS;
}
