import assert from "node:assert/strict";
import { setNetwork } from "../../../src/networks/set.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { audit } from "../../support/auditor.ts";
import { BAD_NODES } from "../../support/nodes/bad_nodes.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { depositWith, onlyDeposit } from "../../support/deposits.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { sentId } from "../../support/payouts.ts";
import {
  alertsOf,
  allocate,
  balanceOf,
  cursorOf,
  depositsOf,
  withdraw,
  withdrawalOf,
} from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

const SAME_GENESIS = ["--timestamp", "1700000000"];

async function setQuorum(world: World, quorum: number): Promise<void> {
  await setNetwork(world.deps, { code: "ETH", change: { quorum }, actor: "test" });
}

for (const [what, startBad] of Object.entries(BAD_NODES)) {
  for (const quorum of [1, 2]) {
    Deno.test(`with one ${what} endpoint of three, quorum ${quorum}, a deposit and a withdrawal each happen once`, async () => {
      await using anvil = await startAnvil({ args: SAME_GENESIS });
      await using fork = await startAnvil({ args: SAME_GENESIS });
      await using other = await startAnvil({ args: ["--chain-id", "56"] });
      await anvil.mine(6);
      // Two nodes that mine empty blocks in the same second mine the same ones.
      await fork.rpc("evm_setNextBlockTimestamp", [1_800_000_000]);
      await fork.mine(40);
      await using bad = await startBad({ anvil, fork, other });
      await using good = await startFaultProxy(anvil.url, () => "pass");
      const rpcUrls = [bad.url, good.url, anvil.url];
      await using world = await startWorld({ anvil, rpcUrls });
      await setQuorum(world, quorum);
      const { api, hotWallet } = world.merchant;
      const { address } = await allocate(api);
      await sendTx(fork, { to: address, valueRaw: 50n * ETHER });
      await sendTx(anvil, { to: address, valueRaw: 5n * ETHER });
      await anvil.mine(3);
      await depositWith(api, { status: "confirmed" });
      await setBalance(anvil, hotWallet, 50n * ETHER);
      await anvil.mine(1);
      const id = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
      await anvil.mine(4);
      await eventually(() => withdrawalOf(api, id), {
        until: ({ status }) => status === "confirmed",
      });
      // On a busy machine the fork may be believed for a moment.
      const counted = (await depositsOf(api)).filter(({ status }) => status !== "failed");
      assert.equal(counted.length, 1);
      await audit({ api, anvil, addresses: [address] });
      assert.deepEqual(await alertsOf(world.deps), []);
      assert.equal((await cursorOf(world.deps)).haltedReason, null);
    });
  }
}

Deno.test("a deposit only a lying endpoint has is never credited with a quorum of two (hazard 51)", async () => {
  await using anvil = await startAnvil({ args: SAME_GENESIS });
  await using liar = await startAnvil({ args: SAME_GENESIS });
  await using first = await startFaultProxy(anvil.url, () => "pass");
  await using second = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [liar.url, first.url, second.url] });
  await setQuorum(world, 2);
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await anvil.mine(2);
  await sendTx(liar, { to: address, valueRaw: 1000n * ETHER });
  await liar.mine(20);
  for (const proxy of [first, second]) proxy.onCall = () => ({ status: 503, body: "" });
  const asked = first.bodies.length;
  await eventually(() => Promise.resolve(first.bodies.length), { until: (n) => n > asked + 10 });
  assert.deepEqual(await depositsOf(api), []);
  for (const proxy of [first, second]) proxy.onCall = () => "pass";
  await sendTx(anvil, { to: address, valueRaw: ETHER });
  await anvil.mine(30);
  await depositWith(api, { status: "confirmed" });
  assert.equal((await onlyDeposit(api)).amount_decimal, "1");
  assert.equal((await balanceOf(api)).balance, "1");
  await audit({ api, anvil, addresses: [address] });
});
