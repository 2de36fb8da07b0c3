import assert from "node:assert/strict";
import { AlreadyMoved, type SigningOrder } from "../../../src/transfers/save_signed.ts";
import { signTransfer } from "../../../src/transfers/sign.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { sendTransfer } from "../../../src/transfers/send.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { withPayments } from "../../../src/transfers/reads/transfers.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import {
  nonceOf,
  receivedBy,
  sentId,
  settleAll,
  startPayingWorld,
  transfersOf,
} from "../../support/payouts.ts";
import { orderMaker } from "../../support/signing_orders.ts";
import { withdraw } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

/** Orders that could not be signed are cancelled, so that no later round pays them. */
async function signAll({ deps }: World, orders: readonly SigningOrder[]) {
  const results = await Promise.allSettled(orders.map((order) => signTransfer(deps, order)));
  for (const [i, { status }] of results.entries()) {
    const { payments: [payment], outbids } = orders[i]!;
    if (status === "fulfilled" || payment?.purpose === "void" || outbids) continue;
    await cancelWithdrawal(deps, { id: payment!.withdrawalId!, actor: "test" });
  }
  return results;
}

function reported(results: Awaited<ReturnType<typeof signAll>>): (number | string)[] {
  return results.map((one) => one.status === "fulfilled" ? one.value.tx.place : one.reason.name);
}

Deno.test("an order that fails below others of its batch delays them by one round (hazard 39)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { hotWallet } } = world;
  const order = await orderMaker(world);
  const failing = await order(2n, {
    claim: () => {
      throw new AlreadyMoved();
    },
  });
  const signed = await signAll(world, [await order(1n), failing, await order(4n), await order(8n)]);
  assert.deepEqual(reported(signed), [0, "AlreadyMoved", 2, 3]);
  const { chain } = failing;
  for (const tx of await transfersOf(world)) await sendTransfer(deps, { chain, tx });
  await settleAll(world);
  assert.equal(await nonceOf(anvil, hotWallet), 1);
  await world.round({ aheadMs: 30_000 });
  await settleAll(world);
  assert.equal(await nonceOf(anvil, hotWallet), 4);
  assert.equal(await receivedBy(anvil, STRANGER), 13n * ETHER);
  const states = (await transfersOf(world)).map(({ purpose, state }) => `${purpose} ${state}`);
  assert.deepEqual(states.sort(), ["void settled", ...Array(3).fill("withdrawal settled")]);
});

Deno.test("settled nonces and money are never reused by a batch whose node is behind", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, hotWallet } } = world;
  const stale = await deps.chains.of(await findNetwork(deps, "ETH")).walletState(hotWallet, []);
  sentId(await withdraw(api, { to: STRANGER, amount: "60" }));
  await settleAll(world);
  const order = await orderMaker(world, { walletState: () => Promise.resolve(stale) });
  const tooMuch = await order(130n);
  const signed = await signAll(world, [await order(1n), await order(15n), tooMuch]);
  assert.deepEqual(reported(signed), [1, 2, "CannotPay"]);
});

Deno.test("a wallet short of money for the second of three pays the others, without a gap", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { hotWallet } } = world;
  const order = await orderMaker(world);
  // The wallet has 200.
  const orders = [await order(90n), await order(150n), await order(100n), await order(20n)];
  const signed = await signAll(world, [await order(1n), ...orders]);
  assert.deepEqual(reported(signed), [0, 1, "CannotPay", 2, "CannotPay"]);
  const saved = await transfersOf(world);
  assert.deepEqual(saved.map(({ place }) => place), [0, 1, 2]);
  const { chain } = orders[0]!;
  await Promise.all(saved.map((tx) => sendTransfer(deps, { chain, tx })));
  await settleAll(world);
  assert.equal(await nonceOf(anvil, hotWallet), 3);
  assert.equal(await receivedBy(anvil, STRANGER), 191n * ETHER);
});

Deno.test("a bid, a filled gap and new payments of one batch don't interfere", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, hotWallet } } = world;
  await anvil.rpc("evm_setAutomine", [false]);
  sentId(await withdraw(api, { to: STRANGER, amount: "60" }));
  const [outbids] = await withPayments(deps.db, await deps.db.rows(SignedTransactions, "LIMIT 1"));
  const order = await orderMaker(world);
  const bid = () => order(60n, { outbids: outbids! });
  // The wallet has 200: with both bids counted there would be too little for the others.
  const signed = await signAll(world, [
    await order(1n),
    await bid(),
    await order(100n),
    await bid(),
    await order(2n, { place: 2 }),
    await order(0n, { place: 3, payments: [{ purpose: "void" }] }),
  ]);
  const [one, bidding, another, biddingToo, ...filling] = reported(signed);
  // The database decides which of two equal ones comes first.
  assert.deepEqual([one, another].toSorted(), [1, 2]);
  assert.deepEqual([bidding, biddingToo].toSorted(), [0, "AlreadyMoved"]);
  assert.deepEqual(filling, ["AlreadyMoved", 3]);
  const { chain } = await bid();
  for (const { id } of await transfersOf(world)) {
    const tx = await deps.db.get(SignedTransactions, [id]);
    if (tx.isLive) await sendTransfer(deps, { chain, tx });
  }
  await settleAll(world);
  assert.equal(await nonceOf(anvil, hotWallet), 4);
  assert.equal(await receivedBy(anvil, STRANGER), 161n * ETHER);
});
