import { keysOf } from "../../base/lists.ts";

/** A sweep's life as data: state → trigger → state. Deposits follow it (spec 3.4). */
export const SWEEP_MOVES = {
  /** Nothing is signed; it waits for its time, for gas or for lower fees. */
  waiting: { funded: "funding", signed: "sweeping", parked: "parked", emptied: "done" },
  /** Gas is on its way to the address. */
  funding: { gas_arrived: "waiting", gas_lost: "waiting", parked: "parked" },
  /** Signed, and on its way to the receiving wallet. */
  sweeping: { mined: "done", dropped: "waiting", untried: "waiting", parked: "parked" },
  /** Another try would fail too, or it was mined and moved nothing: an operator has to look. */
  parked: { retried: "waiting" },
  done: {},
} as const satisfies Record<string, Record<string, string>>;

export type SweepState = keyof typeof SWEEP_MOVES;

export type SweepTrigger =
  | "funded"
  | "signed"
  | "gas_arrived"
  | "gas_lost"
  | "mined"
  | "dropped"
  | "untried"
  | "emptied"
  | "parked"
  | "retried";

/** Undefined if the table has no such step. */
export function sweepMove(from: SweepState, trigger: SweepTrigger): SweepState | undefined {
  const moves: Partial<Record<SweepTrigger, SweepState>> = SWEEP_MOVES[from];
  return moves[trigger];
}

export const SWEEP_STATES = keysOf(SWEEP_MOVES);
