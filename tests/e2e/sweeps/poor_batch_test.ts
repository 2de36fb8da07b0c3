import assert from "node:assert/strict";
import { retrySweep } from "../../../src/sweeps/retry.ts";
import {
  checkBooks,
  heldBy,
  PAID,
  type Scene,
  startScene,
  statesOf,
  switchOn,
} from "../../support/collecting.ts";
import { ETHER, setBalance } from "../../support/payers.ts";
import {
  assertNoFaults,
  RECEIVER,
  setBaseFee,
  signedFor,
  sweepsOf,
} from "../../support/sweeping.ts";
import { cliOn } from "../../cli/cli_host.ts";
import { alertsOf } from "../../support/views.ts";

const GWEI = 10n ** 9n;

/** One step, always at the same price. */
async function step({ world }: Scene): Promise<void> {
  await setBaseFee(world, GWEI);
  await world.turn();
}

/** With next to nothing in the gas wallet, all wait; the alert says what two would cost. */
async function startPoor(): Promise<{ scene: Scene; pairRaw: bigint; message: string }> {
  const scene = await startScene(4);
  await switchOn(scene, { collect: "batch" });
  await setBalance(scene.anvil, scene.gas, 1n);
  await step(scene);
  const [alert, ...others] = await alertsOf(scene.world.deps);
  assert.deepEqual([alert?.kind, others], ["gas_missing", []]);
  const { message } = alert!;
  const [, decimals] = /needs 0\.(\d+) ETH and has 0\.0{17}1 ETH/.exec(message) ?? [];
  return { scene, message, pairRaw: BigInt(decimals!.padEnd(18, "0")) };
}

const batchSizes = async ({ world }: Scene) =>
  (await signedFor(world, "sweep")).map(({ paymentCount }) => paymentCount);

Deno.test("a gas wallet that can't pay for four sweeps together pays for two, and later for the others", async () => {
  const { scene, pairRaw } = await startPoor();
  await using _ = scene;
  const { world, anvil, gas, token } = scene;
  await setBalance(anvil, gas, pairRaw * 21n / 20n);
  await step(scene);
  assert.deepEqual(await batchSizes(scene), [2]);
  assert.deepEqual(await alertsOf(world.deps), []);
  await setBalance(anvil, gas, ETHER);
  await world.turn(3);
  assert.deepEqual(await batchSizes(scene), [2, 2]);
  assert.deepEqual(await statesOf(scene), Array(4).fill("done"));
  assert.deepEqual(await signedFor(world, "gas_topup"), [], "None was swept alone");
  assert.equal(await heldBy(token, RECEIVER), 4n * PAID);
  await using cli = cliOn({ env: world.place.env, remove: () => Promise.resolve() });
  const [{ amount, tx_hash: hash }] = await cli.json("sweep", "list");
  const [, last] = await signedFor(world, "sweep");
  assert.deepEqual([amount, hash], ["5", last!.txHash]);
  await checkBooks(scene);
  assertNoFaults(world);
});

Deno.test("if not even two can be paid, all wait for gas, the alert says how much, and a retry goes alone", async () => {
  const { scene, pairRaw, message } = await startPoor();
  await using _ = scene;
  const { world, anvil, gas } = scene;
  assert.match(message, new RegExp(`: 0\\.\\d+ ETH more are needed at ${gas}$`));
  await using cli = cliOn({ env: world.place.env, remove: () => Promise.resolve() });
  const { checks } = JSON.parse((await cli.run(["doctor", "--json"])).out);
  const said = checks.find(({ check }: { check: string }) => check === "gas");
  assert.deepEqual([said.state, said.message], ["warning", message]);
  assert.match(said.advice, /"network gas-wallet ETH" shows where to send coins/);
  const listed = await cli.json("sweep", "list");
  assert.deepEqual(
    listed.map((
      { amount, address, tx_hash }: Record<string, unknown>,
    ) => [amount, address, tx_hash]),
    scene.addresses.map((address) => ["5", address, null]).toReversed(),
  );
  const reasons = new Set((await sweepsOf(world)).map(({ code, reason }) => `${code} ${reason}`));
  assert.deepEqual([...reasons], [`refused ${message.replace(/^ETH: /, "")}`]);
  // Enough for gas for one address.
  await setBalance(anvil, gas, pairRaw * 3n / 4n);
  await step(scene);
  assert.deepEqual(await signedFor(world, "gas_topup"), []);
  assert.deepEqual(await statesOf(scene), Array(4).fill("waiting"));
  const [{ message: now } = { message: "" }, ...others] = await alertsOf(world.deps);
  assert.deepEqual(others, []);
  assert.match(
    now,
    / ETH and has 0\.000\d+ ETH: 0\.000\d+ ETH more are needed/,
    "What is missing now",
  );
  const [retried] = await sweepsOf(world);
  await retrySweep(world.deps, { id: retried!.id, actor: "test" });
  await step(scene);
  assert.deepEqual(await statesOf(scene), ["funding", "waiting", "waiting", "waiting"]);
  await setBalance(anvil, gas, ETHER);
  await world.turn(4);
  assert.deepEqual(await statesOf(scene), Array(4).fill("done"));
  assert.deepEqual(await batchSizes(scene), [4], "With what was sent to one of them");
  assert.deepEqual(await alertsOf(world.deps), []);
  await checkBooks(scene);
  assertNoFaults(world);
});

Deno.test("coins of a batch pay their own way while the gas wallet is empty, and nothing is missing", async () => {
  await using scene = await startScene(4, { currency: "ETH", paidRaw: ETHER });
  const { world, anvil } = scene;
  await switchOn(scene, { collect: "batch" });
  await setBalance(anvil, scene.gas, 1n);
  await step(scene);
  await world.turn(2);
  assert.deepEqual(await statesOf(scene), Array(4).fill("done"));
  assert.deepEqual(await batchSizes(scene), Array(4).fill(1));
  assert.deepEqual(await alertsOf(world.deps), []);
  assertNoFaults(world);
});
