import assert from "node:assert/strict";
import { adoptAll } from "../../../src/restore/adopt_spends.ts";
import { playOnLitecoin } from "../../support/grounds/scenario.ts";
import { gatherElsewhere } from "../../support/signed_elsewhere.ts";

const ORDER = { network: "LTC", actor: "test" };
Deno.test("what somebody gathered from two hot wallets is left, and delays no other adoption", () =>
  playOnLitecoin(async (scene) => {
    const { ground, one, merchant: { hotWallet } } = scene;
    const { hotWallet: second } = await scene.addMerchant("Second");
    const orders = [];
    for (const from of [hotWallet, second]) {
      const hash = await ground.pay(from, 10n * one);
      await scene.follow(0);
      const { vout } = await ground.node().rpc("gettransaction", [hash, true, true], "payer")
        .then(({ decoded }: { decoded: { vout: { n: number; value: number }[] } }) => decoded);
      const { n } = vout.find(({ value }) => value === 10)!;
      orders.push({ from, outpoints: [`${hash}:${n}`] });
    }
    const raw = await gatherElsewhere(scene, { orders, to: ground.stranger });
    await ground.mineOnly(raw);
    await ground.mine(14);
    await scene.follow(0);
    const { adopted, left } = await adoptAll(scene.deps, ORDER);
    assert.deepEqual(adopted, []);
    const { txid } = await ground.decode(raw);
    assert.deepEqual(left.map(({ txHash, to }) => [txHash, to]), [[txid, ground.stranger]]);
    assert.match(left[0]!.reason.message, /never signs transactions like/);
  }));
