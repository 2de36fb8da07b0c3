import assert from "node:assert/strict";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { alertShape } from "../../../src/alerts/shapes.ts";
import { type CreditOrder, creditSurplus } from "../../../src/deposits/credit_surplus.ts";
import { reverseDeposit } from "../../../src/deposits/reverse.ts";
import { rescan } from "../../../src/following/rescan.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy, sendTx } from "../../support/nodes/contracts.ts";
import { makeWallet } from "../../support/nodes/evm_wallet.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { ETHER, setBalance } from "../../support/payers.ts";
import { settleAll } from "../../support/payouts.ts";
import { alertsOf, allocate, balanceOf, depositsOf, eventsOf } from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

const BY_HAND = { CPG_WORKER: "false" };
const MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11";

async function untraced({ deps }: World): Promise<void> {
  await setNetwork(deps, { code: "ETH", change: { traces: "off" }, actor: "test" });
}

function credit({ deps }: World, order: Partial<CreditOrder> & { address: string }) {
  return creditSurplus(deps, {
    ...{ network: "ETH", currency: "ETH", amount: "1.5", txHash: undefined },
    ...{ note: "paid by a contract", actor: "test" },
    ...order,
  });
}

Deno.test("contract payments without a trace are found, credited by command, and only once (hazard 18)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  await untraced(world);
  const { deps, merchant: { api, accountId } } = world;
  const { address, requestId } = await allocate(api);
  const disperse = await deploy(anvil, { name: "Disperse" });
  await anvil.mine(3);
  const txHash = await disperse.send("ether_", [[address, address], [ETHER, ETHER / 2n]], {
    valueRaw: 3n * ETHER / 2n,
  });
  await world.round();
  const { differences, surplus } = await reconcile(deps, { network: "ETH" });
  assert.deepEqual(differences, []);
  assert.deepEqual(surplus, [{
    accountId,
    network: "ETH",
    currency: "ETH",
    address,
    amount: "1.5",
  }]);
  const [alert] = await alertsOf(deps);
  assert.equal(alert!.kind, "deposit_surplus");
  assert.match(
    alertShape(alert!).message,
    new RegExp(`deposit credit .*${address} .*--amount 1.5 `),
  );
  await assert.rejects(
    credit(world, { address }),
    /holds 0 that no transaction explains, at block/,
  );
  await settleAll(world);
  await assert.rejects(
    credit(world, { address, amount: "1.500000000000000001" }),
    /Cannot credit 1\.500000000000000001 ETH: 0x\w+ holds 1\.5 that no transaction explains/,
  );
  await assert.rejects(credit(world, { address, amount: "0" }), /credits nothing/);
  await credit(world, { address, amount: "1", txHash });
  await credit(world, { address, amount: "0.5" });
  await assert.rejects(credit(world, { address, amount: "0.1" }), /holds 0 /);
  assert.equal((await balanceOf(api)).balance, "1.5");
  const rows = await depositsOf(api);
  assert.deepEqual(rows.map((row) => [row.status, row.amount_decimal, row.tx_hash]), [
    ["confirmed", "0.5", `by-hand:${address}:2`],
    ["confirmed", "1", txHash],
  ]);
  const { body } = await api.get(`/v1/deposit-requests/${requestId}`);
  assert.equal(body.data.status, "settled");
  assert.equal((await eventsOf(deps, "deposit.confirmed")).length, 2);
  assert.deepEqual(await alertsOf(deps), []);

  await setNetwork(deps, { code: "ETH", change: { traces: "on" }, actor: "test" });
  assert.equal(
    (await rescan(deps, { network: "ETH", fromBlock: 1, toBlock: undefined, actor: "test" })).found,
    2,
  );
  await settleAll(world);
  assert.equal((await balanceOf(api)).balance, "1.5");
  const kinds = (await alertsOf(deps)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["deposit_not_covered", "deposit_not_covered"]);
  assert.deepEqual((await reconcile(deps, { network: "ETH" })).differences, []);
});

Deno.test("a manual credit is swept like any other deposit, and the books still agree", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  await untraced(world);
  const { deps, merchant: { api, accountId } } = world;
  const address = anvil.accounts[2]!;
  await setReceivingWallet(deps, { accountId, network: "ETH", address, actor: "test" });
  const ours = (await allocate(api)).address;
  const disperse = await deploy(anvil, { name: "Disperse" });
  await disperse.send("ether_", [[ours], [ETHER]], { valueRaw: ETHER });
  await settleAll(world);
  await credit(world, { address: ours, amount: "1" });
  for (let round = 1; round <= 4; round++) {
    await settleAll(world);
    const { differences, surplus } = await reconcile(deps, { network: "ETH" });
    assert.deepEqual([differences, surplus], [[], []]);
  }
  assert.deepEqual((await depositsOf(api)).map(({ status }) => status), ["swept"]);
});

Deno.test("lost money is booked by reversing a deposit and crediting the rest, and stays booked", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  const { deps, merchant: { api } } = world;
  const { address } = await allocate(api);
  await anvil.mine(3);
  await sendTx(anvil, { to: address, valueRaw: 2n * ETHER });
  await settleAll(world);
  await setBalance(anvil, address, ETHER / 4n);
  await settleAll(world);
  const [deposit] = await depositsOf(api);
  const found = await reconcile(deps, { network: "ETH" });
  assert.deepEqual(found.differences.map(({ expected, found }) => [expected, found]), [[
    "2",
    "0.25",
  ]]);
  const order = { id: deposit!.id, note: "test", actor: "test" };
  assert.equal((await reverseDeposit(deps, order)).status, "failed");
  await assert.rejects(
    reverseDeposit(deps, order),
    /Deposit \d+ is failed: only a confirmed deposit/,
  );
  await settleAll(world);
  await credit(world, { address, amount: "0.25" });
  assert.equal((await balanceOf(api)).balance, "0.25");
  await rescan(deps, { network: "ETH", fromBlock: 1, toBlock: undefined, actor: "test" });
  await settleAll(world);
  assert.equal((await balanceOf(api)).balance, "0.25");
  const { differences, surplus } = await reconcile(deps, { network: "ETH" });
  assert.deepEqual([differences, surplus], [[], []]);
});

Deno.test("of two simultaneous credits of one surplus one is given", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  await untraced(world);
  const { api } = world.merchant;
  const { address } = await allocate(api);
  const disperse = await deploy(anvil, { name: "Disperse" });
  await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  await settleAll(world);
  const settled = await Promise.allSettled(
    [undefined, "0x01", "0x02", undefined].map((txHash) =>
      credit(world, { address, amount: "1", txHash })
    ),
  );
  assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 1);
  assert.equal((await balanceOf(api)).balance, "1");
  await assert.rejects(
    credit(world, { address: world.merchant.hotWallet }),
    /not a deposit address/,
  );
});

Deno.test("2,000 addresses are compared with the chain in a bounded number of requests", async () => {
  await using anvil = await startAnvil();
  const { address: copy } = await deploy(anvil, { name: "Multicall3" });
  await anvil.rpc("anvil_setCode", [MULTICALL3, await anvil.rpc("eth_getCode", [copy, "latest"])]);
  await anvil.mine(1);
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], env: BY_HAND });
  await untraced(world);
  const { deps, merchant: { accountId } } = world;
  await world.round();
  const rows = Array.from({ length: 2000 }, (_, i) => [10_000 + i, makeWallet(50_000 + i).address]);
  await deps.db.execute([{
    sql: `INSERT INTO addresses (account_id, network, purpose, address, key_coin_type, key_account,
  key_branch, key_index, nonce_floor, created_at_ms)
SELECT ?, 'ETH', 'deposit', value ->> 1, 60, 1, 0, value ->> 0, 0, 1 FROM json_each(?)`,
    args: [accountId, JSON.stringify(rows)],
  }]);
  const rich = String(rows[1500]![1]);
  const disperse = await deploy(anvil, { name: "Disperse" });
  await disperse.send("ether_", [[rich], [ETHER]], { valueRaw: ETHER });
  await world.round();
  const before = proxy.bodies.length;
  const startedMs = performance.now();
  const { surplus } = await reconcile(deps, { network: undefined });
  const requests = proxy.bodies.slice(before);
  const tookMs = Math.round(performance.now() - startedMs);
  // deno-lint-ignore no-console -- a number that the reader of a test run wants to see
  console.log(`      2,000 addresses: ${requests.length} requests in ${tookMs} ms`);
  assert.deepEqual(surplus.map(({ address, amount }) => [address, amount]), [[rich, "1"]]);
  assert.ok(requests.length <= 3, JSON.stringify(requests.map((calls) => calls[0]?.method)));
});
