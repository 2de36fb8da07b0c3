import assert from "node:assert/strict";
import { rivalsOf } from "../../../src/outputs/families.ts";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { bumpWithdrawal, revokeWithdrawal } from "../../../src/withdrawals/push.ts";
import type { LitecoinGround } from "../../support/grounds/litecoin_ground.ts";
import { playOnLitecoin } from "../../support/grounds/scenario.ts";
import { startLitecoinLater } from "../../support/litecoin_world.ts";
import { startLitecoind } from "../../support/nodes/litecoind.ts";
import { sentId } from "../../support/payouts.ts";
import { takeBackup } from "../../support/restoring.ts";
import { alertsOf, allocate, balanceOf, withdraw, withdrawalOf } from "../../support/views.ts";

const LTC = { network: "LTC", currency: "LTC" };

Deno.test("payouts that shared a bid which restored books lack aren't called failed", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinLater(node);
  const { merchant: { api, hotWallet } } = world;
  const turn = async (blocks: number) => {
    for (let i = 0; i < blocks; i++) {
      await node.mine(1);
      await world.round();
    }
  };
  const { address } = await allocate(api, LTC);
  await node.pay(address, "1.25");
  await node.pay(hotWallet, "3");
  await turn(3);
  const to: string = await node.rpc("getnewaddress", [], "payer");
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => withdraw(api, { ...LTC, to, amount: "0.05" })),
  );
  const hashes = replies.map(({ body }) => body.data.tx_hash);
  assert.ok(new Set(hashes).size < hashes.length, "some share a transaction");
  const shared = hashes.find((hash) => hashes.filter((one) => one === hash).length > 1);
  const ids = replies.map(sentId);
  await using backup = await takeBackup(world);
  const id = ids[hashes.indexOf(shared)]!;
  await bumpWithdrawal(world.deps, { id, actor: "test", isAnyway: true });
  await turn(4);
  const before = await balanceOf(api, "LTC");
  await backup.bringBack();
  for (let i = 0; i < 8; i++) await world.round();
  const statuses = await Promise.all(ids.map(async (id) => (await withdrawalOf(api, id)).status));
  assert.ok(!statuses.includes("failed"), statuses.join());
  const after = await balanceOf(api, "LTC");
  assert.equal(Number(after.available).toFixed(6), Number(before.available).toFixed(6));
});

Deno.test("a wallet isn't resumed while what it signed on its own change waits in a pool", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinLater(node);
  const { merchant: { api, hotWallet } } = world;
  const { address } = await allocate(api, LTC);
  await node.pay(address, "1.25");
  await node.pay(hotWallet, "3");
  for (let i = 0; i < 3; i++) {
    await node.mine(1);
    await world.round();
  }
  const to: string = await node.rpc("getnewaddress", [], "payer");
  sentId(await withdraw(api, { ...LTC, to, amount: "0.2" }));
  await using backup = await takeBackup(world);
  sentId(await withdraw(api, { ...LTC, to, amount: "0.5" }));
  await backup.bringBack();
  await world.round();
  const resume = { network: "LTC", actor: "test", address: hotWallet };
  await assert.rejects(resumeWallet(world.deps, resume), /is waiting in a node's pool/);
});

const otherOf = (ground: LitecoinGround): Promise<string> =>
  ground.node().rpc("getnewaddress", [], "payer");

Deno.test("a confirmed payout that a reorganisation took with its parent is paid again", () =>
  playOnLitecoin(async (scene) => {
    const { ground } = scene;
    await scene.fundMerchant({ heldRaw: 100n * scene.one });
    await ground.mineBySelf(false);
    const other = await otherOf(ground);
    const first = sentId(await scene.withdraw({ amount: "1" }));
    await bumpWithdrawal(scene.deps, { id: first, actor: "test", isAnyway: true });
    const second = sentId(await scene.withdraw({ to: other, amount: "2" }));
    await ground.mineOnly(ground.sent[1]!, ground.sent[2]!);
    await scene.turn(2);
    assert.equal(await scene.statusOf(second), "confirmed");
    await ground.undo(7);
    await ground.mineOnly(ground.sent[0]!);
    await ground.mine(7);
    await scene.turn(6);
    assert.equal(await scene.statusOf(second), "confirmed");
    assert.equal(await ground.coinsOf(other), 2n * scene.one);
  }));

Deno.test("what is signed again for a lost payout can't be mined beside its first bytes", () =>
  playOnLitecoin(async (scene) => {
    const { ground, merchant: { hotWallet } } = scene;
    const node = ground.node();
    await scene.fundMerchant({ heldRaw: 100n * scene.one });
    await ground.mineBySelf(false);
    const other = await otherOf(ground);
    const first = sentId(await scene.withdraw({ amount: "1" }));
    const second = sentId(await scene.withdraw({ to: other, amount: "2" }));
    // A coin that nothing here comes from, and would be the easiest to take.
    const { hex } = await node.rpc("gettransaction", [await node.pay(hotWallet, "150")], "payer");
    await ground.mineOnly(hex);
    for (let i = 0; i < 4; i++) await ground.mineOnly();
    await scene.follow(0);
    await revokeWithdrawal(scene.deps, { id: first, actor: "test" });
    await ground.mineOnly(ground.sent.at(-1)!);
    await scene.follow(0);
    sentId(await scene.withdraw({ amount: "0.5" }));
    const before = ground.sent.length;
    await ground.mineOnly(ground.sent.at(-1)!);
    await scene.follow(0);
    for (let i = 0; i < 2; i++) {
      await ground.mineOnly();
      await scene.follow(0);
    }
    assert.ok(ground.sent.length > before, "it was signed again");
    const again = ground.sent.at(-1)!;
    await ground.mineOnly(again);
    await scene.turn(1);
    assert.equal(await scene.statusOf(second), "confirmed");
    // On a branch without the revocation, its first bytes are mined; the others can't be.
    const height: number = await node.rpc("getblockcount");
    const revoked = (await ground.decode(ground.sent[2]!)).txid;
    for (let depth = 1;; depth++) {
      const { tx } = await node.rpc("getblock", [await ground.hashAt(height - depth + 1)]);
      if (!tx.includes(revoked)) continue;
      await ground.undo(depth);
      break;
    }
    await assert.rejects(
      ground.mineOnly(ground.sent[0]!, ground.sent[1]!, again),
      /bad-txns-inputs-missingorspent/,
    );
    await ground.mineOnly(...ground.sent.slice(2));
    await ground.mine(12);
    await scene.turn(1);
    assert.equal(await ground.coinsOf(other), 2n * scene.one);
  }));

/** As if an older payment, which is final, had taken the place of this one. */
const forgedRival = (hash: string) =>
  `INSERT INTO claims (signed_id, claim, network, is_once)
SELECT old.id, c.claim, c.network, 1
FROM signed_transactions AS old, signed_transactions AS t
JOIN claims AS c ON c.signed_id = t.id AND c.is_once = 1
WHERE old.state = 'settled' AND t.tx_hash = '${hash}'`;
const forgedLoss = (hash: string) =>
  `UPDATE signed_transactions SET state = 'superseded' WHERE tx_hash = '${hash}'`;

Deno.test("a payout whose coin somebody calls lost in the database isn't paid a second time", () =>
  playOnLitecoin(async (scene) => {
    const { ground, one, merchant: { hotWallet }, deps } = scene;
    await scene.fundMerchant({ heldRaw: 100n * one });
    sentId(await scene.withdraw({ amount: "1" }));
    await ground.mine(14);
    await scene.turn(2);
    await ground.mineBySelf(false);
    const other = await otherOf(ground);
    const node = ground.node();
    const { hex } = await node.rpc("gettransaction", [await node.pay(hotWallet, "50")], "payer");
    // The second one has only the change of the first.
    sentId(await scene.withdraw({ amount: "90" }));
    sentId(await scene.withdraw({ to: other, amount: "3" }));
    const { txid: maker } = await ground.decode(ground.sent[1]!);
    const { spends: outpoints } = await ground.decode(ground.sent[2]!);
    assert.ok(outpoints.every((outpoint) => outpoint.startsWith(maker)));
    await ground.mineOnly(hex);
    for (let i = 0; i < 7; i++) await ground.mineOnly();
    await scene.follow(0);
    // Like an attacker who has only the database.
    await deps.db.execute([{ sql: forgedRival(maker) }]);
    await assert.rejects(rivalsOf(deps, { network: "LTC", outpoints }), { name: "TamperedRow" });
    await deps.db.execute([{ sql: forgedLoss(maker) }]);
    for (let i = 0; i < 3; i++) await scene.follow(0);
    // Whatever was signed, as far as it can be mined.
    for (const raw of ground.sent.slice(1)) await ground.mineOnly(raw).catch(() => {});
    assert.equal(await ground.coinsOf(other), 3n * one);
    const tampered = (await alertsOf(deps)).filter(({ kind }) => kind === "tampered");
    assert.ok(tampered.some(({ subject }) => subject === "signed_transactions:2"));
  }));
