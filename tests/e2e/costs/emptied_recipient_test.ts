import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { hex } from "../../support/payers.ts";
import { sentId, settleAll, startPayingWorld, statusOf } from "../../support/payouts.ts";
import { withdraw } from "../../support/views.ts";

Deno.test("recipients that empty their balance before they are paid are paid, without wasting gas", async () => {
  await using anvil = await startAnvil({ accounts: 10 });
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, accountId, hotWallet } } = world;
  const token = await world.addToken();
  await token.send("mint", [hotWallet, 1_000_000_000n]);
  const asset = { accountId, network: "ETH", currency: "USDT" };
  await adjustBalance(deps, { ...asset, amount: "1000", note: "test", actor: "test" });
  const recipients = anvil.accounts.slice(1, 9);
  for (const to of recipients) await token.send("mint", [to, 1n]);
  await anvil.rpc("evm_setAutomine", [false]);
  const ids: number[] = [];
  for (const to of recipients) {
    ids.push(sentId(await withdraw(api, { to, amount: "10", currency: "USDT" })));
  }
  for (const from of recipients) {
    const data = token.encode("transfer", [anvil.accounts[9], 1n]);
    const tip = hex(50n * 10n ** 9n);
    const price = { maxFeePerGas: hex(100n * 10n ** 9n), maxPriorityFeePerGas: tip };
    await anvil.rpc("eth_sendTransaction", [{ from, to: token.address, data, ...price }]);
  }
  await anvil.mine(1);
  await anvil.rpc("evm_setAutomine", [true]);
  await settleAll(world);
  await settleAll(world);
  const statuses = await Promise.all(ids.map((id) => statusOf(api, id)));
  assert.deepEqual(statuses, ids.map(() => "confirmed"));
});
