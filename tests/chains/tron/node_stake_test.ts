import assert from "node:assert/strict";
import {
  increase,
  limitOf,
  stakeOf,
  takeOver,
  UNUSED,
  usedNow,
} from "../../../src/sandbox/tron_node/resources.ts";
import type { Reply } from "../../support/nodes/anvil.ts";
import { startTronNode, type TronNode } from "../../support/tron_node/start.ts";
import { tronWallet } from "../../support/nodes/tron_web.ts";
import { ask, send, tokenScene, TRX } from "./scene.ts";

const DAY_MS = 86_400_000;
const DAY = 28_800_000n;
/** Energy for each TRX, at the end of November: 180 thousand million by 19 thousand million. */
const MAINNET = { limit: 180_000_000_000n, weight: 19_000_000_000n };
const USDT_TRANSFER = 64_285;

type Account = ReturnType<typeof tronWallet>;

/** The result of a transaction that tronweb builds, signs and sends, once it is mined. */
async function done(node: TronNode, by: Account, built: Promise<Reply>): Promise<Reply> {
  const answer = await send(node, await by.web.trx.sign(await built));
  assert.equal(answer.result, true, answer.message);
  node.produce();
  return await ask(node, "/wallet/gettransactioninfobyid", { value: answer.txid });
}

async function refused(node: TronNode, by: Account, built: Promise<Reply>): Promise<string> {
  const { code, message } = await send(node, await by.web.trx.sign(await built));
  assert.equal(code, "CONTRACT_VALIDATE_ERROR");
  return message.replace("Contract validate error : ", "");
}

/** An account with a stake for energy, and others that are activated. */
async function staked(node: TronNode, trx: bigint) {
  const owner = tronWallet(node, "owner");
  const other = tronWallet(node, "other");
  node.fund(owner.address, 100_000n * TRX);
  node.fund(other.address, 1n);
  if (trx > 0n) await done(node, owner, freeze(owner, trx));
  return { owner, other };
}

function freeze({ web, address }: Account, trx: bigint): Promise<Reply> {
  return web.transactionBuilder.freezeBalanceV2(Number(trx * TRX), "ENERGY", address);
}

function lend({ web, address }: Account, to: string, trx: number): Promise<Reply> {
  const sun = trx * Number(TRX);
  return web.transactionBuilder.delegateResource(sun, to, "ENERGY", address);
}

function takeBack({ web, address }: Account, to: string, trx: number): Promise<Reply> {
  const sun = trx * Number(TRX);
  return web.transactionBuilder.undelegateResource(sun, to, "ENERGY", address);
}

async function accountOf(node: TronNode, { address }: { address: string }): Promise<Reply> {
  return await ask(node, "/wallet/getaccount", { address, visible: true });
}

async function energyOf(node: TronNode, { address }: { address: string }) {
  const resources = await ask(node, "/wallet/getaccountresource", { address, visible: true });
  return { limit: resources.EnergyLimit ?? 0, used: resources.EnergyUsed ?? 0, resources };
}

async function lendable(node: TronNode, { address }: { address: string }): Promise<number> {
  const asked = { owner_address: address, type: 1, visible: true };
  return (await ask(node, "/wallet/getcandelegatedmaxsize", asked)).max_size ?? 0;
}

Deno.test("a stake gives its part of the energy that all stakes share, and costs bandwidth only", async () => {
  await using node = await startTronNode();
  const { owner } = await staked(node, 0n);
  const before = node.balanceOf(owner.address);

  const info = await done(node, owner, freeze(owner, 10_000n));

  assert.deepEqual([info.fee, info.receipt], [undefined, { net_usage: 254 }]);
  assert.equal(before - node.balanceOf(owner.address), 10_000n * TRX);
  const { limit, used, resources } = await energyOf(node, owner);
  assert.equal(resources.TotalEnergyWeight, 19_000_010_000);
  assert.equal(limit, Math.trunc(10_000 * (180_000_000_000 / 19_000_010_000)));
  assert.equal(used, 0);
  const { frozenV2 } = await accountOf(node, owner);
  assert.deepEqual(frozenV2, [{}, { type: "ENERGY", amount: 10_000_000_000 }, {
    type: "TRON_POWER",
  }]);
  assert.equal(await lendable(node, owner), 10_000_000_000);
});

Deno.test("what can't be staked is refused in the words of the main net", async () => {
  await using node = await startTronNode();
  const { owner } = await staked(node, 0n);
  const stranger = tronWallet(node, "nobody");
  const build = (frozen_balance: number, owner_address = owner.address) =>
    ask(node, "/wallet/freezebalancev2", {
      owner_address,
      frozen_balance,
      resource: "ENERGY",
      visible: true,
    });
  assert.match((await build(999_999)).Error, /greater than or equal to 1 TRX/);
  assert.match((await build(0)).Error, /must be positive/);
  assert.match((await build(100_000_000_001)).Error, /less than or equal to accountBalance/);
  assert.match((await build(1_000_000, stranger.address)).Error, /Account\[T\w+\] not exists/);
  const built = await build(1_000_000);
  assert.equal(built.raw_data.contract[0].type, "FreezeBalanceV2Contract");
  await done(node, owner, Promise.resolve(built));
  assert.equal((await energyOf(node, owner)).limit, 9);
});

Deno.test("an unfrozen stake waits 14 days, 32 may wait, and the next one collects what is over", async () => {
  await using node = await startTronNode();
  const { owner } = await staked(node, 100n);
  const { web, address } = owner;
  const unfreeze = (trx: number) =>
    web.transactionBuilder.unfreezeBalanceV2(trx * Number(TRX), "ENERGY", address);
  assert.match(
    await refused(node, owner, unfreeze(101)),
    /Invalid unfreeze_balance, \[101000000\]/,
  );
  for (let i = 0; i < 32; i++) await done(node, owner, unfreeze(1));
  assert.match(await refused(node, owner, unfreeze(1)), /unfreezing times is over limit/);
  const { unfrozenV2, frozenV2 } = await accountOf(node, owner);
  assert.equal(unfrozenV2.length, 32);
  assert.equal(frozenV2[1].amount, 68_000_000);
  const first = unfrozenV2[0].unfreeze_expire_time;
  assert.equal(unfrozenV2[0].unfreeze_amount, 1_000_000);
  const withdraw = () => web.transactionBuilder.withdrawExpireUnfreeze(address);
  assert.match(await refused(node, owner, withdraw()), /no unFreeze balance to withdraw/);

  node.setTime(first - 3_000);
  node.produce();
  assert.match(await refused(node, owner, withdraw()), /no unFreeze balance to withdraw/);
  node.produce();
  const before = node.balanceOf(address);
  const one = await done(node, owner, withdraw());
  assert.equal(one.withdraw_expire_amount, 1_000_000);
  assert.equal(node.balanceOf(address), before + TRX - BigInt(one.fee ?? 0));
  node.setTime(first + 60_000);
  node.produce();
  const next = await done(node, owner, unfreeze(1));
  assert.ok(next.withdraw_expire_amount > 1_000_000);
  const left = (await accountOf(node, owner)).unfrozenV2.length;
  assert.equal(left, 32 - next.withdraw_expire_amount / 1_000_000);

  const cancel = await done(node, owner, web.transactionBuilder.cancelUnfreezeBalanceV2(address));
  const collected = (cancel.withdraw_expire_amount ?? 0) / 1_000_000;
  assert.ok(collected < left);
  const restaked = 67 + left - collected;
  assert.equal((await accountOf(node, owner)).frozenV2[1].amount, restaked * 1_000_000);
  assert.equal((await accountOf(node, owner)).unfrozenV2, undefined);
  const { resources } = await energyOf(node, owner);
  assert.equal(resources.TotalEnergyWeight, 19_000_000_000 + restaked);
});

Deno.test("lent energy is used first, the rest is burned, and what was used returns with the loan", async () => {
  await using node = await startTronNode();
  const { payer, payee, token, contract } = await tokenScene(node);
  token.mint(payee.address, 1n);
  const { owner } = await staked(node, 10_000n);
  const pay = async () => {
    const txId = await contract.methods.transfer(payee.address, 7_000_000).send();
    node.produce();
    return await ask(node, "/wallet/gettransactioninfobyid", { value: txId });
  };

  const lent = await done(node, owner, lend(owner, payer.address, 7_000));

  assert.deepEqual(lent.receipt, { net_usage: 279 });
  const { limit } = await energyOf(node, payer);
  assert.equal(limit, Math.trunc(7_000 * (180_000_000_000 / 19_000_010_000)));
  assert.equal(await lendable(node, owner), 3_000 * Number(TRX));
  const { receipt } = await pay();
  assert.deepEqual(receipt, {
    energy_usage: USDT_TRANSFER,
    energy_usage_total: USDT_TRANSFER,
    net_usage: 345,
    result: "SUCCESS",
  });
  const second = (await pay()).receipt;
  const recovered = second.energy_usage - (limit - USDT_TRANSFER);
  assert.ok(recovered >= 0 && recovered < 5, "What a slot or two give back");
  assert.equal(second.energy_fee, (USDT_TRANSFER - second.energy_usage) * 100);

  await done(node, owner, takeBack(owner, payer.address, 7_000));

  assert.deepEqual(await energyOf(node, payer).then(({ limit, used }) => [limit, used]), [0, 0]);
  const mine = await energyOf(node, owner);
  assert.ok(mine.used > limit - 50 && mine.used <= limit, `${mine.used} of ${limit}`);
  const free = await lendable(node, owner);
  assert.ok(Math.abs(free - 3_000 * Number(TRX)) < 5 * Number(TRX), String(free));
  node.setTime(node.head.timestampMs + DAY_MS / 2);
  node.produce();
  assert.ok(Math.abs((await energyOf(node, owner)).used - mine.used / 2) < 20);
  node.setTime(node.head.timestampMs + DAY_MS / 2 + 60_000);
  node.produce();
  assert.equal(await lendable(node, owner), 10_000 * Number(TRX));
});

Deno.test("a part of a loan takes back its part of the used energy", async () => {
  await using node = await startTronNode();
  const { payer, payee, token, contract } = await tokenScene(node);
  token.mint(payee.address, 1n);
  const { owner } = await staked(node, 20_000n);
  await done(node, owner, lend(owner, payer.address, 10_000));
  await contract.methods.transfer(payee.address, 7_000_000).send();
  node.produce();
  const { used } = await energyOf(node, payer);

  await done(node, owner, takeBack(owner, payer.address, 2_500));

  const [theirs, mine] = [await energyOf(node, payer), await energyOf(node, owner)];
  assert.ok(Math.abs(mine.used - used / 4) < 10, `${mine.used} of ${used}`);
  assert.ok(Math.abs(theirs.used + mine.used - used) < 10);
  const { account_resource } = await accountOf(node, payer);
  assert.equal(account_resource.acquired_delegated_frozenV2_balance_for_energy, 7_500_000_000);
});

Deno.test("loans are listed by pair and by account until all of them are taken back", async () => {
  await using node = await startTronNode();
  const { owner, other } = await staked(node, 100n);
  const more = tronWallet(node, "more");
  node.fund(more.address, 1n);
  const index = (address: string) =>
    ask(node, "/wallet/getdelegatedresourceaccountindexv2", { value: address, visible: true });
  const loan = (to: string) =>
    ask(node, "/wallet/getdelegatedresourcev2", {
      fromAddress: owner.address,
      toAddress: to,
      visible: true,
    });
  assert.deepEqual(await index(owner.address), { account: owner.address });
  assert.deepEqual(await loan(other.address), {});
  await done(node, owner, lend(owner, other.address, 10));
  await done(node, owner, lend(owner, more.address, 20));
  await done(node, owner, lend(owner, other.address, 5));
  assert.deepEqual(await index(owner.address), {
    account: owner.address,
    toAccounts: [more.address, other.address],
  });
  assert.deepEqual(await index(more.address), {
    account: more.address,
    fromAccounts: [owner.address],
  });
  assert.deepEqual((await loan(other.address)).delegatedResource, [
    { from: owner.address, to: other.address, frozen_balance_for_energy: 15_000_000 },
  ]);
  const { frozenV2, account_resource } = await accountOf(node, owner);
  assert.equal(frozenV2[1].amount, 65_000_000);
  assert.equal(account_resource.delegated_frozenV2_balance_for_energy, 35_000_000);

  await done(node, owner, takeBack(owner, other.address, 15));

  assert.deepEqual((await index(owner.address)).toAccounts, [more.address]);
  assert.deepEqual(await loan(other.address), {});
  const again = await refused(node, owner, takeBack(owner, other.address, 1));
  assert.equal(again, "delegated Resource does not exist");
  const tooMuch = await refused(node, owner, takeBack(owner, more.address, 21));
  assert.equal(
    tooMuch,
    "insufficient delegateFrozenBalance(Energy), request=21000000, unlock_balance=20000000",
  );
});

Deno.test("what can't be lent is refused in the words of the main net", async () => {
  await using node = await startTronNode();
  const { token } = await tokenScene(node);
  const { owner, other } = await staked(node, 100n);
  const build = (fields: Record<string, unknown>) =>
    ask(node, "/wallet/delegateresource", {
      owner_address: owner.address,
      receiver_address: other.address,
      balance: 1_000_000,
      resource: "ENERGY",
      visible: true,
      ...fields,
    });
  const rows: readonly [fields: Record<string, unknown>, words: RegExp][] = [
    [{ balance: 999_999 }, /delegateBalance must be greater than or equal to 1 TRX/],
    [{ balance: 100_000_001 }, /less than or equal to available FreezeEnergyV2 balance/],
    [{ resource: "BANDWIDTH" }, /less than or equal to available FreezeBandwidthV2 balance/],
    [{ receiver_address: owner.address }, /must not be the same as ownerAddress/],
    [{ receiver_address: tronWallet(node, "nobody").address }, /Account\[T\w+\] not exists/],
    [{ receiver_address: token.address }, /Do not allow delegate resources to contract addresses/],
  ];
  for (const [fields, words] of rows) assert.match((await build(fields)).Error, words);
  assert.equal((await build({})).raw_data.contract[0].type, "DelegateResourceContract");
});

Deno.test("a reorganisation takes stakes and loans back, and the solid view shows them later", async () => {
  await using node = await startTronNode();
  const { owner, other } = await staked(node, 100n);
  node.produce(19);
  await done(node, owner, lend(owner, other.address, 10));
  const resource = async (view: string) => {
    const account = await ask(node, `/${view}/getaccount`, {
      address: owner.address,
      visible: true,
    });
    return account.account_resource.delegated_frozenV2_balance_for_energy ?? 0;
  };
  assert.deepEqual([await resource("wallet"), await resource("walletsolidity")], [10_000_000, 0]);
  node.reorg(1, { transactions: "gone" });
  assert.equal(await resource("wallet"), 0);
  assert.equal(await lendable(node, owner), 100_000_000);
});

Deno.test("used energy recovers evenly in a day, and mixed with more as late as its mean", () => {
  const used = increase(UNUSED, 64_285n, 0);
  assert.deepEqual(used, { used: 64_285n, atMs: 0, window: DAY });
  assert.equal(usedNow(used, DAY_MS / 4), 48_213n);
  assert.equal(usedNow(used, DAY_MS), 0n);
  const more = increase(used, 64_285n, DAY_MS / 2);
  assert.equal(more.used, 96_427n);
  // A third of it is back in half a day, the rest in a whole one.
  assert.ok(more.window > 23_999_000n && more.window < 24_001_000n, String(more.window));
  assert.equal(usedNow(more, DAY_MS / 2 + DAY_MS * 5 / 6 + 3_000), 0n);
});

Deno.test("a use that comes back with a loan recovers when it would have recovered there", () => {
  const there = increase(increase(UNUSED, 60_000n, 0), 0n, DAY_MS / 2);
  const back = takeOver(UNUSED, { amount: there.used, window: there.window }, DAY_MS / 2);
  assert.equal(back.used, 30_000n);
  assert.equal(usedNow(back, DAY_MS * 3 / 4), 15_000n);
  assert.equal(usedNow(back, DAY_MS), 0n);
});

Deno.test("a stake gives the energy that stakes the same amount again", () => {
  assert.equal(limitOf(10_000_000_000n, MAINNET), 94_736n);
  const stake = stakeOf(94_736n, MAINNET);
  assert.ok(stake <= 10_000_000_000n && stake > 9_999_900_000n, String(stake));
  assert.equal(limitOf(1_000_000n, { limit: 1n, weight: 0n }), 0n);
});
