import assert from "node:assert/strict";
import { present } from "../../../src/base/assert.ts";
import type { Chain } from "../../../src/chains/chain.ts";
import type { StakeOrder } from "../../../src/chains/energy.ts";
import { energyOf } from "../../../src/domain/energy.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import { startTronNode, type TronNode } from "../../support/tron_node/start.ts";
import { makeTronWallet } from "../../support/nodes/tron_wallet.ts";
import { tronWallet } from "../../support/nodes/tron_web.ts";
import { send } from "./scene.ts";
import { answering, chainOf, fundBoth, receiver, sender, TRX } from "./sending.ts";

const DAY_MS = 86_400_000;
const FROM = sender.address;

function energyIn(chain: Chain) {
  return present(chain.energy, "TRON has energy");
}

function everybody(addresses: readonly string[]): Promise<ReadonlySet<string>> {
  return Promise.resolve(new Set(addresses));
}

type Order = Partial<StakeOrder> & Pick<StakeOrder, "kind">;

async function prepared(chain: Chain, order: Order) {
  const whole = { from: FROM, to: null, amountRaw: 0n, ...order };
  const preflight = await energyIn(chain).prepareStake(whole);
  if (preflight.kind === "refused") throw new Error(preflight.reason);
  return preflight.prepared;
}

/** Prepares, signs and sends it, and has it mined. */
async function done(node: TronNode, chain: Chain, order: Order) {
  const ready = await prepared(chain, order);
  const nonce = node.head.timestampMs + 600_000;
  const signed = await chain.signTransfer(ready, { nonce, signer: sender.signer });
  assert.deepEqual(await chain.broadcast(signed.raw), { kind: "accepted" });
  node.produce();
  return { ...signed, ready };
}

async function refusal(chain: Chain, order: Order): Promise<string> {
  const preflight = await energyIn(chain).prepareStake({
    from: FROM,
    to: null,
    amountRaw: 0n,
    ...order,
  });
  return preflight.kind === "refused" ? `${preflight.cause}: ${preflight.reason}` : "ready";
}

Deno.test("coins are staked, lent, taken back, unstaked and collected, and the balance is known after each", async () => {
  await using node = await startTronNode();
  fundBoth(node, 20_000n * TRX);
  const chain = chainOf(node.url);
  const { stakeOf, loansOf } = energyIn(chain);
  const balance = async () => (await chain.walletState(FROM, [])).nativeRaw;

  const staked = await done(node, chain, { kind: "stake", amountRaw: 10_000n * TRX });

  assert.equal(staked.ready.nativeCostMaxRaw, 10_000n * TRX, "within the free bandwidth");
  assert.equal(await balance(), node.balanceOf(FROM));
  const first = await stakeOf(FROM);
  assert.deepEqual([first.stakedRaw, first.lentRaw, first.lendableRaw], [
    10_000n * TRX,
    0n,
    10_000n * TRX,
  ]);
  assert.equal(first.energy.limit, energyOf(first.stakedRaw, first.rate));
  assert.deepEqual(first.bandwidth.free, { limit: 600n, used: 254n });
  assert.deepEqual(first.unstaking, []);
  assert.deepEqual(await loansOf(FROM, everybody), []);

  await done(node, chain, { kind: "lend", to: receiver, amountRaw: 7_000n * TRX });

  assert.equal(await balance(), node.balanceOf(FROM));
  const lent = await stakeOf(FROM);
  assert.deepEqual([lent.stakedRaw, lent.lentRaw, lent.lendableRaw], [
    10_000n * TRX,
    7_000n * TRX,
    3_000n * TRX,
  ]);
  assert.deepEqual(await loansOf(FROM, everybody), [{ to: receiver, amountRaw: 7_000n * TRX }]);
  const theirs = await energyIn(chain).quotaOf(receiver);
  assert.deepEqual(theirs, { limit: energyOf(7_000n * TRX, lent.rate), used: 0n });

  const back = await done(node, chain, {
    kind: "take_back",
    to: receiver,
    amountRaw: 7_000n * TRX,
  });

  assert.equal(back.ready.feeAtMostRaw, 281_000n, "the free bandwidth is used up");
  assert.equal(await balance(), node.balanceOf(FROM));
  assert.deepEqual(await loansOf(FROM, everybody), []);
  await done(node, chain, { kind: "unstake", amountRaw: 4_000n * TRX });
  assert.equal(await balance(), node.balanceOf(FROM));
  const waiting = (await stakeOf(FROM)).unstaking;
  assert.deepEqual(waiting.map(({ amountRaw }) => amountRaw), [4_000n * TRX]);
  assert.equal(await energyIn(chain).unstakingDays(), 14);
  assert.match(await refusal(chain, { kind: "collect" }), /^reverts: no unFreeze balance/);
  node.setTime(node.head.timestampMs + 14 * DAY_MS);
  node.produce();

  const before = node.balanceOf(FROM);
  const collected = await done(node, chain, { kind: "collect" });

  assert.equal(node.balanceOf(FROM), before + 4_000n * TRX);
  assert.equal(await balance(), node.balanceOf(FROM));
  assert.deepEqual((await stakeOf(FROM)).unstaking, []);
  node.produce(20);
  const outcome = await chain.outcome({ ...collected, sender: FROM }, { depth: 1 });
  assert.deepEqual([outcome.kind, "succeeded" in outcome && outcome.succeeded], ["included", true]);
});

Deno.test("what an unstaking pays out and what ends it early is in the balance of its block", async () => {
  await using node = await startTronNode();
  fundBoth(node, 1_000n * TRX);
  const chain = chainOf(node.url);
  await done(node, chain, { kind: "stake", amountRaw: 500n * TRX });
  await done(node, chain, { kind: "unstake", amountRaw: 100n * TRX });
  node.setTime(node.head.timestampMs + 14 * DAY_MS);
  node.produce();
  await done(node, chain, { kind: "unstake", amountRaw: 200n * TRX });
  assert.equal((await chain.walletState(FROM, [])).nativeRaw, node.balanceOf(FROM));
  const { web } = tronWallet(node, "anybody");
  const restake = await web.transactionBuilder.cancelUnfreezeBalanceV2(FROM);
  await send(node, await web.trx.sign(restake, sender.privateKey));
  node.produce();
  assert.equal((await energyIn(chain).stakeOf(FROM)).stakedRaw, 400n * TRX);
  assert.equal((await chain.walletState(FROM, [])).nativeRaw, node.balanceOf(FROM));
});

Deno.test("what the chain would not accept is refused before it is signed", async () => {
  await using node = await startTronNode();
  fundBoth(node, 1_000n * TRX);
  const token = node.deployToken({ name: "Tether USD", symbol: "USDT", decimals: 6 });
  const chain = chainOf(node.url);
  const nobody = makeTronWallet(77).address;
  const rows: readonly [order: Order, words: RegExp][] = [
    [{ kind: "stake", amountRaw: TRX - 1n }, /^reverts: frozenBalance must be greater/],
    [{ kind: "stake", amountRaw: 1_001n * TRX }, /^reverts: frozenBalance must be less/],
    [{ kind: "unstake", amountRaw: TRX }, /^reverts: no frozenBalance/],
    [{ kind: "lend", to: receiver, amountRaw: TRX }, /^reverts: delegateBalance must be less/],
    [{ kind: "take_back", to: receiver, amountRaw: TRX }, /^reverts: delegated Resource does not/],
    [
      { kind: "stake", from: nobody, amountRaw: TRX },
      /^unaffordable: the account is not activated/,
    ],
  ];
  for (const [order, words] of rows) assert.match(await refusal(chain, order), words);
  await done(node, chain, { kind: "stake", amountRaw: 500n * TRX });
  const lending: readonly [order: Order, words: RegExp][] = [
    [{ kind: "lend", to: nobody, amountRaw: TRX }, /^reverts: Account\[T\w+\] not exists/],
    [{ kind: "lend", to: token.address, amountRaw: TRX }, /^reverts: Do not allow .* contract/],
    [{ kind: "lend", to: FROM, amountRaw: TRX }, /^reverts: nothing can be sent to the address/],
    [{ kind: "lend", to: receiver, amountRaw: TRX }, /^ready$/],
  ];
  for (const [order, words] of lending) assert.match(await refusal(chain, order), words);
  const above = await energyIn(chain).prepareStake(
    { kind: "lend", from: FROM, to: receiver, amountRaw: TRX },
    { feeMaxFor: () => 100_000n },
  );
  assert.equal(above.kind === "refused" && above.cause, "above_fee_max");
  node.setOwner(FROM, nobody);
  const given = await refusal(chain, { kind: "stake", amountRaw: TRX });
  assert.match(given, /^reverts: the permissions of the sender were changed/);
});

Deno.test("only the loans to our own addresses are asked for", async () => {
  await using node = await startTronNode();
  fundBoth(node, 1_000n * TRX);
  const stranger = makeTronWallet(78).address;
  node.fund(stranger, 1n);
  const chain = chainOf(node.url);
  await done(node, chain, { kind: "stake", amountRaw: 500n * TRX });
  await done(node, chain, { kind: "lend", to: stranger, amountRaw: 100n * TRX });
  await done(node, chain, { kind: "lend", to: receiver, amountRaw: 7n * TRX });
  const asked: string[][] = [];
  const loans = await energyIn(chain).loansOf(FROM, (borrowers) => {
    asked.push([...borrowers]);
    return Promise.resolve(new Set([receiver]));
  });
  assert.deepEqual(loans, [{ to: receiver, amountRaw: 7n * TRX }]);
  assert.deepEqual(asked, [[stranger, receiver]]);
  const calls = node.door.calls.filter(({ path }) => path === "/wallet/getdelegatedresourcev2");
  assert.equal(calls.length, 1);
});

Deno.test("a signed change of a stake is read back from its bytes, and can be sent again", async () => {
  await using node = await startTronNode();
  fundBoth(node, 1_000n * TRX);
  const chain = chainOf(node.url);
  const amountRaw = 500n * TRX;
  const staked = await done(node, chain, { kind: "stake", amountRaw });
  const lent = await done(node, chain, { kind: "lend", to: receiver, amountRaw: 5n * TRX });
  const rows = [
    [staked, { kind: "stake", amountRaw, to: null }],
    [lent, { kind: "lend", amountRaw: 5n * TRX, to: receiver }],
  ] as const;
  for (const [{ raw, txHash, nonce }, stake] of rows) {
    const read = await chain.sentBytes(txHash);
    assert.deepEqual(read, { txHash, sender: FROM, nonce, raw, payment: null, stake });
  }
});

Deno.test("an address that was never activated has no stake and no energy", async () => {
  await using node = await startTronNode();
  const { stakeOf, quotaOf, loansOf } = energyIn(chainOf(node.url));
  const { stakedRaw, lendableRaw, rate, energy } = await stakeOf(receiver);
  assert.deepEqual([stakedRaw, lendableRaw, energyOf(TRX, rate)], [0n, 0n, 0n]);
  assert.deepEqual([energy, await quotaOf(receiver)], [
    { limit: 0n, used: 0n },
    { limit: 0n, used: 0n },
  ]);
  assert.deepEqual(await loansOf(receiver, everybody), []);
});

Deno.test("a node that answers another account, another loan or nothing is at fault", async () => {
  await using node = await startTronNode();
  fundBoth(node, 1_000n * TRX);
  const chain = chainOf(node.url);
  const { stakeOf, loansOf } = energyIn(chain);
  await done(node, chain, { kind: "stake", amountRaw: 500n * TRX });
  await done(node, chain, { kind: "lend", to: receiver, amountRaw: 5n * TRX });
  const other = `41${"00".repeat(20)}`;
  node.door.onCall = answering("/wallet/getaccount", { address: other });
  await assert.rejects(stakeOf(FROM), NodeError);
  const loan = { from: other, to: other, frozen_balance_for_energy: 1 };
  node.door.onCall = answering("/wallet/getdelegatedresourcev2", { delegatedResource: [loan] });
  await assert.rejects(loansOf(FROM, everybody), NodeError);
  node.door.onCall = answering("/wallet/freezebalancev2", {});
  await assert.rejects(refusal(chain, { kind: "stake", amountRaw: TRX }), NodeError);
  node.door.onCall = answering("/wallet/freezebalancev2", { Error: "class Other : out of memory" });
  await assert.rejects(refusal(chain, { kind: "stake", amountRaw: TRX }), NodeError);
});
