import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { audit } from "../../support/auditor.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { enable, makeToken } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import {
  auditPayer,
  nonceOf,
  receivedBy,
  rejectedId,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
} from "../../support/payouts.ts";
import {
  balanceOf,
  eventsOf,
  transactionsOf,
  withdraw,
  withdrawalOf,
} from "../../support/views.ts";

Deno.test("a withdrawal that the pool lost is sent again as the same bytes and paid once (hazard 40)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  await anvil.rpc("evm_setAutomine", [false]);
  const reply = await withdraw(api, { to: STRANGER, amount: "1" });
  const hash: string = reply.body.data.tx_hash;
  for (let aheadMs = 30_000; aheadMs <= 90_000; aheadMs += 30_000) {
    assert.equal(await anvil.rpc("anvil_dropTransaction", [hash]), hash);
    await anvil.mine(3);
    assert.equal(await anvil.rpc("eth_getTransactionByHash", [hash]), null);
    await world.round({ aheadMs });
    assert.equal(await statusOf(api, sentId(reply)), "broadcasted");
    assert.equal((await anvil.rpc("eth_getTransactionByHash", [hash])).hash, hash);
  }
  await settleAll(world);
  const done = await withdrawalOf(api, sentId(reply));
  assert.deepEqual([done.status, done.tx_hash], ["confirmed", hash]);
  assert.equal(await nonceOf(anvil, hotWallet), 1);
  await auditPayer(world);
});

Deno.test("an unmined withdrawal isn't sent again before its time", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startPayingWorld({ anvil, rpcUrls: [proxy.url] });
  await anvil.rpc("evm_setAutomine", [false]);
  sentId(await withdraw(world.merchant.api, { to: STRANGER, amount: "1" }));
  for (let round = 0; round < 3; round++) await world.round();
  const sendings = () =>
    proxy.bodies.flat().filter(({ method }) => method === "eth_sendRawTransaction");
  assert.equal(sendings().length, 1);
  await world.round({ aheadMs: 30_000 });
  await world.round();
  const [first, second, ...more] = sendings().map(({ params }) => params[0]);
  assert.equal(first, second);
  assert.deepEqual(more, []);
});

Deno.test("a hot wallet that is drained in the middle of its queue pays the rest once filled (hazard 46)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  await anvil.rpc("evm_setAutomine", [false]);
  const first = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  const second = sentId(await withdraw(api, { to: STRANGER, amount: "2" }));
  await setBalance(anvil, hotWallet, ETHER / 100n);
  await anvil.mine(3);
  await world.round({ aheadMs: 30_000 });
  rejectedId(await withdraw(api, { to: STRANGER, amount: "4" }));
  for (const id of [first, second]) assert.equal(await statusOf(api, id), "broadcasted");
  assert.equal((await balanceOf(api)).held, "3.0152");
  await setBalance(anvil, hotWallet, 50n * ETHER);
  await anvil.mine(1);
  await world.round({ aheadMs: 60_000 });
  const third = sentId(await withdraw(api, { to: STRANGER, amount: "8" }));
  await settleAll(world);
  for (const id of [first, second, third]) assert.equal(await statusOf(api, id), "confirmed");
  assert.equal(await receivedBy(anvil, STRANGER), 11n * ETHER);
  assert.equal(await nonceOf(anvil, hotWallet), 3);
  await auditPayer(world);
});

Deno.test("a withdrawal whose transaction reverts on the chain fails once that is deep (hazard 45)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api, accountId, hotWallet } = world.merchant;
  const token = await deploy(anvil, { name: "UsdtLike" });
  await makeToken(world.deps, { network: "ETH", contract: token.address });
  const asset = { accountId, network: "ETH", currency: "USDT" };
  await enable(world.deps, asset);
  await adjustBalance(world.deps, { ...asset, amount: "50", note: "test", actor: "test" });
  await token.send("mint", [hotWallet, 50_000_000n]);
  await anvil.rpc("evm_setAutomine", [false]);
  const order = { to: STRANGER, amount: "10", currency: "USDT" };
  const { body } = await withdraw(api, order);
  const id: number = body.data.withdrawal_id;
  // Mined first, because it pays a higher fee.
  const ban = {
    from: anvil.accounts[0],
    to: token.address,
    data: token.encode("ban", [hotWallet]),
  };
  await anvil.rpc("eth_sendTransaction", [{
    ...ban,
    maxFeePerGas: "0x174876e800",
    maxPriorityFeePerGas: "0x174876e800",
  }]);
  await anvil.mine(2);
  const receipt = await anvil.rpc("eth_getTransactionReceipt", [body.data.tx_hash]);
  assert.equal(receipt.status, "0x0");
  await world.round();
  assert.equal(await statusOf(api, id), "broadcasted");
  await anvil.mine(1);
  await world.round();
  assert.equal(await statusOf(api, id), "failed");
  const [reported] = await eventsOf(world.deps, "withdrawal.failed");
  assert.deepEqual([reported.id, reported.reason], [id, "reverted"]);
  assert.deepEqual(await balanceOf(api, "USDT"), { balance: "50", held: "0", available: "50" });
  const [row] = await transactionsOf(api, "&direction=withdrawal");
  assert.equal(row!.status, "failed");
  rejectedId(await withdraw(api, order));
  const books = { contract: token.address, decimals: 6 };
  const common = { api, anvil, addresses: [], currency: "USDT", token: books };
  await audit({ ...common, adjusted: "50" });
});

Deno.test("a mined withdrawal that a reorg removed is sent again and paid once (hazard 44)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  const reply = await withdraw(api, { to: STRANGER, amount: "1" });
  await anvil.mine(1);
  await world.round();
  const confirmations = async () =>
    (await transactionsOf(api, "&direction=withdrawal"))[0]!.confirmations;
  assert.equal(await confirmations(), 2);
  await anvil.rpc("anvil_reorg", [2, []]);
  assert.equal(await nonceOf(anvil, hotWallet), 0);
  await world.round();
  assert.equal(await confirmations(), 0);
  assert.equal(await statusOf(api, sentId(reply)), "broadcasted");
  await world.round({ aheadMs: 30_000 });
  await settleAll(world);
  assert.equal(await statusOf(api, sentId(reply)), "confirmed");
  assert.equal(await receivedBy(anvil, STRANGER), ETHER);
  assert.equal(await nonceOf(anvil, hotWallet), 1);
  assert.deepEqual(world.faults, []);
  await auditPayer(world);
});

Deno.test("a mined withdrawal without a known receipt is sent again and doesn't fail (hazard 37)", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startPayingWorld({ anvil, rpcUrls: [proxy.url] });
  const { api } = world.merchant;
  await world.round();
  const id = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  await anvil.mine(5);
  // A node that lost its index of transactions: blocks yes, receipts no.
  proxy.onCall = (method) =>
    method === "eth_getTransactionReceipt" || method === "eth_getTransactionByHash"
      ? { edit: (reply) => ({ ...reply, result: null }) }
      : "pass";
  for (let aheadMs = 30_000; aheadMs <= 90_000; aheadMs += 30_000) {
    await world.round({ aheadMs });
    assert.equal(await statusOf(api, id), "broadcasted");
  }
  proxy.onCall = () => "pass";
  await world.round();
  assert.equal(await statusOf(api, id), "confirmed");
  await auditPayer(world);
});

Deno.test("the running worker confirms by itself: 20 withdrawals on a chain that mines by itself", async () => {
  await using anvil = await startAnvil({ args: ["--block-time", "1"] });
  await using world = await startPayingWorld({ anvil, env: { CPG_WORKER: "true" } });
  const { api } = world.merchant;
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => withdraw(api, { to: STRANGER, amount: "0.5" })),
  );
  for (const id of replies.map(sentId)) {
    await eventually(() => statusOf(api, id), { until: (status) => status === "confirmed" });
  }
  await auditPayer(world);
});
