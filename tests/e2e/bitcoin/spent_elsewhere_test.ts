import assert from "node:assert/strict";
import { adoptAll, adoptByHash } from "../../../src/restore/adopt_spends.ts";
import { outpointOf } from "../../../src/domain/outpoint.ts";
import { Outputs } from "../../../src/outputs/table.ts";
import { bumpWithdrawal } from "../../../src/withdrawals/push.ts";
import { playOnLitecoin, unitsOf } from "../../support/grounds/scenario.ts";
import { sentId } from "../../support/payouts.ts";
import { gatherElsewhere } from "../../support/signed_elsewhere.ts";

const ORDER = { network: "LTC", actor: "test" };
const NEW = {
  withdrawal: "new",
  fee: undefined,
  keyId: undefined,
  reference: undefined,
} as const;

Deno.test("a payout is still awaited when only a coin that its higher bid added is gone", () =>
  playOnLitecoin(async (scene) => {
    const { ground, one, merchant: { hotWallet } } = scene;
    const { hotWallet: second } = await scene.addMerchant("Second");
    const to: string = await ground.node().rpc("getnewaddress", [], "payer");
    const gathered = async (from: string) => {
      const [coin] = await scene.deps.db.rows(Outputs, "WHERE address = ? ORDER BY id DESC", [
        from,
      ]);
      const outpoint = outpointOf(coin!);
      return {
        outpoint,
        raw: await gatherElsewhere(scene, { orders: [{ from, outpoints: [outpoint] }], to }),
      };
    };
    await scene.give(second, one);
    const { vout } = await ground.node().rpc("decoderawtransaction", [
      (await gathered(second)).raw,
    ]);
    // So much is left of a coin of 30.
    const paidRaw = 29n * one + BigInt(Math.round(vout[0].value * 1e8));
    // Without change, a higher price takes a second coin.
    await scene.fundMerchant({ heldRaw: paidRaw + 3_000n });
    await ground.mineBySelf(false);
    const id = sentId(await scene.withdraw({ to, amount: unitsOf(paidRaw, one) }));
    const first = await ground.decode(ground.sent[0]!);
    const { hex } = await ground.node().rpc(
      "gettransaction",
      [await ground.node().pay(hotWallet, "30")],
      "payer",
    );
    await ground.mineOnly(hex);
    for (let i = 0; i < 3; i++) {
      await ground.mineOnly();
      await scene.follow(0);
    }
    const { outpoint, raw } = await gathered(hotWallet);
    await bumpWithdrawal(scene.deps, { id, actor: "test", isAnyway: true });
    const bid = await ground.decode(ground.sent.at(-1)!);
    assert.deepEqual(bid.spends.toSorted(), [...first.spends, outpoint].toSorted());
    await ground.mineOnly(raw);
    for (let i = 0; i < 14; i++) {
      await ground.mineOnly();
      await scene.follow(0);
    }
    // It pays the same, but the payout's first bytes can still be mined.
    const { txid: txHash } = await ground.decode(raw);
    const { left } = await adoptAll(scene.deps, ORDER);
    assert.deepEqual(left.map((row) => [row.txHash, row.to, row.amount]), [
      [txHash, to, unitsOf(paidRaw, one)],
    ]);
    await adoptByHash(scene.deps, { ...ORDER, txHash, terms: NEW });
    assert.equal(await scene.statusOf(id), "broadcasted");
    scene.wait(60_000);
    await scene.follow(0);
    assert.deepEqual(await ground.mempool(), [first.txid]);
    await ground.mine(14);
    await scene.turn(1);
    assert.equal(await scene.statusOf(id), "confirmed");
    assert.equal(await ground.coinsOf(to), 2n * paidRaw);
  }));

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
