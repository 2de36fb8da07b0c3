import assert from "node:assert/strict";
import {
  SWEEP_MOVES,
  SWEEP_STATES,
  sweepMove,
  type SweepState,
  type SweepTrigger,
} from "../../../src/sweeps/rules/sweep_moves.ts";

const LEGAL: Record<string, SweepState> = {
  "waiting, funded": "funding",
  "waiting, signed": "sweeping",
  "waiting, parked": "parked",
  "waiting, emptied": "done",
  "funding, gas_arrived": "waiting",
  "funding, gas_lost": "waiting",
  "funding, parked": "parked",
  "sweeping, mined": "done",
  "sweeping, dropped": "waiting",
  "sweeping, untried": "waiting",
  "sweeping, parked": "parked",
  "parked, retried": "waiting",
};
const STATES: SweepState[] = ["waiting", "funding", "sweeping", "parked", "done"];
const TRIGGERS: SweepTrigger[] = [
  "funded",
  "signed",
  "gas_arrived",
  "gas_lost",
  "mined",
  "dropped",
  "untried",
  "emptied",
  "parked",
  "retried",
];

for (const state of STATES) {
  for (const trigger of TRIGGERS) {
    const expected = LEGAL[`${state}, ${trigger}`];
    const outcome = expected ? `becomes ${expected}` : "stays what it is";
    Deno.test(`a sweep that is ${state} and gets "${trigger}" ${outcome}`, () => {
      assert.equal(sweepMove(state, trigger), expected);
    });
  }
}

Deno.test("sweeps have these states and triggers and no others", () => {
  assert.deepEqual(SWEEP_STATES, STATES);
  const triggers = Object.values(SWEEP_MOVES).flatMap((moves) => Object.keys(moves));
  assert.deepEqual(new Set(triggers), new Set(TRIGGERS));
});
