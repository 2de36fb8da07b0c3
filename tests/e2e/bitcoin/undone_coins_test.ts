import assert from "node:assert/strict";
import { Alerts } from "../../../src/alerts/table.ts";
import { DepositInputs } from "../../../src/deposits/tables/inputs.ts";
import { readAll } from "../../../src/store/engine/workspace.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import type { LitecoinGround } from "../../support/grounds/litecoin_ground.ts";
import { playOnLitecoin, type Scene } from "../../support/grounds/scenario.ts";
import { sentId } from "../../support/payouts.ts";

type LitecoinScene = Scene<LitecoinGround>;

/** Of LTC: what is so deep isn't undone any more. */
const FINAL_BLOCKS = 12;

interface Undone {
  readonly id: number;
  /** Of the coin that it spends. */
  readonly hash: string;
  /** What that came from, spent by something else. */
  readonly conflict: string;
}

/** A payout, and a reorganisation that takes away the coin it spends. */
async function undone(scene: LitecoinScene): Promise<Undone> {
  const { ground, one, merchant: { hotWallet } } = scene;
  await scene.fundMerchant({ heldRaw: one });
  await ground.mineBySelf(false);
  const hash = await ground.pay(hotWallet, 10n * one);
  await scene.follow(ground.minConfirmations - 1);
  const rpc = (method: string, params: unknown[]) => ground.node().rpc(method, params, "payer");
  const { hex } = await rpc("gettransaction", [hash]);
  const { spends } = await ground.decode(hex);
  const inputs = spends.map((outpoint) => {
    const [txid, vout] = outpoint.split(":");
    return { txid, vout: Number(vout) };
  });
  const id = sentId(await scene.withdraw({ amount: "5" }));
  await ground.reorg(ground.minConfirmations);
  await scene.follow(0);
  const raw = await rpc("createrawtransaction", [inputs, [{ [ground.customer]: 1 }]]);
  const { hex: conflict } = await rpc("signrawtransactionwithwallet", [raw]);
  return { id, hash, conflict };
}

function stuckAlerts({ deps }: LitecoinScene): Promise<string[]> {
  return deps.db.rows(Alerts, "WHERE kind = 'transfer_stuck' ORDER BY id")
    .then((rows) => rows.map(({ message }) => message));
}

function countSigned({ deps }: LitecoinScene): Promise<number> {
  return deps.db.rows(SignedTransactions, "").then((rows) => rows.length);
}

Deno.test("a payout whose coin can't come again is signed anew once that is final", () =>
  playOnLitecoin(async (scene) => {
    const { ground, one, merchant: { hotWallet } } = scene;
    const { id, conflict } = await undone(scene);
    await ground.mineOnly(conflict);
    await scene.give(hotWallet, 20n * one);
    await scene.turn(2);
    assert.deepEqual([await scene.statusOf(id), await countSigned(scene)], ["broadcasted", 1]);
    await scene.follow(FINAL_BLOCKS);
    assert.equal(await countSigned(scene), 2);
    await scene.turn(2);
    assert.equal(await scene.statusOf(id), "confirmed");
    assert.equal(await ground.coinsOf(ground.stranger), 5n * one);
    assert.equal(await ground.countSentBy(hotWallet), 1);
  }));

Deno.test("a payout whose coin may come again waits for it, with an alert and no bids", () =>
  playOnLitecoin(async (scene) => {
    const { ground, one, merchant: { hotWallet } } = scene;
    const { id, hash } = await undone(scene);
    await scene.give(hotWallet, 20n * one);
    await scene.turn(8);
    const alerts = await stuckAlerts(scene);
    assert.equal(alerts.length, 1);
    assert.ok(alerts[0]!.includes(`it spends ${hash}:`), alerts[0]);
    assert.equal(await countSigned(scene), 1);
    await ground.mineAgain(hash);
    await scene.turn(3);
    assert.equal(await scene.statusOf(id), "confirmed");
    assert.equal(await ground.coinsOf(ground.stranger), 5n * one);
    assert.equal(await ground.countSentBy(hotWallet), 1);
  }));

Deno.test("a row that somebody else wrote doesn't have a payout signed anew", () =>
  playOnLitecoin(async (scene) => {
    const { one, deps, merchant: { hotWallet } } = scene;
    const { id, hash } = await undone(scene);
    await scene.give(hotWallet, 20n * one);
    const [input] = await deps.db.rows(DepositInputs, "WHERE tx_hash = ?", [hash]);
    assert.equal(input?.spentHash, null);
    const sql = `UPDATE deposit_inputs SET spent_by = 'ab', spent_hash = 'cd', spent_height = 1
WHERE id = ${input.id}`;
    await deps.db.execute([{ sql }]);
    await scene.follow(FINAL_BLOCKS);
    assert.deepEqual([await scene.statusOf(id), await countSigned(scene)], ["broadcasted", 1]);
  }));

Deno.test("what nodes no longer showed has no payout signed anew, and is forgotten once it comes", () =>
  playOnLitecoin(async (scene) => {
    const { ground, one, deps, merchant: { hotWallet } } = scene;
    const { id, hash } = await undone(scene);
    await scene.give(hotWallet, 20n * one);
    const inputs = () => deps.db.rows(DepositInputs, "WHERE tx_hash = ?", [hash]);
    const before = await inputs();
    // As if an ancestor was missing that is in no block.
    await deps.db.write({
      reads: readAll(DepositInputs, before.map((row) => [row.id])),
      decide: (view) => {
        for (const row of before) {
          const missed = { spentBy: null, spentHeight: 1, spentHash: "ab" };
          view.update(DepositInputs, view.get(DepositInputs, [row.id]), missed);
        }
      },
    });
    await scene.follow(FINAL_BLOCKS);
    assert.deepEqual([await scene.statusOf(id), await countSigned(scene)], ["broadcasted", 1]);
    await ground.mineAgain(hash);
    await scene.follow(0);
    assert.deepEqual(await inputs(), before);
    await scene.turn(3);
    assert.equal(await scene.statusOf(id), "confirmed");
    assert.equal(await ground.countSentBy(hotWallet), 1);
  }));
