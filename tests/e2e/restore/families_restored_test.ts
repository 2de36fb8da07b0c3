import assert from "node:assert/strict";
import { adoptAll, adoptByHash } from "../../../src/restore/adopt_spends.ts";
import { NOT_ON_OUTPUTS, onEveryFamily, TOKEN, TOKEN_RAW } from "../../support/grounds/scenario.ts";
import { sentId } from "../../support/payouts.ts";
import { takeBackup } from "../../support/restoring.ts";
import { alertsOf, withdrawalOf } from "../../support/views.ts";

const TERMS = { withdrawal: undefined, fee: undefined, keyId: undefined, reference: undefined };

onEveryFamily(
  "what was swept and paid since the backup is booked as it was, by its bytes",
  async (scene) => {
    const { ground, one, merchant: { api } } = scene;
    const token = await scene.addToken();
    const gas = await scene.fundGasWallet();
    await scene.fundMerchant({ token });
    await scene.fundMerchant();
    const coins = await scene.allocate();
    const tokens = await scene.allocate(TOKEN);
    await ground.pay(coins.address, 30n * one);
    await token.mint(tokens.address, 40n * TOKEN_RAW);
    await scene.turn(2);
    await using backup = await takeBackup(scene);
    await scene.sweepTo(ground.receiver);
    await token.mint(tokens.address, 2n * TOKEN_RAW);
    await scene.turn(6);
    const ids = [
      sentId(await scene.withdraw({ amount: "3" })),
      sentId(await scene.withdraw({ amount: "5", currency: TOKEN })),
    ];
    await scene.turn(2);
    const hashes = await Promise.all(ids.map(async (id) => (await withdrawalOf(api, id)).tx_hash));
    const state = async () => [
      (await scene.listed()).toSorted(),
      await scene.balanceOf(),
      await scene.balanceOf(TOKEN),
    ];
    const before = await state();
    await backup.bringBack();
    await scene.turn(2);
    await scene.sweepTo(ground.receiver);
    const order = { network: ground.code, actor: "test" };
    const { left } = await adoptAll(scene.deps, order);
    assert.deepEqual(left.map(({ txHash }) => txHash).sort(), hashes.toSorted());
    for (const txHash of hashes) {
      await adoptByHash(scene.deps, { ...order, txHash, terms: TERMS });
    }
    assert.deepEqual(await state(), before);
    const alerts = await alertsOf(scene.deps);
    assert.deepEqual(
      alerts.map(({ kind, subject }) => [kind, subject]).sort(),
      [["wallet_halted", gas], ["wallet_halted", scene.merchant.hotWallet]].sort(),
    );
  },
  { without: NOT_ON_OUTPUTS.tokens },
);
