import assert from "node:assert/strict";
import { setNetwork } from "../../../src/networks/set.ts";
import { Networks } from "../../../src/networks/table.ts";
import { audit } from "../../support/auditor.ts";
import { depositWith, onlyDeposit } from "../../support/deposits.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { showOnly } from "../../support/nodes/lagging_node.ts";
import { ETHER, hex, makePayer, mineRaw } from "../../support/payers.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { alertsOf, allocate, balanceOf, cursorOf, followed } from "../../support/views.ts";
import { startWorld } from "../../support/world.ts";

const PAYER = 301;

Deno.test("a node that falls back to an older tip of the same chain changes nothing (hazard 7)", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], minConfirmations: 6 });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address } = await allocate(api);
  const { height } = await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  await anvil.mine(3);
  const before = await depositWith(api, { confirmations: 4 });
  const cursor = await cursorOf(world.deps);
  for (const tip of [height + 1, height, height - 1]) {
    await showOnly(proxy, { anvil, tip });
    const { bodies } = proxy;
    const asked = bodies.length;
    await eventually(() => Promise.resolve(bodies.length), { until: (n) => n > asked + 8 });
    assert.deepEqual(await onlyDeposit(api), before);
    assert.equal((await cursorOf(world.deps)).scanHeight, cursor.scanHeight);
  }
  proxy.onCall = () => "pass";
  await anvil.mine(2);
  await depositWith(api, { status: "confirmed" });
  await audit({ api, anvil, addresses: [address], minConfirmations: 6 });
  assert.deepEqual(await alertsOf(world.deps), []);
});

Deno.test("backends of one endpoint that lag differently are no reorganisation (hazard 7)", async () => {
  await using anvil = await startAnvil({ args: ["--slots-in-an-epoch", "1"] });
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], minConfirmations: 8 });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address } = await allocate(api);
  await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  await anvil.mine(5);
  const before = await depositWith(api, { confirmations: 6 });
  const { scanHeight } = await cursorOf(world.deps);
  const reported = await anvil.rpc("eth_getBlockByNumber", [hex(scanHeight - 1), false]);
  await showOnly(proxy, { anvil, tip: scanHeight - 5 });
  const { bodies, onCall } = proxy;
  const asked = bodies.length;
  proxy.onCall = (method, params, body) =>
    params[0] === "latest"
      ? { edit: (reply) => ({ ...reply, result: reported }) }
      : onCall(method, params, body);
  await eventually(() => Promise.resolve(bodies.length), { until: (n) => n > asked + 6 });
  assert.deepEqual(await onlyDeposit(api), before);
  const cursor = await cursorOf(world.deps);
  assert.deepEqual([cursor.scanHeight, cursor.haltedReason], [scanHeight, null]);
  proxy.onCall = () => "pass";
  await anvil.mine(2);
  await depositWith(api, { status: "confirmed" });
  assert.deepEqual(await alertsOf(world.deps), []);
});

Deno.test("a node that was rolled back and builds other blocks is a reorganisation (hazard 7)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, minConfirmations: 5 });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address } = await allocate(api);
  const { raw, height } = await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  await anvil.mine(2);
  const before = await depositWith(api, { confirmations: 3 });
  await anvil.rpc("anvil_rollback", [3]);
  await anvil.mine(4);
  await depositWith(api, { confirmations: 0 });
  const again = await mineRaw(anvil, raw);
  assert.notEqual(again, height);
  await anvil.mine(4);
  const after = await depositWith(api, { status: "confirmed" });
  assert.deepEqual([after.id, after.block_number], [before.id, again]);
  await audit({ api, anvil, addresses: [address], minConfirmations: 5 });
});

Deno.test("a deposit on a shorter branch shows its depth there, not the lost branch's height", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, minConfirmations: 4 });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address } = await allocate(api);
  await anvil.mine(8);
  await followed(world);
  await anvil.rpc("anvil_rollback", [6]);
  await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  await followed(world);
  const row = await onlyDeposit(api);
  assert.deepEqual([row.status, row.confirmations], ["detected", 1]);
  await anvil.mine(3);
  await depositWith(api, { status: "confirmed" });
  await audit({ api, anvil, addresses: [address], minConfirmations: 4 });
});

Deno.test("a reorganisation below the finalized block halts the network with an alert (hazard 6)", async () => {
  await using anvil = await startAnvil({ args: ["--slots-in-an-epoch", "1"] });
  await using world = await startWorld({ anvil, minConfirmations: 8 });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address } = await allocate(api);
  const { raw } = await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  await anvil.mine(5);
  await depositWith(api, { confirmations: 6 });
  const before = await cursorOf(world.deps);
  assert.ok(before.finalizedHeight! > before.scanHeight - 5, "The deposit's block is final");
  await anvil.rpc("anvil_reorg", [6, [[raw, 1]]]);
  const halted = await eventually(() => cursorOf(world.deps), {
    until: ({ haltedReason }) => haltedReason !== null,
  });
  assert.match(halted.haltedReason!, /ETH was reorganised below its finalized block \d+/);
  await anvil.mine(20);
  const [alert] = await eventually(() => alertsOf(world.deps), {
    until: (rows) => rows.length > 0,
  });
  assert.deepEqual([alert!.kind, alert!.subject, alert!.open], ["network_halted", "ETH", 1]);
  const ready = await (await fetch(`${world.url}/readyz`)).json();
  assert.equal(ready.networks[0].status, "halted");
  assert.doesNotMatch(JSON.stringify(ready), /reorganised/, "what anybody may read");
  assert.match(
    await (await fetch(`${world.url}/metrics`)).text(),
    /cpg_network_halted\{network="ETH"\} 1/,
  );
  const row = await onlyDeposit(api);
  assert.equal(row.status, "detected");
  assert.equal((await balanceOf(api)).balance, "0");
  assert.equal((await cursorOf(world.deps)).scanHeight, before.scanHeight);
});

Deno.test("a finalized block that was once reported never moves back (hazards 6, 11)", async () => {
  await using anvil = await startAnvil({ args: ["--slots-in-an-epoch", "1"] });
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url] });
  await anvil.mine(20);
  await followed(world);
  const { finalizedHeight } = await cursorOf(world.deps);
  const old = await anvil.rpc("eth_getBlockByNumber", [hex(2), false]);
  proxy.onCall = (_method, [tag]) =>
    tag === "finalized" ? { edit: (reply) => ({ ...reply, result: old }) } : "pass";
  await anvil.mine(1);
  await followed(world);
  assert.ok((await cursorOf(world.deps)).finalizedHeight! >= finalizedHeight!);
});

Deno.test("with finality required, a deposit is credited only once its block is finalized (hazard 10)", async () => {
  await using anvil = await startAnvil({ args: ["--slots-in-an-epoch", "4"] });
  await using world = await startWorld({ anvil, minConfirmations: 2 });
  const [network] = await world.deps.db.rows(Networks, "LIMIT 1");
  const change = { finality: "finalized" } as const;
  await setNetwork(world.deps, { code: network!.code, change, actor: "test" });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address } = await allocate(api);
  const { height } = await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  for (let blocks = 1;; blocks++) {
    await anvil.mine(1);
    await followed(world);
    const final = Number((await anvil.rpc("eth_getBlockByNumber", ["finalized", false])).number);
    if (final >= height) break;
    const row = await depositWith(api, { confirmations: blocks + 1 });
    assert.equal(row.status, "detected");
  }
  await depositWith(api, { status: "confirmed" });
});

Deno.test("a finalized tag stuck for hours is ignored: four times the count confirms (hazard 11)", async () => {
  await using anvil = await startAnvil({ args: ["--slots-in-an-epoch", "1"] });
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], minConfirmations: 2 });
  const change = { finality: "finalized" } as const;
  await setNetwork(world.deps, { code: "ETH", change, actor: "test" });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  await followed(world);
  const old = await anvil.rpc("eth_getBlockByNumber", ["finalized", false]);
  proxy.onCall = (_method, [tag]) =>
    tag === "finalized" ? { edit: (reply) => ({ ...reply, result: old }) } : "pass";
  const { address } = await allocate(api);
  await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  await anvil.mine(7);
  await followed(world);
  assert.equal((await onlyDeposit(api)).status, "detected", "Deep, and young");
  await anvil.rpc("evm_increaseTime", [3 * 3600]);
  await anvil.mine(1);
  await depositWith(api, { status: "confirmed" });
  assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), ["finality_stalled"]);
});
