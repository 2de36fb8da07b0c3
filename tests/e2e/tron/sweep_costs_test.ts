import assert from "node:assert/strict";
import { findNetwork } from "../../../src/books/find.ts";
import { addUpCosts } from "../../../src/costs/add_up.ts";
import { costsOfMonth } from "../../../src/costs/of_month.ts";
import { monthOf } from "../../../src/domain/money/period.ts";
import { takeLoansBack } from "../../../src/energy/lend.ts";
import { playOnTron, TOKEN, TOKEN_RAW } from "../../support/grounds/scenario.ts";

const TRX = 1_000_000n;

Deno.test("costs: on TRON, loans, sweeps with them and what is burned add up to the coins that are gone", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node }, deps } = scene;
    // So that no test meets the end of a month by chance.
    const month = monthOf(Date.now(), -1);
    const atMs = Date.parse(`${month}-15T12:00:00Z`);
    scene.wait(atMs - Date.now());
    const gas = await scene.fundGasWallet();
    // For one of three.
    node.stakeFor(gas, 10_000n * TRX);
    const token = await scene.addToken();
    await scene.sweepTo(ground.receiver);
    await token.mint(ground.receiver, 1n);
    const addresses: string[] = [];
    for (let i = 0; i < 3; i++) {
      const { address } = await scene.allocate(TOKEN);
      node.fund(address, 1n);
      node.setBalance(address, 0n);
      await token.mint(address, 5n * TOKEN_RAW);
      addresses.push(address);
    }
    const coins = async () => {
      const held = await Promise.all([gas, ...addresses].map((one) => ground.coinsOf(one)));
      return held.reduce((sum, raw) => sum + raw, 0n);
    };
    const before = await coins();
    await scene.turn(5);
    const network = await findNetwork(deps, "TRX");
    const clock = { nowMs: () => atMs + 3_600_000 };
    await takeLoansBack({ ...deps, clock }, { network });
    await scene.turn(2);
    assert.deepEqual([await scene.signed("sweep"), await scene.signed("gas_topup")], [3, 2]);
    const costs = () => costsOfMonth(deps.db, { network, month, nowMs: Date.now() });
    const found = await costs();
    assert.equal(found.feeRaw, before - await coins());
    assert.equal(found.upkeepRaw, 0n);
    assert.equal(found.kept.toRaw(6), await coins() - await ground.coinsOf(gas));
    const [usdt] = found.currencies;
    assert.deepEqual([found.currencies.length, usdt!.sweeps, usdt!.deposits], [1, 3, 3]);
    const way = (name: string) => usdt!.costs.find((cost) => cost.way === name)!;
    assert.deepEqual([way("lent").sweeps, way("single").sweeps], [1, 2]);
    assert.ok(way("lent").feeRaw < TRX && way("lent").feeRaw > 0n, `${way("lent").feeRaw}`);
    assert.ok(way("single").feeRaw > 10n * TRX, `${way("single").feeRaw}`);
    assert.deepEqual(usdt!.other, {
      way: "lent",
      feeRaw: way("lent").feeRaw + 2n * 560_000n,
      basis: "documented",
    });
    await addUpCosts(deps);
    assert.deepEqual(await costs(), found);
  }));
