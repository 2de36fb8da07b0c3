/** A network is behind when its node hasn't answered for this long. */
const STALE_AFTER_MS = 30_000;

interface FollowedTo {
  readonly scanHeight: number;
  readonly tipHeight: number;
  readonly haltedReason: string | null;
  readonly updatedAtMs: number;
}

export function secondsSinceAnswer({ updatedAtMs }: FollowedTo, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - updatedAtMs) / 1000));
}

/** Null if the current tip is unknown. */
export function lagOf(network: FollowedTo, nowMs: number): number | null {
  return isStale(network, nowMs) ? null : Math.max(0, network.tipHeight - network.scanHeight);
}

export type Health = "halted" | "behind" | "ok";

export function statusOf(network: FollowedTo, nowMs: number): Health {
  if (network.haltedReason !== null) return "halted";
  return isStale(network, nowMs) ? "behind" : "ok";
}

function isStale({ updatedAtMs }: FollowedTo, nowMs: number): boolean {
  return nowMs - updatedAtMs > STALE_AFTER_MS;
}
