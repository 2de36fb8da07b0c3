import assert from "node:assert/strict";
import { NOT_ON_OUTPUTS, onEveryFamily, TOKEN, TOKEN_RAW } from "../../support/grounds/scenario.ts";
import { rejectedId, sentId } from "../../support/payouts.ts";
import { eventsOf, withdrawalOf } from "../../support/views.ts";

const UNTOUCHED = { balance: "100", held: "0", available: "100" };
/** 1 coin, half a percent and 0.0001 for it. */
const PAID_ONE = { balance: "98.9949", held: "0", available: "98.9949" };

onEveryFamily(
  "a withdrawal of coins is held, sent, confirmed and debited, and pays exactly its amount",
  async (scene) => {
    const { ground, one, merchant: { api, hotWallet } } = scene;
    await scene.fundMerchant();
    const reply = await scene.withdraw({ amount: "1" });
    const id = sentId(reply);
    assert.deepEqual(await scene.balanceOf(), {
      balance: "100",
      held: "1.0051",
      available: "98.9949",
    });
    await scene.follow(ground.minConfirmations - 2);
    assert.equal(await scene.statusOf(id), "broadcasted");
    await scene.turn(1);
    const done = await withdrawalOf(api, id);
    assert.deepEqual([done.status, done.tx_hash], ["confirmed", reply.body.data.tx_hash]);
    assert.equal(await ground.coinsOf(ground.stranger), one);
    assert.equal(await ground.countSentBy(hotWallet), 1);
    assert.deepEqual(await scene.balanceOf(), PAID_ONE);
    assert.equal((await eventsOf(scene.deps, "withdrawal.confirmed")).length, 1);
  },
);

onEveryFamily("a withdrawal of tokens pays exactly its amount", async (scene) => {
  const { ground, merchant: { hotWallet } } = scene;
  const token = await scene.addToken();
  await scene.fundMerchant({ token });
  await ground.mine(ground.minConfirmations);
  const id = sentId(await scene.withdraw({ amount: "20.000001", currency: TOKEN }));
  await scene.turn(2);
  assert.equal(await scene.statusOf(id), "confirmed");
  assert.equal(await token.balanceOf(ground.stranger), 20n * TOKEN_RAW + 1n);
  assert.equal(await ground.countSentBy(hotWallet), 1);
  assert.equal((await scene.balanceOf(TOKEN)).balance, "78.999999");
}, { without: NOT_ON_OUTPUTS.tokens });

onEveryFamily("five equal withdrawals at once are five payments", async (scene) => {
  const { ground, one, merchant: { hotWallet } } = scene;
  await scene.fundMerchant();
  await ground.mineBySelf(false);
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => scene.withdraw({ amount: "1" })),
  );
  assert.equal(new Set(replies.map(({ body }) => body.data.tx_hash)).size, 5);
  await scene.turn(2);
  for (const reply of replies) assert.equal(await scene.statusOf(sentId(reply)), "confirmed");
  assert.equal(await ground.coinsOf(ground.stranger), 5n * one);
  assert.equal(await ground.countSentBy(hotWallet), 5);
}, { without: NOT_ON_OUTPUTS.sharing });

onEveryFamily(
  "a withdrawal that every node refuses is 502, its money is free, and nothing is sent later",
  async (scene) => {
    const { ground, merchant: { hotWallet } } = scene;
    await scene.fundMerchant();
    ground.onSending = () => "refused";
    const id = rejectedId(await scene.withdraw({ amount: "1" }));
    assert.deepEqual(await scene.balanceOf(), UNTOUCHED);
    const [reported] = await eventsOf(scene.deps, "withdrawal.failed");
    assert.deepEqual([reported.id, reported.reason], [id, "broadcast_rejected"]);
    ground.onSending = () => "taken";
    await scene.turn(2);
    assert.equal(await ground.countSentBy(hotWallet), 0);
    sentId(await scene.withdraw({ amount: "1" }));
    await scene.turn(2);
    assert.equal(await ground.countSentBy(hotWallet), 1);
    assert.deepEqual(await scene.balanceOf(), PAID_ONE);
  },
);

for (const sending of ["reply_lost", "lost"] as const) {
  const what = sending === "lost" ? "never reached a node" : "a node took without a reply";
  onEveryFamily(
    `a withdrawal that ${what} is broadcasted, and the same bytes pay it once`,
    async (scene) => {
      const { ground, one, merchant: { hotWallet } } = scene;
      await scene.fundMerchant();
      ground.onSending = () => sending;
      const id = sentId(await scene.withdraw({ amount: "1" }));
      scene.wait(30_000);
      await scene.follow(ground.minConfirmations);
      assert.equal(await scene.statusOf(id), sending === "lost" ? "broadcasted" : "confirmed");
      ground.onSending = () => "taken";
      scene.wait(30_000);
      await scene.follow(1);
      await scene.follow(ground.minConfirmations);
      assert.equal(await scene.statusOf(id), "confirmed");
      assert.equal(new Set(ground.sent).size, 1);
      assert.equal(await ground.coinsOf(ground.stranger), one);
      assert.equal(await ground.countSentBy(hotWallet), 1);
      assert.deepEqual(await scene.balanceOf(), PAID_ONE);
    },
  );
}

onEveryFamily(
  "a withdrawal that every pool forgets is sent again as the same bytes",
  async (scene) => {
    const { ground, merchant: { hotWallet } } = scene;
    await scene.fundMerchant();
    await ground.mineBySelf(false);
    const reply = await scene.withdraw({ amount: "1" });
    await ground.forget(reply.body.data.tx_hash);
    scene.wait(30_000);
    await scene.follow(ground.minConfirmations);
    assert.equal(await scene.statusOf(sentId(reply)), "broadcasted");
    await scene.follow(ground.minConfirmations);
    assert.equal(await scene.statusOf(sentId(reply)), "confirmed");
    assert.ok(ground.sent.length > 1);
    assert.equal(new Set(ground.sent).size, 1);
    assert.equal(await ground.countSentBy(hotWallet), 1);
  },
);

onEveryFamily(
  "a withdrawal that no block can have any more fails, and its money is free again",
  async (scene) => {
    const { ground, one, merchant: { hotWallet } } = scene;
    await scene.fundMerchant();
    ground.onSending = () => "lost";
    const id = sentId(await scene.withdraw({ amount: "1" }));
    await scene.follow(1);
    assert.equal((await scene.balanceOf()).held, "1.0051");
    await ground.outlast(hotWallet);
    await scene.follow(0);
    await scene.turn(2);
    assert.equal(await scene.statusOf(id), "failed");
    const [reported] = await eventsOf(scene.deps, "withdrawal.failed");
    assert.deepEqual([reported.id, reported.reason], [id, ground.endReason]);
    assert.deepEqual(await scene.balanceOf(), UNTOUCHED);
    ground.onSending = () => "taken";
    await scene.turn(2);
    assert.equal(await scene.statusOf(id), "failed");
    assert.ok(await ground.coinsOf(ground.stranger) < one);
  },
  { without: NOT_ON_OUTPUTS.expiry },
);

onEveryFamily(
  "a withdrawal whose block a reorganisation takes away is mined again and paid once",
  async (scene) => {
    const { ground, one, merchant: { hotWallet } } = scene;
    await scene.fundMerchant();
    const reply = await scene.withdraw({ amount: "1" });
    await scene.follow(1);
    await ground.reorg(2);
    await scene.follow(1);
    assert.equal(await scene.statusOf(sentId(reply)), "broadcasted");
    await scene.turn(3);
    const done = await withdrawalOf(scene.merchant.api, sentId(reply));
    assert.deepEqual([done.status, done.tx_hash], ["confirmed", reply.body.data.tx_hash]);
    assert.equal(await ground.coinsOf(ground.stranger), one);
    assert.equal(await ground.countSentBy(hotWallet), 1);
  },
);

onEveryFamily(
  "a withdrawal whose call fails in its block fails as reverted once that is deep",
  async (scene) => {
    const { ground, merchant: { hotWallet } } = scene;
    const token = await scene.addToken();
    await scene.fundMerchant({ token });
    await ground.mine(ground.minConfirmations);
    await ground.mineBySelf(false);
    const id = sentId(await scene.withdraw({ amount: "10", currency: TOKEN }));
    await token.ban(hotWallet);
    await scene.follow(ground.minConfirmations - 1);
    assert.equal(await scene.statusOf(id), "broadcasted");
    await scene.turn(1);
    assert.equal(await scene.statusOf(id), "failed");
    const [reported] = await eventsOf(scene.deps, "withdrawal.failed");
    assert.deepEqual([reported.id, reported.reason], [id, "reverted"]);
    assert.deepEqual(await scene.balanceOf(TOKEN), UNTOUCHED);
    assert.equal(await token.balanceOf(ground.stranger), 0n);
  },
  { without: NOT_ON_OUTPUTS.tokens },
);

onEveryFamily(
  "a withdrawal that was saved and not sent is sent as the same bytes after a restart",
  async (scene) => {
    const { ground, one, merchant: { hotWallet } } = scene;
    await scene.fundMerchant();
    ground.onSending = () => "lost";
    const id = sentId(await scene.withdraw({ amount: "1" }));
    await scene.restart();
    ground.onSending = () => "taken";
    scene.wait(30_000);
    await scene.follow(1);
    await scene.follow(ground.minConfirmations);
    assert.equal(await scene.statusOf(id), "confirmed");
    assert.equal(new Set(ground.sent).size, 1);
    assert.equal(await ground.coinsOf(ground.stranger), one);
    assert.equal(await ground.countSentBy(hotWallet), 1);
  },
);

onEveryFamily("what is nearly an address is 400, and holds nothing", async (scene) => {
  const { ground } = scene;
  await scene.fundMerchant();
  for (const to of ground.misspelled) {
    const { status, body } = await scene.withdraw({ to, amount: "1" });
    assert.deepEqual([status, body.error.code], [400, "invalid_address"], to);
  }
  assert.deepEqual(await scene.balanceOf(), UNTOUCHED);
});

onEveryFamily(
  "a hot wallet with less than it would take refuses, and is asked again once it is filled",
  async (scene) => {
    const { ground, one, merchant: { hotWallet } } = scene;
    await scene.fundMerchant({ heldRaw: one - 1n });
    rejectedId(await scene.withdraw({ amount: "1" }));
    assert.deepEqual(await scene.balanceOf(), UNTOUCHED);
    await scene.give(hotWallet, 10n * one);
    await ground.mineBySelf(false);
    sentId(await scene.withdraw({ amount: "4" }));
    sentId(await scene.withdraw({ amount: "4" }));
    rejectedId(await scene.withdraw({ amount: "4" }));
    await scene.turn(2);
    assert.equal(await ground.coinsOf(ground.stranger), 8n * one);
  },
);
