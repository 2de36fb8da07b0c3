import assert from "node:assert/strict";

import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { adoptAll, adoptByHash } from "../../../src/restore/adopt_spends.ts";
import { rescan } from "../../../src/following/rescan.ts";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { broadcastWithdrawal } from "../../../src/withdrawals/broadcast.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { startTurningWorld } from "../../support/litecoin_turns.ts";
import { startLitecoinLater } from "../../support/litecoin_world.ts";
import { startLitecoind } from "../../support/nodes/litecoind.ts";
import { recover, shownOf } from "../../support/recovering.ts";
import { takeBackup } from "../../support/restoring.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import {
  allocate,
  balanceOf,
  depositsOf,
  transactionsOf,
  withdraw,
  withdrawalOf,
} from "../../support/views.ts";

type PayoutTerms = NonNullable<Parameters<typeof adoptByHash>[1]["terms"]>;

const TERMS: PayoutTerms = {
  withdrawal: undefined,
  fee: undefined,
  keyId: undefined,
  reference: undefined,
};
const LTC = { network: "LTC", currency: "LTC" };
const ORDER = { network: "LTC", actor: "test" };

Deno.test("outputs and payouts made after the backup are found again, and the wallet goes on", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinLater(node);
  const { merchant: { api, hotWallet } } = world;
  const turn = async (blocks = 1) => {
    await node.mine(blocks);
    await world.round();
  };
  const to: string = await node.rpc("getnewaddress", [], "payer");
  const { address } = await allocate(api, LTC);
  await node.pay(address, "1.25");
  await node.pay(hotWallet, "3");
  await turn(3);
  const first = await withdraw(api, { ...LTC, to, amount: "0.25" });
  assert.equal(first.body.data.status, "broadcasted", JSON.stringify(first.body));
  await using backup = await takeBackup(world);
  await turn(2);
  await node.pay(hotWallet, "2");
  await node.pay(address, "0.75");
  await turn(2);
  const paid = await withdraw(api, { ...LTC, to, amount: "0.5" });
  assert.equal(paid.body.data.status, "broadcasted", JSON.stringify(paid.body));
  const { tx_hash: txHash } = await withdrawalOf(api, paid.body.data.withdrawal_id);
  await turn(14);
  const state = async () => [await balanceOf(api, "LTC"), (await depositsOf(api)).length];
  const before = await state();
  await backup.bringBack();
  for (let i = 0; i < 8; i++) await world.round();
  const { deps } = world;
  await assert.rejects(
    resumeWallet(deps, { ...ORDER, address: hotWallet }),
    /sent one payment that the books do not explain/,
  );
  const { left } = await adoptAll(deps, ORDER);
  assert.deepEqual(left.map((one) => [one.txHash, one.to, one.amount]), [[txHash, to, "0.5"]]);
  await adoptByHash(deps, { ...ORDER, txHash, terms: TERMS });
  await world.round();
  assert.deepEqual(await state(), before);
  await resumeWallet(deps, { ...ORDER, address: hotWallet });
  const { differences, surplus, skipped } = await reconcile(deps, { network: "LTC" });
  assert.deepEqual([differences, surplus, skipped], [[], [], []]);
  const more = await withdraw(api, { ...LTC, to, amount: "1" });
  assert.equal(more.body.data.status, "broadcasted", JSON.stringify(more.body));
  await turn(2);
  assert.equal((await withdrawalOf(api, more.body.data.withdrawal_id)).status, "confirmed");
});

Deno.test("a transaction with several payouts made after the backup is booked once for each", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinLater(node);
  const { merchant: { api, accountId, hotWallet, credentials: { keyId } } } = world;
  const turn = async (blocks = 1) => {
    await node.mine(blocks);
    await world.round();
  };
  const to: string[] = [];
  for (let i = 0; i < 3; i++) to.push(await node.rpc("getnewaddress", [], "payer"));
  const { address } = await allocate(api, LTC);
  const { address: other } = await allocate(api, LTC);
  await node.pay(address, "4");
  await node.pay(hotWallet, "3");
  await turn(3);
  const orders: Order[] = [
    { to: other, amount: "0.5", reference: "order-0" },
    // One is paid twice, and one is a customer of ours.
    ...[1, 0, 2, 0].map((n, i) => ({ to: to[n]!, amount: "0.1", reference: `order-${i + 1}` })),
  ];
  const create = async ({ to: toAddress, amount, reference: clientReference }: Order) =>
    (await createWithdrawal(world.deps, {
      caller: { accountId, keyId, actor: "test", signature: null },
      ...{ ...LTC, toAddress, amount, clientReference },
    })).row;
  const waiting = await create(orders[2]!);
  await using backup = await takeBackup(world);
  const rows = await Promise.all(
    orders.map((order, i) => i === 2 ? waiting : create(order)),
  );
  const order = { actor: "test", budgetMs: 120_000 };
  await Promise.all(rows.map((row) => broadcastWithdrawal(world.deps, row, order)));
  const ids = rows.map(({ id }) => id);
  const paid = await Promise.all(ids.map((id) => withdrawalOf(api, id)));
  const shared = new Set(paid.map((one) => one.tx_hash));
  assert.ok(shared.size < ids.length, "Some share a transaction");
  await turn(18);
  const state = async () => [
    await balanceOf(api, "LTC"),
    (await depositsOf(api)).map(({ status, amount_decimal }) => `${amount_decimal} ${status}`),
    (await transactionsOf(api)).length,
  ];
  const before = await state();
  await backup.bringBack();
  for (let i = 0; i < 8; i++) await world.round();
  const { deps } = world;
  const { left } = await adoptAll(deps, ORDER);
  assert.deepEqual(left.map(keyOf).toSorted(), orders.map(keyOf).toSorted());
  const open = new Set(orders);
  const several = new Map<string, Map<number, PayoutTerms>>();
  for (const one of left) {
    const order = [...open].find((order) => keyOf(order) === keyOf(one))!;
    open.delete(order);
    const { reference } = order;
    const terms: PayoutTerms = reference === waiting.clientReference
      ? { ...TERMS, withdrawal: waiting.id }
      : { ...TERMS, withdrawal: "new", keyId, reference };
    // One that waits for the same isn't meant, because another output paid it.
    if (one.output !== null) {
      several.getOrInsertComputed(one.txHash, () => new Map()).set(one.output, asListed(terms));
    } else await adoptByHash(deps, { ...ORDER, txHash: one.txHash, terms });
  }
  // The one that the books wait for comes first: nothing else is taken for it then.
  const isWaiting = ([, payouts]: [string, Map<number, PayoutTerms>]) =>
    [...payouts.values()].some(({ withdrawal }) => withdrawal === waiting.id);
  const inTurn = [...several].toSorted((a, b) => Number(isWaiting(b)) - Number(isWaiting(a)));
  for (const [txHash, payouts] of inTurn) {
    const adopt = (payouts?: ReadonlyMap<number, PayoutTerms>) =>
      adoptByHash(deps, { ...ORDER, txHash, terms: { ...TERMS, ...payouts && { payouts } } });
    await assert.rejects(adopt(), /paid several/);
    await assert.rejects(adopt(new Map([...payouts].slice(1))), /nothing says which withdrawal/);
    const more = new Map([...payouts, [99, TERMS]]);
    await assert.rejects(adopt(more), /no payout that has to be named/);
    const booked = await adopt(payouts);
    assert.deepEqual(await adopt(payouts), booked);
  }
  await world.round();
  assert.deepEqual(await state(), before);
  const again = await Promise.all(orders.map((order) => withdraw(api, { ...LTC, ...order })));
  assert.deepEqual(again.map(({ body }) => body.data.status), orders.map(() => "confirmed"));
  await resumeWallet(deps, { ...ORDER, address: hotWallet });
  const { differences, surplus, skipped } = await reconcile(deps, { network: "LTC" });
  assert.deepEqual([differences, surplus, skipped], [[], [], []]);
});

function asListed(terms: PayoutTerms): PayoutTerms {
  return terms.withdrawal === "new" ? { ...terms, withdrawal: undefined } : terms;
}

interface Order {
  readonly to: string;
  readonly amount: string;
  readonly reference: string;
}

function keyOf({ to, amount }: { readonly to: string | null; readonly amount: string | null }) {
  return `${amount} ${to}`;
}

Deno.test("while a payment that the restored books don't know waits in the mempool, the wallet stays halted", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinLater(node);
  const { merchant: { api, hotWallet } } = world;
  const to: string = await node.rpc("getnewaddress", [], "payer");
  const { address } = await allocate(api, LTC);
  await node.pay(address, "1.25");
  await node.pay(hotWallet, "3");
  await node.mine(3);
  await world.round();
  await using backup = await takeBackup(world);
  const paid = await withdraw(api, { ...LTC, to, amount: "0.5" });
  assert.equal(paid.body.data.status, "broadcasted", JSON.stringify(paid.body));
  await backup.bringBack();
  await world.round();
  await assert.rejects(
    resumeWallet(world.deps, { ...ORDER, address: hotWallet }),
    /One payment sent by .* is waiting in a node.s pool/,
  );
});

Deno.test("addresses given since the backup are found by what lies there, and booked to whom is named", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinLater(node);
  const { merchant: { accountId } } = world;
  const other = await world.addMerchant("Other");
  await allocate(world.merchant.api, LTC);
  await node.mine(1);
  await world.round();
  await using backup = await takeBackup(world);
  const { address: lost } = await allocate(other.api, LTC);
  const { address: unpaid } = await allocate(other.api, LTC);
  await node.pay(lost, "1.25");
  const from: number = await node.rpc("getblockcount");
  await node.mine(3);
  await world.round();
  assert.equal((await balanceOf(other.api, "LTC")).balance, "1.25");
  await backup.bringBack();
  await world.round();
  const { deps } = world;
  const asked = { network: "LTC", isApplied: false };
  const listed = await recover(deps, asked);
  assert.deepEqual(shownOf(listed), [[lost, "lost", "1.25 LTC"]]);
  assert.equal(listed.addresses[0]?.accountId, null);
  await assert.rejects(recover(deps, { ...asked, isApplied: true }), /don't show whose addresses/);
  const booked = await recover(deps, {
    ...{ network: "LTC", isApplied: true },
    accountId: other.accountId,
    addresses: [lost, unpaid],
  });
  assert.deepEqual(shownOf(booked), [[lost, "booked", "1.25 LTC"], [unpaid, "booked"]]);
  await rescan(deps, { ...ORDER, fromBlock: from, toBlock: undefined });
  await world.round();
  assert.equal((await balanceOf(other.api, "LTC")).balance, "1.25");
  assert.notEqual(accountId, other.accountId);
  const { differences, surplus, skipped } = await reconcile(deps, { network: "LTC" });
  assert.deepEqual([differences, surplus, skipped], [[], [], []]);
});

Deno.test("after a restore new hot wallets are halted: a lost one may have had their key", async () => {
  await using node = await startLitecoind({ blocks: 1 });
  await using world = await startLitecoinLater(node);
  await using backup = await takeBackup(world);
  const lost = await world.addMerchant("Lost");
  await backup.bringBack();
  const again = await world.addMerchant("Another");
  assert.equal(again.hotWallet, lost.hotWallet);
  const wallet = await world.deps.db.find(Addresses, ["LTC", again.hotWallet], "address");
  assert.equal(wallet?.haltedCode, "made_again");
});

Deno.test("a sweep of several addresses made after the backup is booked as it was", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startTurningWorld({ node });
  const { deps, merchant: { api, accountId } } = world;
  const { address: known } = await allocate(api, LTC);
  await node.pay(known, "1.25");
  await world.turn(3);
  await using backup = await takeBackup(world);
  const from: number = await node.rpc("getblockcount");
  const { address: lost } = await allocate(api, LTC);
  await node.pay(lost, "2");
  await world.turn(3);
  const to: string = await node.rpc("getnewaddress", [], "payer");
  await setReceivingWallet(deps, { accountId, network: "LTC", address: to, actor: "test" });
  await world.turn(18);
  const listed = async () =>
    (await transactionsOf(api)).map(({ direction, status, amount_decimal: amount }) =>
      [direction, status, amount].join(" ")
    ).toSorted();
  const feesOf = async () =>
    (await world.deps.db.rows(SignedTransactions, "ORDER BY id")).map(({ feeRaw }) => feeRaw);
  const [before, fees] = [await listed(), await feesOf()];
  assert.equal(fees.length, 1);
  assert.deepEqual(before, [
    ...["deposit swept 1.25", "deposit swept 2"],
    ...["sweep confirmed 1.25", "sweep confirmed 2"],
  ]);
  await backup.bringBack();
  const again = { accountId, network: "LTC", address: to, actor: "test" };
  await setReceivingWallet(world.deps, again);
  for (let i = 0; i < 8; i++) await world.round();
  await recover(world.deps, { network: "LTC", accountId, addresses: [lost], isApplied: true });
  await rescan(world.deps, { ...ORDER, fromBlock: from, toBlock: undefined });
  const { left } = await adoptAll(world.deps, ORDER);
  assert.deepEqual(left, []);
  await world.round();
  assert.deepEqual([await listed(), await feesOf()], [before, fees]);
  const { differences, surplus, skipped } = await reconcile(world.deps, { network: "LTC" });
  assert.deepEqual([differences, surplus, skipped], [[], [], []]);
});
