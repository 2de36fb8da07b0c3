import assert from "node:assert/strict";
import { fillEachHotWallet } from "../../support/programs/upkeep.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { gasWallet } from "../../../src/wallets/gas_wallet.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, hex, setBalance, STRANGER } from "../../support/payers.ts";
import { nonceOf, settleAll, startPayingWorld, statusOf } from "../../support/payouts.ts";
import { makeStage } from "../../support/stage.ts";
import { alertsOf } from "../../support/views.ts";

const ACTOR = "test";

Deno.test("a hot wallet whose key is used elsewhere gets no gas from the gas wallet (hazard 47)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { hotWallet } } = world;
  await setNetwork(deps, { code: "ETH", change: { hotGasTarget: "5" }, actor: ACTOR });
  const gas = (await gasWallet(deps, { network: "ETH", actor: "test" })).address;
  await setBalance(anvil, gas, 100n * ETHER);
  await anvil.rpc("anvil_impersonateAccount", [hotWallet]);
  const value = hex(199n * ETHER);
  await anvil.rpc("eth_sendTransaction", [{ from: hotWallet, to: STRANGER, value }]);
  await settleAll(world);
  const kinds = (await alertsOf(deps)).map(({ kind }) => kind).sort();
  assert.deepEqual(kinds, ["foreign_spend", "wallet_halted"]);
  await fillEachHotWallet(deps);
  assert.equal(await nonceOf(anvil, gas), 0);
});

for (const isSo of [false, true]) {
  const reported = isSo ? "the chain says the same" : "it was wrong";
  Deno.test(`a withdrawal nobody waits for isn't failed on a node's word about the nonce, and ${reported}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const { deps, merchant: { api, hotWallet } } = world;
    const stage = makeStage(world);
    await stage.sentWithdrawal();
    await settleAll(world);
    const id = await stage.waitingWithdrawal();
    const halted = async () =>
      (await alertsOf(deps)).filter(({ kind }) => kind === "wallet_halted").length;
    await anvil.rpc("anvil_setNonce", [hotWallet, "0x5"]);
    await world.round({ aheadMs: 30_000 });
    assert.deepEqual([await statusOf(api, id), await halted()], ["pending", 0]);
    if (!isSo) await anvil.rpc("anvil_setNonce", [hotWallet, "0x1"]);
    await settleAll(world);
    await world.round({ aheadMs: 60_000 });
    await settleAll(world);
    const expected = isSo ? ["pending", 1] : ["confirmed", 0];
    assert.deepEqual([await statusOf(api, id), await halted()], expected);
  });
}
