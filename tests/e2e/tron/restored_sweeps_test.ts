import assert from "node:assert/strict";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { playOnTron } from "../../support/grounds/scenario.ts";
import { takeBackup } from "../../support/restoring.ts";

Deno.test("after a restore nothing of an account is swept until its hot wallet is resumed", () =>
  playOnTron(async (scene) => {
    const { ground, one, merchant: { accountId, hotWallet } } = scene;
    const { address } = await scene.allocate();
    await ground.pay(address, 30n * one);
    await scene.turn(2);
    await scene.sweepTo(ground.receiver);
    await using backup = await takeBackup(scene);
    await backup.bringBack();
    await scene.turn(3);
    const states = async () =>
      (await scene.deps.db.rows(Sweeps, "")).map(({ state, code }) => [state, code]);
    assert.deepEqual(await states(), [["waiting", "wallet_halted"]]);
    const order = { network: ground.code, actor: "test" };
    const newer = { accountId, address: ground.stranger, isNow: true };
    await setReceivingWallet(scene.deps, { ...order, ...newer });
    await resumeWallet(scene.deps, { ...order, address: hotWallet, isAnyway: true });
    await scene.turn(6);
    assert.deepEqual(await states(), [["done", null]]);
    assert.equal(await ground.coinsOf(ground.receiver), 0n);
    assert.ok(await ground.coinsOf(ground.stranger) > 29n * one);
  }));
