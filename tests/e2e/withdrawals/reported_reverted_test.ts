import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { type Fault, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import {
  auditPayer,
  receivedBy,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
} from "../../support/payouts.ts";
import { alertsOf, balanceOf, withdraw } from "../../support/views.ts";

const REVERTED: Fault = {
  edit: (reply) => ({ ...reply, result: { ...reply.result as object, status: "0x0" } }),
};

Deno.test("a paid withdrawal that one endpoint calls reverted isn't released (hazard 45)", async () => {
  await using anvil = await startAnvil();
  await using liar = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startPayingWorld({ anvil, rpcUrls: [liar.url, anvil.url] });
  const { deps, merchant: { api } } = world;
  liar.onCall = (method) => method === "eth_getTransactionReceipt" ? REVERTED : "pass";
  const id = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  for (let round = 0; round < 3; round++) await settleAll(world);
  assert.equal(await statusOf(api, id), "broadcasted");
  assert.equal((await balanceOf(api)).held, "1.0051");
  assert.equal(await receivedBy(anvil, STRANGER), ETHER);
  await anvil.mine(100);
  await settleAll(world);
  assert.deepEqual((await alertsOf(deps)).map(({ kind }) => kind), ["not_final_as_read"]);

  liar.onCall = () => "pass";
  await anvil.mine(1);
  await world.round({ aheadMs: 200_000 });
  await settleAll(world);
  assert.equal(await statusOf(api, id), "confirmed");
  assert.deepEqual(await alertsOf(deps), []);
  await auditPayer(world);
});
