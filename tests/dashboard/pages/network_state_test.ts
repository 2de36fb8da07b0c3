import assert from "node:assert/strict";
import { lagOf, stateOf } from "../../../src/networks/pages/network_state.ts";
import { makeCursor, makeNetwork } from "../../store/reads/make_rows.ts";

const NOW_MS = 1_767_225_600_000;
const network = { ...makeNetwork("ETH", null), isActive: true };
const cursor = makeCursor({ network: "ETH", finalizedHeight: null, haltedReason: null });
const read = { ...cursor, scanHeight: 90, tipHeight: 100, updatedAtMs: NOW_MS };

for (
  const [name, seen, state, lag] of [
    ["reads along", read, "ok", 10],
    ["is far behind", { ...read, tipHeight: 111 }, "behind", 21],
    ["has heard nothing lately", { ...read, updatedAtMs: NOW_MS - 31_000 }, "silent", undefined],
    ["has no new blocks", { ...read, tipAtMs: NOW_MS - 600_001 }, "stalled", 10],
    ["has a recent block", { ...read, tipAtMs: NOW_MS - 600_000 }, "ok", 10],
    ["was halted", { ...read, haltedReason: "a fork" }, "halted", 10],
    ["was never read", undefined, "ok", undefined],
  ] as const
) {
  Deno.test(`a network that ${name} is ${state}, and ${lag ?? "an unknown number of"} blocks behind`, () => {
    assert.equal(stateOf(network, seen, NOW_MS), state);
    assert.equal(lagOf(seen, NOW_MS), lag);
    assert.equal(stateOf({ ...network, isActive: false }, seen, NOW_MS), "off");
  });
}
