import assert from "node:assert/strict";
import { fillHotWallets } from "../../src/actions/fill_hot_wallets.ts";
import { gasWallet, setNetwork } from "../../src/actions/manage_networks.ts";
import { startAnvil } from "../support/anvil.ts";
import { ETHER, hex, setBalance, STRANGER } from "../support/payers.ts";
import { nonceOf, settleAll, startPayingWorld } from "../support/payouts.ts";
import { alertsOf } from "../support/views.ts";

const ACTOR = "test";

Deno.test("a hot wallet whose key is used elsewhere is not filled up from the gas wallet (hazard 47)", async () => {
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
  await fillHotWallets(deps);
  assert.equal(await nonceOf(anvil, gas), 0);
});
