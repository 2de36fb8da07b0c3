import type { NetworkCursorRow } from "../../following/table.ts";
import { lagOf as networkLag } from "../rules/network_health.ts";
import { isStalled } from "../stalled.ts";
import type { NetworkRow } from "../table.ts";

const LAG_BLOCKS_BEHIND = 20;

/** Undefined if it was never read, or is unknown by now. */
export function lagOf(cursor: NetworkCursorRow | undefined, nowMs: number): number | undefined {
  return (cursor && networkLag(cursor, nowMs)) ?? undefined;
}

export function stateOf(
  network: NetworkRow,
  cursor: NetworkCursorRow | undefined,
  nowMs: number,
): string {
  if (!network.isActive) return "off";
  if (!cursor) return "ok";
  if (cursor.haltedReason !== null) return "halted";
  const lag = lagOf(cursor, nowMs);
  if (lag === undefined) return "silent";
  if (isStalled(network, { tipAtMs: cursor.tipAtMs, nowMs })) return "stalled";
  return lag > LAG_BLOCKS_BEHIND ? "behind" : "ok";
}
