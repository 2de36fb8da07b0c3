import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { withdraw } from "../../support/views.ts";

const CONTRACTS = 45;

Deno.test("the next program continues counting an account's payments to contracts that took none", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const addresses: string[] = [];
  while (addresses.length < CONTRACTS) {
    addresses.push((await deploy(anvil, { name: "Moody" })).address);
  }
  if (Number(await anvil.rpc("eth_blockNumber")) % 2 === 1) await anvil.mine(1);
  await anvil.rpc("evm_setAutomine", [false]);
  const { api } = world.merchant;
  let paid = 0;
  for (let start = 0; start < CONTRACTS; start += 15) {
    const some = addresses.slice(start, start + 15);
    const replies = await Promise.all(some.map((to) => withdraw(api, { to, amount: "0.1" })));
    paid += replies.filter(({ status }) => status === 200).length;
    await world.restart();
  }
  assert.equal(paid, 20);
});
