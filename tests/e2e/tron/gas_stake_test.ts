import assert from "node:assert/strict";
import { playOnTron } from "../../support/grounds/scenario.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { changeStake, planStake, takeUnstakedBack } from "../../../src/energy/stake.ts";
import { adoptAll } from "../../../src/restore/adopt_spends.ts";
import { takeBackup } from "../../support/restoring.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { alertsOf } from "../../support/views.ts";
import type { BareWorld } from "../../support/world.ts";
import { cliOn } from "../../cli/cli_host.ts";

const TRX = 1_000_000n;
const DAY_MS = 86_400_000;
const ENERGY = ["network", "energy", "TRX"];

const cliOf = (world: BareWorld) =>
  cliOn({ env: world.place.env, remove: () => Promise.resolve() });

async function statesOf({ deps }: BareWorld, sender: string): Promise<string[]> {
  const rows = await deps.db.rows(SignedTransactions, "WHERE sender = ? ORDER BY id", [sender]);
  return rows.map(({ state, isSuccessful, paymentCount }) =>
    `${state} ${isSuccessful} ${paymentCount}`
  );
}

Deno.test("collect 4: coins of the gas wallet are staked once, unstaked, and come back by themselves", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node } } = scene;
    const gas = await scene.fundGasWallet();
    node.setBalance(gas, 12_000n * TRX);
    await scene.follow(20);
    await using cli = cliOf(scene);
    const none = {
      network: "TRX",
      staked_trx: "0",
      energy_free: 0,
      energy_delegated: 0,
      sweeps_per_day: 0,
    };
    const unasked = await cli.fails(1, ...ENERGY, "--stake", "10000");
    assert.match(unasked, /nothing was sent on TRX; --yes confirms it/);
    const asked = await cli.run([...ENERGY, "--stake", "10000"], {
      ...{ isTerminal: true, input: ["no"] },
    });
    assert.equal(asked.code, 1);
    assert.match(
      asked.err,
      /10000 TRX of the gas wallet T\w+ are staked for energy, which pays for 1 sweep a day instead of 0/,
    );
    assert.match(
      await cli.fails(1, ...ENERGY, "--stake", "12000"),
      /holds 12000 TRX, too little to stake 12000/,
    );
    assert.match(
      await cli.fails(1, ...ENERGY, "--unstake", "5"),
      /5 TRX can't be unstaked: 0 are staked/,
    );
    assert.deepEqual(await statesOf(scene, gas), []);

    node.auto("off");
    // A node answers with what waits to be mined already done.
    const staked = { ...none, staked_trx: "10000", energy_free: 94_736, sweeps_per_day: 1 };
    assert.deepEqual(await cli.json(...ENERGY, "--stake", "10000", "--yes"), staked);
    const twice = await cli.fails(1, ...ENERGY, "--stake", "10000", "--yes");
    assert.match(twice, /changes the stake already and isn't final yet/);
    node.auto("broadcast");
    await scene.turn(2);
    assert.deepEqual(await cli.json(...ENERGY), staked);
    assert.deepEqual(await statesOf(scene, gas), ["settled true 0"]);

    const { err } = await cli.run([...ENERGY, "--unstake", "4000", "--yes"]);
    assert.match(err, /They come back in 14 days, on 20\d\d-/);
    await scene.turn(2);
    assert.equal((await cli.json(...ENERGY)).staked_trx, "6000");
    assert.match((await cli.run(ENERGY)).err, /4000 TRX come back on 20\d\d-/);
    assert.deepEqual(await statesOf(scene, gas), ["settled true 0", "settled true 0"]);

    const before = node.balanceOf(gas);
    node.setTime(node.head.timestampMs + 14 * DAY_MS);
    await ground.mine(1);
    const network = await findNetwork(scene.deps, "TRX");
    let aheadMs = 14 * DAY_MS;
    const clock = { nowMs: () => Date.now() + aheadMs };
    const later = { ...scene.deps, clock };
    await takeUnstakedBack(later, { network });
    aheadMs += DAY_MS / 24;
    await takeUnstakedBack(later, { network });
    scene.wait(14 * DAY_MS);
    await scene.turn(2);
    assert.equal(node.balanceOf(gas), before + 4_000n * TRX);
    assert.deepEqual(await statesOf(scene, gas), Array(3).fill("settled true 0"));
    assert.deepEqual((await alertsOf(scene.deps)).map(({ kind }) => kind), []);
  }));

Deno.test("collect 4: a stake whose sending is lost is sent again after a restart, once", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node } } = scene;
    const gas = await scene.fundGasWallet();
    node.setBalance(gas, 12_000n * TRX);
    await scene.follow(20);
    await using cli = cliOf(scene);
    ground.onSending = () => "lost";
    await cli.json(...ENERGY, "--stake", "10000", "--yes");
    ground.onSending = () => "taken";
    await scene.restart();
    await scene.turn(2);
    assert.equal((await cli.json(...ENERGY)).staked_trx, "10000");
    assert.deepEqual(await statesOf(scene, gas), ["settled true 0"]);
  }));

Deno.test("collect 4: a stake that no block takes has expired, and can be asked for again", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node } } = scene;
    const gas = await scene.fundGasWallet();
    node.setBalance(gas, 12_000n * TRX);
    await scene.follow(20);
    await using cli = cliOf(scene);
    ground.onSending = () => "lost";
    await cli.json(...ENERGY, "--stake", "10000", "--yes");
    await ground.outlast(gas);
    await scene.turn(3);
    assert.deepEqual(await statesOf(scene, gas), ["abandoned null 0"]);
    ground.onSending = () => "taken";
    await cli.json(...ENERGY, "--stake", "5000", "--yes");
    await scene.turn(2);
    assert.equal((await cli.json(...ENERGY)).staked_trx, "5000");
    assert.equal(node.balanceOf(gas), 7_000n * TRX);
    assert.deepEqual((await alertsOf(scene.deps)).map(({ kind }) => kind), []);
  }));

Deno.test("collect 4: restored books take on a stake that they don't know", () =>
  playOnTron(async (scene) => {
    const { ground: { node } } = scene;
    const gas = await scene.fundGasWallet();
    node.setBalance(gas, 12_000n * TRX);
    await scene.follow(20);
    await using cli = cliOf(scene);
    await using backup = await takeBackup(scene);
    await cli.json(...ENERGY, "--stake", "10000", "--yes");
    await scene.turn(2);
    await backup.bringBack();
    await scene.turn(2);
    const { adopted, left } = await adoptAll(scene.deps, { network: "TRX", actor: "test" });
    assert.deepEqual([adopted.length, left.length], [1, 0]);
    assert.deepEqual(await statesOf(scene, gas), ["settled true 0"]);
  }));

Deno.test("collect 4: what restored books lack isn't staked again while it may still be on its way", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node } } = scene;
    const gas = await scene.fundGasWallet();
    node.setBalance(gas, 25_000n * TRX);
    await scene.follow(20);
    await using backup = await takeBackup(scene);
    ground.onSending = () => "lost";
    {
      await using cli = cliOf(scene);
      await cli.json(...ENERGY, "--stake", "10000", "--yes");
    }
    await backup.bringBack();
    ground.onSending = () => "taken";
    await ground.mine(2);
    await using cli = cliOf(scene);
    const said = await cli.fails(1, ...ENERGY, "--stake", "10000", "--yes");
    assert.match(said, /signs nothing new until it is resumed: The database was restored/);
    assert.deepEqual(await statesOf(scene, gas), []);
  }));

Deno.test("collect 4: of two stakes at the same time one is signed", () =>
  playOnTron(async (scene) => {
    const { ground: { node } } = scene;
    const gas = await scene.fundGasWallet();
    node.setBalance(gas, 30_000n * TRX);
    await scene.follow(20);
    node.auto("off");
    const network = await findNetwork(scene.deps, "TRX");
    const order = { network, kind: "stake", amount: "10000" } as const;
    const plans = await Promise.all([1, 2].map(() => planStake(scene.deps, order)));
    const done = await Promise.allSettled(
      plans.map((changing) => changeStake(scene.deps, { changing, actor: "test" })),
    );
    assert.deepEqual(done.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    node.auto("broadcast");
    await scene.turn(2);
    assert.deepEqual(await statesOf(scene, gas), ["settled true 0"]);
  }));

Deno.test("collect 4: a stake confirmed before another one is final isn't added to it later", () =>
  playOnTron(async (scene) => {
    const { ground: { node } } = scene;
    const gas = await scene.fundGasWallet();
    node.setBalance(gas, 30_000n * TRX);
    await scene.follow(20);
    const network = await findNetwork(scene.deps, "TRX");
    const order = { network, kind: "stake", amount: "10000" } as const;
    const [first, second] = [
      await planStake(scene.deps, order),
      await planStake(scene.deps, order),
    ];
    await changeStake(scene.deps, { changing: first, actor: "test" });
    await scene.turn(2);
    assert.deepEqual(await statesOf(scene, gas), ["settled true 0"]);
    await assert.rejects(
      changeStake(scene.deps, { changing: second, actor: "test" }),
      /was changed from elsewhere before 10000 was confirmed: nothing was sent/,
    );
    const again = await planStake(scene.deps, order);
    await changeStake(scene.deps, { changing: again, actor: "test" });
    await scene.turn(2);
    assert.deepEqual(await statesOf(scene, gas), Array(2).fill("settled true 0"));
  }));
