import assert from "node:assert/strict";

import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { adoptAll } from "../../../src/restore/adopt_spends.ts";
import { rescan } from "../../../src/following/rescan.ts";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { arrivedAt, startTurningWorld, sweepToNode } from "../../support/litecoin_turns.ts";
import { type Litecoind, startLitecoind } from "../../support/nodes/litecoind.ts";
import { recover } from "../../support/recovering.ts";
import { takeBackup } from "../../support/restoring.ts";
import { Claims, SignedTransactions } from "../../../src/transfers/table.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { allocate, transactionsOf } from "../../support/views.ts";

const LTC = { network: "LTC", currency: "LTC" };
const ORDER = { network: "LTC", actor: "test" };
const INTERRUPTED = "The rescan was interrupted";

Deno.test("after a restore nothing of an account is swept until its hot wallet is resumed", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startTurningWorld({ node });
  const { merchant } = world;
  // Another account, whose wallet stays halted, holds back nobody.
  await world.addMerchant("Other");
  const { address } = await allocate(merchant.api, LTC);
  await node.pay(address, "1.25");
  await world.turn(3);
  const older = await sweepToNode(world, merchant);
  await using backup = await takeBackup(world);
  await backup.bringBack();
  await world.turn(3);
  const states = async () =>
    (await world.deps.db.rows(Sweeps, "")).map(({ state, code }) => [state, code]);
  assert.deepEqual(await states(), [["waiting", "wallet_halted"]]);
  const newer = await sweepToNode(world, merchant);
  await resumeWallet(world.deps, { ...ORDER, address: merchant.hotWallet });
  await world.turn(18);
  assert.deepEqual(await states(), [["done", null]]);
  assert.equal(await arrivedAt(world, older), 0n);
  assert.ok(await arrivedAt(world, newer) > 120_000_000n);
});

/** Two addresses are swept together, of which the backup has one. */
async function sweptSince(node: Litecoind, { isKnownFirst }: { isKnownFirst: boolean }) {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await startTurningWorld({ node }));
  const { merchant, merchant: { api, accountId } } = world;
  const { address: known } = await allocate(api, LTC);
  await world.turn(1);
  const backup = stack.use(await takeBackup(world));
  const from: number = await node.rpc("getblockcount");
  const { address: lost } = await allocate(api, LTC);
  const payments = [[known, "1.25"], [lost, "2"]] as const;
  for (const [address, amount] of isKnownFirst ? payments : payments.toReversed()) {
    await node.pay(address, amount);
    await world.turn(3);
  }
  const address = await sweepToNode(world, merchant);
  await world.turn(18);
  const listed = async () =>
    (await transactionsOf(api)).map(({ direction, status, amount_decimal: amount }) =>
      [direction, status, amount].join(" ")
    ).toSorted();
  const before = await listed();
  const signed = () => world.deps.db.rows(SignedTransactions, "ORDER BY id");
  const senders = async () => (await signed()).map(({ sender }) => sender);
  assert.deepEqual(await senders(), [isKnownFirst ? known : lost]);
  await backup.bringBack();
  const receiver = { accountId, network: "LTC", address, actor: "test" };
  await setReceivingWallet(world.deps, receiver);
  for (let i = 0; i < 8; i++) await world.round();
  assert.deepEqual(await senders(), [known], "The only one that the books know");
  await recover(world.deps, { network: "LTC", accountId, addresses: [lost], isApplied: true });
  const used = stack.move();
  return {
    ...{ world, known, lost, senders, listed, before },
    /** As far as the blocks that many steps read, or to the end. */
    rescan: async (stepsMax = Infinity) => {
      let steps = 0;
      const order = { ...ORDER, fromBlock: from, toBlock: undefined };
      const onProgress = () => {
        if (++steps === stepsMax) throw new Error(INTERRUPTED);
      };
      await rescan(world.deps, { ...order, onProgress });
    },
    /** All is as it was before the loss. */
    async adopt() {
      assert.deepEqual((await adoptAll(world.deps, ORDER)).left, []);
      await world.round();
      assert.deepEqual(await listed(), before);
      const claims = await world.deps.db.rows(Claims, "");
      assert.deepEqual(claims.map(({ liveClaim }) => liveClaim !== null), [true, true]);
      const { differences, surplus, skipped } = await reconcile(world.deps, { network: "LTC" });
      assert.deepEqual([differences, surplus, skipped], [[], [], []]);
    },
    [Symbol.asyncDispose]: () => used.disposeAsync(),
  };
}

Deno.test("a sweep whose first address was issued after the backup is booked as it was", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using swept = await sweptSince(node, { isKnownFirst: false });
  const { world, world: { deps, merchant: { hotWallet } }, known, lost, senders, listed } = swept;
  // The operator is too early: the sweep isn't booked yet.
  await resumeWallet(deps, { ...ORDER, address: hotWallet, isAnyway: true });
  await swept.rescan();
  await world.turn(3);
  assert.deepEqual(await senders(), [lost], "Nothing else spends the same");
  await swept.adopt();
  const halted = await deps.db.rows(Addresses, "WHERE halted_reason IS NOT NULL");
  assert.deepEqual(halted.map(({ address }) => address), []);
  await node.pay(lost, "1");
  await node.pay(known, "1");
  await world.turn(18);
  assert.equal((await listed()).filter((one) => one === "sweep confirmed 1").length, 2);
});

Deno.test("a sweep booked before its own block was read again claims all that it spends", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using swept = await sweptSince(node, { isKnownFirst: true });
  // The first eight blocks have both deposits, and not the sweep.
  await assert.rejects(swept.rescan(2), new RegExp(INTERRUPTED));
  assert.equal((await swept.world.deps.db.rows(Claims, "")).length, 1);
  await swept.adopt();
});
