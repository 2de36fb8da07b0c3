import assert from "node:assert/strict";
import { setNetwork } from "../../../src/networks/set.ts";
import { collectTogether } from "../../../src/sweeps/batches.ts";
import { cliOn } from "../../cli/cli_host.ts";
import { heldBy, lie, PAID, type Scene, startScene, statesOf } from "../../support/collecting.ts";
import { hex } from "../../support/payers.ts";
import { signedRows } from "../../support/signed_rows.ts";
import { assertNoFaults, depositStates, payIn, sweepsOf } from "../../support/sweeping.ts";
import { alertsOf } from "../../support/views.ts";

/** Whatever is called there reverts. */
const REVERTING = "0x60006000fd";
const DELEGATED = `0xef0100${"11".repeat(20)}`;

async function signed({ world: { deps } }: Scene): Promise<string[]> {
  return (await signedRows(deps)).map(({ purpose, state, place }) =>
    `${purpose} ${state} ${place}`
  );
}

/** Until a sweep is signed, or for as many turns. */
async function turnUntilSigned({ world }: Scene, turnsMax = 4): Promise<void> {
  const isSigned = async () => (await sweepsOf(world)).some(({ state }) => state === "sweeping");
  for (let turn = 0; turn < turnsMax && !await isSigned(); turn++) await world.turn(1);
}

async function turnUntilFunded(scene: Scene): Promise<void> {
  const isFunding = async () => (await statesOf(scene)).includes("funding");
  for (let turn = 0; turn < 4 && !await isFunding(); turn++) await scene.world.turn(1);
}

Deno.test("a nonce that an authorization has used isn't signed for again, though a node lags", async () => {
  await using scene = await startScene();
  const { world, proxy, addresses, token, anvil } = scene;
  const { deps } = world;
  await collectTogether(deps, { place: await scene.place(), sweepings: await scene.due() });
  await scene.look(4);
  await payIn(world, { to: addresses[0]!, raw: PAID, token });
  await anvil.mine(4);
  proxy.onCall = lie(addresses.slice(0, 1), { eth_getTransactionCount: "0x0", eth_getCode: "0x" });
  await turnUntilSigned(scene);
  proxy.onCall = () => "pass";
  await world.turn(4);
  assert.deepEqual(await statesOf(scene), Array(4).fill("done"));
  assert.deepEqual(await signed(scene), [
    ...["sweep settled 0", "gas_topup settled 1", "sweep settled 1"],
  ]);
  assertNoFaults(world);
});

Deno.test("a nonce is used up where the order failed too, though a node never says so", async () => {
  await using scene = await startScene(2, { hasSecondNode: true });
  const { world, world: { deps }, proxy, addresses, token, anvil } = scene;
  const code = await anvil.rpc("eth_getCode", [token.address, "latest"]);
  await anvil.rpc("evm_setAutomine", [false]);
  await collectTogether(deps, { place: await scene.place(), sweepings: await scene.due() });
  await anvil.rpc("anvil_setCode", [token.address, REVERTING]);
  await scene.look(4);
  await anvil.rpc("anvil_setCode", [token.address, code]);
  await anvil.rpc("evm_setAutomine", [true]);
  assert.deepEqual(await statesOf(scene), ["waiting", "waiting"]);
  proxy.onCall = lie(addresses.slice(0, 1), { eth_getTransactionCount: "0x0" });
  for (let turn = 0; turn < 6; turn++) await world.turn(4);
  assert.deepEqual(await statesOf(scene), ["done", "done"]);
  for (const address of addresses) {
    assert.deepEqual(await states(scene, address), ["settled 1"]);
    assert.equal(await heldBy(token, address), 0n);
  }
});

Deno.test("while a batch may use an address's nonce, nothing else is signed for it", async () => {
  await using scene = await startScene();
  const { world, proxy, addresses, anvil } = scene;
  const { deps } = world;
  proxy.onCall = (method) => method === "eth_sendRawTransaction" ? { drop: "before" } : "pass";
  await collectTogether(deps, { place: await scene.place(), sweepings: await scene.due() });
  await payIn(world, { to: addresses[0]!, raw: 10n ** 18n });
  await anvil.mine(3);
  await world.round({ aheadMs: 1_000_000 });
  const [, , , coins] = await sweepsOf(world);
  assert.deepEqual([coins!.currency, coins!.state], ["ETH", "waiting"]);
  assert.match(coins!.reason!, /^Nonce 0 of 0x\w{40} is promised to a batch$/);
  const senders = (await signedRows(deps)).map(({ sender }) => sender);
  assert.ok(!senders.includes(addresses[0]!));
  proxy.onCall = () => "pass";
  await world.turn(5);
  assert.deepEqual(await statesOf(scene), Array(4).fill("done"));
  assert.equal((await signed(scene)).at(-1), "sweep settled 1");
});

for (const [what, code] of Object.entries({ "runs code and ": DELEGATED, "": undefined })) {
  Deno.test(`one node's word that an address ${what}has a nonce far ahead changes nothing`, async () => {
    await using scene = await startScene(1, { hasSecondNode: true });
    const { world, proxy, addresses } = scene;
    const said = { eth_getTransactionCount: "0x2710", ...code && { eth_getCode: code } };
    proxy.onCall = lie(addresses, said);
    await world.turn(4);
    assert.deepEqual(await statesOf(scene), ["done"]);
    assert.deepEqual(await depositStates(world), ["swept"]);
    assert.deepEqual(await signed(scene), ["gas_topup settled 0", "sweep settled 0"]);
    assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), []);
  });
}

Deno.test("that an address is far ahead of the books is not believed of the only node either", async () => {
  await using scene = await startScene(1);
  const { world, proxy, addresses } = scene;
  proxy.onCall = lie(addresses, { eth_getTransactionCount: "0x2710", eth_getCode: DELEGATED });
  const sweepings = await scene.due();
  const { alone } = await collectTogether(world.deps, { place: await scene.place(), sweepings });
  assert.equal(alone.length, 1, "It authorizes nothing");
  await turnUntilFunded(scene);
  await world.turn(1);
  const [sweep] = await sweepsOf(world);
  assert.match(sweep!.reason!, /sent 10000 transactions.*before its blocks are read$/);
  proxy.onCall = () => "pass";
  await world.turn(4);
  assert.deepEqual(await statesOf(scene), ["done"]);
  assert.deepEqual(await signed(scene), ["gas_topup settled 0", "sweep settled 0"]);
  assert.deepEqual(await alertsOf(world.deps), []);
});

Deno.test("if the only node goes on saying that an address is far ahead, it is halted until it stops", async () => {
  await using scene = await startScene(1);
  const { world, proxy, addresses } = scene;
  const [address] = addresses as [string];
  await using cli = cliOn({ env: world.place.env, remove: () => Promise.resolve() });
  proxy.onCall = lie(addresses, { eth_getTransactionCount: "0x7", eth_getCode: DELEGATED });
  for (let turn = 0; turn < 4; turn++) await world.turn(1);
  const rows = await signed(scene);
  assert.deepEqual(rows.filter((row) => !row.startsWith("gas_topup")), []);
  const kinds = (await alertsOf(world.deps)).map(({ kind }) => kind);
  assert.ok(kinds.includes("wallet_halted"));
  const resume = ["wallet", "resume", "--network", "ETH", "--address", address];
  assert.match(await cli.fails(1, ...resume), /A node counts 7 .* only know of 0.*replace it/s);
  proxy.onCall = () => "pass";
  await cli.json(...resume);
  await world.turn(4);
  assert.deepEqual(await statesOf(scene), ["done"]);
  assert.equal((await signed(scene)).at(-1), "sweep settled 0");
  assert.deepEqual(await alertsOf(world.deps), []);
});

/** What only its key could have made, in a transaction of somebody else, so that no block shows it. */
async function useUpNonce({ anvil }: Scene, address: string): Promise<void> {
  const nonce = Number(await anvil.rpc("eth_getTransactionCount", [address, "latest"]));
  await anvil.rpc("anvil_setNonce", [address, `0x${(nonce + 1).toString(16)}`]);
}

/** Its gas has arrived, it is signed, and no node has got it. */
async function holdBackSweep(scene: Scene): Promise<void> {
  const { anvil, proxy } = scene;
  await turnUntilFunded(scene);
  await anvil.mine(FINAL_AFTER);
  proxy.onCall = (method) => method === "eth_sendRawTransaction" ? { drop: "before" } : "pass";
  await turnUntilSigned(scene);
  assert.deepEqual(await statesOf(scene), ["sweeping"]);
}

/** Anvil calls final what is older than two epochs. */
const FINAL_AFTER = 70;

for (const finality of ["none", "finalized"] as const) {
  Deno.test(`a sweep whose nonce is used up elsewhere is given up and signed anew (finality ${finality})`, async () => {
    await using scene = await startScene(1);
    const { world, anvil, proxy, addresses: [address] } = scene;
    await setNetwork(world.deps, { code: "ETH", change: { finality }, actor: "test" });
    await holdBackSweep(scene);
    await useUpNonce(scene, address!);
    await world.turn(1);
    const isFinalAtOnce = finality === "none";
    const now = isFinalAtOnce ? ["superseded 0", "open 1"] : ["open 0"];
    assert.deepEqual(await states(scene, address!), now);
    proxy.onCall = () => "pass";
    for (let turn = 0; turn < 4; turn++) {
      await anvil.mine(FINAL_AFTER);
      await world.turn(1);
    }
    assert.deepEqual(await statesOf(scene), ["done"]);
    assert.deepEqual(await depositStates(world), ["swept"]);
    assert.deepEqual(await states(scene, address!), ["superseded 0", "settled 1"]);
    assertNoFaults(world);
  });
}

/** Of what this address has signed. */
async function states({ world: { deps } }: Scene, address: string): Promise<string[]> {
  const own = (await signedRows(deps)).filter(({ sender }) => sender === address);
  return [...new Set(own.map(({ state, place }) => `${state} ${place}`))];
}

Deno.test("one node's word that a nonce is used gives no sweep up", async () => {
  await using scene = await startScene(1, { hasSecondNode: true });
  const { world, anvil, proxy, addresses } = scene;
  await turnUntilFunded(scene);
  await anvil.mine(1);
  await anvil.rpc("evm_setAutomine", [false]);
  await turnUntilSigned(scene);
  // So that it isn't mined: both nodes got it, one perhaps only now.
  await anvil.rpc("anvil_setNextBlockBaseFeePerGas", [hex(10n ** 15n)]);
  await anvil.mine(4);
  proxy.onCall = lie(addresses, { eth_getTransactionCount: "0x1" });
  await world.round({ aheadMs: 1_000_000 });
  assert.deepEqual(await alertsOf(world.deps), []);
  await anvil.mine(1);
  await world.round({ aheadMs: 10_000_000 });
  assert.deepEqual(await states(scene, addresses[0]!), ["open 0"]);
  const [stuck] = await alertsOf(world.deps);
  assert.equal(stuck!.kind, "transfer_stuck");
  assert.match(stuck!.message, /the nodes disagree whether its nonce is used/);
});
