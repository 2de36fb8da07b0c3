import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { ETHER } from "../../support/payers.ts";
import { alertsOf, allocate, cursorOf, depositsOf } from "../../support/views.ts";
import { startWorld } from "../../support/world.ts";

Deno.test("a restart while the only tracing endpoint is down reads no block without traces (hazard 18)", async () => {
  await using anvil = await startAnvil();
  await using plain = await startFaultProxy(
    anvil.url,
    (method) => method.includes("trace") ? { status: 403, body: "" } : "pass",
  );
  await using tracing = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({
    anvil,
    rpcUrls: [plain.url, tracing.url],
    env: { CPG_WORKER: "false" },
  });
  const disperse = await deploy(anvil, { name: "Disperse" });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await anvil.mine(1);
  await world.round();
  const { scanHeight } = await cursorOf(world.deps);
  for (let restart = 0; restart < 2; restart++) {
    tracing.onCall = () => ({ status: 502, body: "" });
    await world.restart();
    await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
    await anvil.mine(3);
    for (const aheadMs of [0, 60_000]) await world.round({ aheadMs });
    assert.equal((await cursorOf(world.deps)).scanHeight, scanHeight, "It waits");
  }
  tracing.onCall = () => "pass";
  for (const aheadMs of [70_000, 80_000, 90_000]) await world.round({ aheadMs });
  assert.deepEqual((await depositsOf(api)).map(({ status }) => status), ["confirmed", "confirmed"]);
  assert.ok((await cursorOf(world.deps)).scanHeight > scanHeight);
  assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), ["traces_gone"]);
});

Deno.test("a first start while the only tracing endpoint is down waits ten minutes for it (hazard 18)", async () => {
  await using anvil = await startAnvil();
  await using plain = await startFaultProxy(
    anvil.url,
    (method) => method.includes("trace") ? { status: 403, body: "" } : "pass",
  );
  await using tracing = await startFaultProxy(anvil.url, () => ({ status: 502, body: "" }));
  await using world = await startWorld({
    anvil,
    rpcUrls: [plain.url, tracing.url],
    env: { CPG_WORKER: "false" },
  });
  const disperse = await deploy(anvil, { name: "Disperse" });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  const { scanHeight } = await cursorOf(world.deps);
  await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  await anvil.mine(3);
  for (const aheadMs of [0, 60_000, 500_000]) await world.round({ aheadMs });
  assert.equal((await cursorOf(world.deps)).scanHeight, scanHeight, "It waits");
  tracing.onCall = () => "pass";
  for (const aheadMs of [510_000, 520_000]) await world.round({ aheadMs });
  assert.deepEqual((await depositsOf(api)).map(({ status }) => status), ["confirmed"]);

  tracing.onCall = () => ({ status: 502, body: "" });
  await world.deps.db.execute([{ sql: "DELETE FROM network_endpoints", args: [] }]);
  await world.restart();
  await anvil.mine(3);
  const before = (await cursorOf(world.deps)).scanHeight;
  await world.round({ aheadMs: 600_000 });
  assert.equal((await cursorOf(world.deps)).scanHeight, before);
  await world.round({ aheadMs: 1_260_000 });
  assert.ok((await cursorOf(world.deps)).scanHeight > before, "Ten minutes are enough");
});
