import assert from "node:assert/strict";
import { playOnTron, type Scene, TOKEN, TOKEN_RAW } from "../../support/grounds/scenario.ts";
import type { TronGround } from "../../support/grounds/tron_ground.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { takeLoansBack } from "../../../src/energy/lend.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { NetworkKeeper } from "../../../src/networks/worker.ts";
import { holdEverything } from "../../../src/upkeep/leases.ts";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { alertsOf } from "../../support/views.ts";

const TRX = 1_000_000n;

/** Customers have paid tokens to addresses that had a coin before. */
async function paidTo(scene: Scene<TronGround>, count: number) {
  const { ground } = scene;
  const token = await scene.addToken();
  await scene.sweepTo(ground.receiver);
  await token.mint(ground.receiver, 1n);
  const addresses: string[] = [];
  for (let i = 0; i < count; i++) {
    const { address } = await scene.allocate(TOKEN);
    ground.node.fund(address, 1n);
    ground.node.setBalance(address, 0n);
    await token.mint(address, 5n * TOKEN_RAW);
    addresses.push(address);
  }
  return { token, addresses };
}

async function lentNow({ deps }: Scene<TronGround>): Promise<bigint> {
  const { energy } = deps.chains.of(await findNetwork(deps, "TRX"));
  const { address } =
    (await deps.db.query("SELECT address FROM addresses WHERE purpose = 'gas'"))[0]!;
  return (await energy!.stakeOf(String(address))).lentRaw;
}

const lookForLoans = async ({ deps }: Scene<TronGround>) =>
  await takeLoansBack(deps, { network: await findNetwork(deps, "TRX") });

Deno.test("collect 4: staked energy is lent to sweeps, and taken back when they are final", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node } } = scene;
    const gas = await scene.fundGasWallet();
    node.stakeFor(gas, 20_000n * TRX);
    const { token, addresses } = await paidTo(scene, 2);
    await scene.turn(1);
    assert.ok(await lentNow(scene) > 0n);
    await lookForLoans(scene);
    await scene.turn(1);
    await lookForLoans(scene);
    assert.equal(await scene.signed("sweep"), 2);
    assert.ok(await lentNow(scene) > 0n, "They aren't final yet");
    await scene.turn(1);
    assert.equal(await token.balanceOf(ground.receiver), 10n * TOKEN_RAW + 1n);
    await lookForLoans(scene);
    await scene.turn(1);
    assert.equal(await lentNow(scene), 0n);
    assert.equal(await scene.signed("gas_topup"), 0);
    for (const address of addresses) assert.equal(await ground.coinsOf(address), 0n);
    const rows = await scene.deps.db.rows(SignedTransactions, "WHERE sender = ?", [gas]);
    assert.deepEqual(rows.map(({ state }) => state), Array(4).fill("settled"));
    assert.deepEqual((await alertsOf(scene.deps)).map(({ kind }) => kind), []);
  }));

Deno.test("collect 4: what was lent is taken back on a network that is switched off meanwhile", () =>
  playOnTron(async (scene) => {
    const { deps, ground: { node } } = scene;
    const gas = await scene.fundGasWallet();
    node.stakeFor(gas, 20_000n * TRX);
    await paidTo(scene, 1);
    await scene.turn(3);
    assert.ok(await lentNow(scene) > 0n);
    await setNetwork(deps, { code: "TRX", change: { isActive: false }, actor: "test" });
    const keeper = new NetworkKeeper(deps, createGatewayMetrics(), holdEverything(deps));
    await keeper.look();
    await keeper.idle();
    await scene.turn(1);
    assert.equal(await lentNow(scene), 0n);
  }));

Deno.test("collect 4: what the stake doesn't reach for is swept with coins to burn, as before", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node } } = scene;
    const gas = await scene.fundGasWallet();
    node.stakeFor(gas, 10_000n * TRX);
    const { token } = await paidTo(scene, 3);
    await scene.turn(4);
    assert.equal(await token.balanceOf(ground.receiver), 15n * TOKEN_RAW + 1n);
    assert.equal(await scene.signed("gas_topup"), 2);
    await lookForLoans(scene);
    await scene.turn(1);
    assert.equal(await lentNow(scene), 0n);
  }));

Deno.test("collect 4: loans that a restart has forgotten are taken back, and others' are left alone", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node }, merchant: { hotWallet } } = scene;
    const gas = await scene.fundGasWallet();
    node.stakeFor(gas, 20_000n * TRX);
    const { token } = await paidTo(scene, 1);
    node.fund(hotWallet, 1n);
    node.lendFrom(gas, hotWallet, 1_000n * TRX);
    ground.onSending = () => "lost";
    await scene.turn(1);
    ground.onSending = () => "taken";
    await scene.restart();
    await scene.turn(4);
    assert.equal(await token.balanceOf(ground.receiver), 5n * TOKEN_RAW + 1n);
    assert.equal(await scene.signed("gas_topup"), 0);
    await scene.restart();
    await lookForLoans(scene);
    await scene.turn(1);
    assert.equal(await lentNow(scene), 1_000n * TRX);
  }));
