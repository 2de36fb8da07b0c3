import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { audit } from "../../support/auditor.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { ETHER } from "../../support/payers.ts";
import { allocate, balanceOf, cursorOf, depositsOf } from "../../support/views.ts";
import { startWorld } from "../../support/world.ts";

/** More than a round reads. */
const OUTAGE_BLOCKS = 5_400;
const PARTS = 10;
/** Later ones keep the hash of every block in the state, which makes mining ever slower. */
const HARDFORK = ["--hardfork", "cancun"];

Deno.test("after a long outage the newest deposit shows first, without gaps, and each is credited once", async () => {
  // By itself it writes the states of old blocks to files, which takes most of its time.
  const args = [...HARDFORK, "--prune-history", String(2 * OUTAGE_BLOCKS)];
  await using anvil = await startAnvil({ args });
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { api } = world.merchant;
  const { address } = await allocate(api, { user: "patient" });
  await world.round();
  for (let part = 0; part < PARTS; part++) {
    await sendTx(anvil, { to: address, valueRaw: ETHER });
    await anvil.mine(OUTAGE_BLOCKS / PARTS);
  }
  await sendTx(anvil, { to: address, valueRaw: 2n * ETHER });
  const head = Number(await anvil.rpc("eth_blockNumber"));
  await world.round();
  const behind = await cursorOf(world.deps);
  assert.ok(
    behind.scanHeight > 0 && behind.scanHeight < head - 300,
    `Still far behind: ${behind.scanHeight} of ${head}, ${world.faults}`,
  );
  const newest = (await depositsOf(api)).find((row) => row.amount_decimal === "2");
  assert.deepEqual([newest?.status, newest?.confirmations], ["detected", 0]);
  for (let rounds = 0; (await cursorOf(world.deps)).scanHeight < head; rounds++) {
    assert.ok(rounds < 10, "Bounded steps, and each goes on");
    await world.round();
  }
  await anvil.mine(2);
  await world.round();
  const rows = await depositsOf(api);
  assert.ok(rows.every(({ status }) => status === "confirmed"));
  assert.equal(rows.length, PARTS + 1);
  assert.equal((await balanceOf(api)).balance, String(PARTS + 2));
  const { networks } = await (await fetch(`${world.url}/readyz`)).json();
  assert.deepEqual(networks[0].gaps, []);
  await audit({ api, anvil, addresses: [address] });
});
