import assert from "node:assert/strict";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { bumpWithdrawal, revokeWithdrawal } from "../../../src/withdrawals/push.ts";
import type { LitecoinGround } from "../../support/grounds/litecoin_ground.ts";
import { playOnLitecoin } from "../../support/grounds/scenario.ts";
import { startLitecoinLater } from "../../support/litecoin_world.ts";
import { startLitecoind } from "../../support/nodes/litecoind.ts";
import { sentId } from "../../support/payouts.ts";
import { takeBackup } from "../../support/restoring.ts";
import { allocate, balanceOf, withdraw, withdrawalOf } from "../../support/views.ts";

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
