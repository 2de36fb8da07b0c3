import assert from "node:assert/strict";
import { creditSurplus } from "../../../src/deposits/credit_surplus.ts";
import { resumeNetwork } from "../../../src/following/resume_network.ts";
import { haltNetwork } from "../../../src/following/rewind_network.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, setBalance } from "../../support/payers.ts";
import { depositStates, startSweepingWorld } from "../../support/sweeping.ts";
import { alertsOf, allocate, balanceOf } from "../../support/views.ts";

for (const areThere of [true, false]) {
  const what = areThere ? "stays" : "whose coins are gone is taken back";
  Deno.test(`a manual credit ${what} when an operator has its block read again`, async () => {
    await using anvil = await startAnvil();
    await using world = await startSweepingWorld({ anvil, receiver: null });
    const { deps, merchant: { api } } = world;
    const { address } = await allocate(api);
    await setBalance(anvil, address, ETHER);
    await anvil.mine(10);
    await world.round();
    const asset = { network: "ETH", address, currency: "ETH", amount: "1" };
    await creditSurplus(deps, { ...asset, txHash: undefined, note: "test", actor: "test" });
    await haltNetwork(deps, { network: "ETH", reason: "test" });
    if (!areThere) await setBalance(anvil, address, 0n);
    await resumeNetwork(deps, { network: "ETH", fromBlock: 2, actor: "test" });
    await world.turn(3);
    assert.equal((await balanceOf(api)).balance, areThere ? "1" : "0");
    assert.deepEqual(await depositStates(world), [areThere ? "confirmed" : "failed"]);
    const kinds = (await alertsOf(deps)).map(({ kind }) => kind);
    assert.deepEqual(kinds, areThere ? [] : ["deposit_reversed"]);
  });
}
