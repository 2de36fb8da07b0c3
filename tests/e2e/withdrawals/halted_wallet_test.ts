import assert from "node:assert/strict";
import { fillEachHotWallet } from "../../support/programs/upkeep.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { gasWallet } from "../../../src/wallets/gas_wallet.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startNodeDouble } from "../../support/nodes/node_double.ts";
import { ETHER, hex, setBalance, STRANGER } from "../../support/payers.ts";
import { nonceOf, settleAll, startPayingWorld, statusOf } from "../../support/payouts.ts";
import { makeStage } from "../../support/stage.ts";
import { alertsOf, withdraw } from "../../support/views.ts";

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

Deno.test("one node of two that counts too much halts no wallet", async () => {
  await using anvil = await startAnvil();
  let isLying = false;
  await using liar = await startNodeDouble(anvil.url, async (call, ask) => {
    const reply = await ask();
    const isNonce = isLying && call.method === "eth_getTransactionCount";
    return isNonce ? Object.assign({}, reply, { result: "0x2710" }) : reply;
  });
  await using world = await startPayingWorld({ anvil, rpcUrls: [liar.url, anvil.url] });
  const { deps, merchant: { api } } = world;
  await setNetwork(deps, { code: "ETH", change: { quorum: 2 }, actor: ACTOR });
  const { sentWithdrawal } = makeStage(world);
  await sentWithdrawal();
  await settleAll(world);
  isLying = true;
  for (let time = 0; time < 3; time++) {
    await withdraw(api, { to: STRANGER, amount: "1" });
    await settleAll(world);
  }
  const kinds = (await alertsOf(deps)).map(({ kind }) => kind);
  assert.ok(!kinds.includes("wallet_halted"), kinds.join());
  isLying = false;
  await sentWithdrawal();
});
