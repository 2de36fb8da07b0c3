import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { type ContractName, deploy, sendTx } from "../../support/nodes/contracts.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { enable, makeToken } from "../../support/gateway.ts";
import { settleAll } from "../../support/payouts.ts";
import { alertsOf, allocate, balanceOf, depositsOf } from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

const BY_HAND = { CPG_WORKER: "false" };

async function addOdd(
  { anvil, deps, merchant: { accountId } }: World,
  { name, args = [] }: { name: ContractName; args?: unknown[] },
) {
  const token = await deploy(anvil, { name, args });
  const contract = token.address;
  const decimals = Number(await token.read("decimals"));
  await makeToken(deps, { network: "ETH", contract, symbol: "ODD", decimals });
  await enable(deps, { accountId, network: "ETH", currency: "ODD" });
  return token;
}

Deno.test("a token that logs more than it moved isn't credited, and what is there is (hazard 14)", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], env: BY_HAND });
  const { deps, merchant: { api } } = world;
  const liar = await addOdd(world, { name: "LyingToken" });
  const { address } = await allocate(api, { currency: "ODD" });
  const unit = 10n ** await liar.read("decimals");
  const hold = (units: bigint) =>
    anvil.rpc("anvil_dealERC20", [address, liar.address, `0x${(units * unit).toString(16)}`]);
  await liar.send("fake", [address, 1000n * unit]);
  await liar.send("fake", [address, 7n * unit]);
  await hold(7n);
  await settleAll(world);
  const rows = await depositsOf(api);
  assert.deepEqual(rows.map((row) => [row.amount_decimal, row.status]), [
    ["7", "confirmed"],
    ["1000", "detected"],
  ]);
  assert.equal((await balanceOf(api, "ODD")).balance, "7");
  const alerts = await alertsOf(deps);
  assert.deepEqual(alerts.map(({ kind }) => kind), ["deposit_not_covered"]);
  assert.match(
    alerts[0]!.message,
    /of 1000 ODD on ETH is not credited: 0x\w+ holds 7, of which 0 were credited before$/,
  );
  const asksIn = (from: number) =>
    proxy.bodies.slice(from).flat().filter(({ method }) => method === "eth_call").length;
  const quiet = proxy.bodies.length;
  for (let round = 0; round < 5; round++) await world.round();
  assert.equal(asksIn(quiet), 0, "it waits before it is looked at again");
  const later = proxy.bodies.length;
  await world.round({ aheadMs: 40_000 });
  assert.ok(asksIn(later) > 0);
  assert.equal((await balanceOf(api, "ODD")).balance, "7");
  // If it turns up after all, it is credited and the alert is closed.
  await hold(1007n);
  await anvil.mine(1);
  await world.round({ aheadMs: 7_200_000 });
  assert.equal((await balanceOf(api, "ODD")).balance, "1007");
  assert.deepEqual(await alertsOf(deps), []);
});

Deno.test("a token that keeps a fee per transfer is credited with what arrived at most (hazard 15)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  const { deps, merchant: { api } } = world;
  const token = await addOdd(world, { name: "FeeToken" });
  const { address } = await allocate(api, { currency: "ODD" });
  await token.send("mint", [anvil.accounts[0], 10n ** 21n]);
  await token.send("transfer", [address, 10n ** 21n]);
  await settleAll(world);
  assert.deepEqual((await depositsOf(api)).map(({ status }) => status), ["detected"]);
  assert.equal((await balanceOf(api, "ODD")).balance, "0");
  const [alert] = await alertsOf(deps);
  assert.match(alert!.message, /of 1000 ODD on ETH is not credited: 0x\w+ holds 900, of which 0 /);
});

Deno.test("without a node's answer token deposits wait and coins don't; a step asks one question", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], env: BY_HAND });
  const { api } = world.merchant;
  const token = await world.addToken();
  const addresses: string[] = [];
  for (let i = 0; i < 5; i++) addresses.push((await allocate(api, { currency: "USDT" })).address);
  for (const address of addresses) await token.send("mint", [address, 1_000_000n]);
  const coins = (await allocate(api)).address;
  await sendTx(anvil, { to: coins, valueRaw: 1n });
  const statuses = async (currency: string) =>
    new Set(
      (await depositsOf(api)).filter((row) => row.currency === currency).map((row) => row.status),
    );
  proxy.onCall = (method, params) =>
    method === "eth_call" && JSON.stringify(params[1]).includes("blockHash")
      ? { status: 503, body: "no state" }
      : "pass";
  await settleAll(world);
  assert.deepEqual(await statuses("USDT"), new Set(["detected"]));
  assert.deepEqual(await statuses("ETH"), new Set(["confirmed"]));
  proxy.onCall = () => "pass";
  const before = proxy.bodies.length;
  await world.round();
  assert.deepEqual(await statuses("USDT"), new Set(["confirmed"]));
  const asked = proxy.bodies.slice(before).filter((calls) =>
    calls.some(({ method }) => method === "eth_call")
  );
  assert.ok(asked.length <= 2, "Multicall3, and as it is not there one batch");
});
