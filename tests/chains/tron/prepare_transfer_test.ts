import assert from "node:assert/strict";
import type { Preflight, PreparedTransfer, TransferRequest } from "../../../src/chains/transfer.ts";
import type { TronDetail } from "../../../src/chains/tron/transfers/transaction.ts";
import { startTronNode, type TronNode } from "../../support/tron_node/start.ts";
import { makeTronWallet } from "../../support/nodes/tron_wallet.ts";
import { answering, chainOf, fundBoth, makeTransfer, receiver, sender, TRX } from "./sending.ts";

const USDT = { name: "Tether USD", symbol: "USDT", decimals: 6 };
const FRESH = makeTronWallet(44).address;

function prepare(node: TronNode, order: Partial<TransferRequest> = {}): Promise<Preflight> {
  const request = { from: sender.address, to: receiver, contract: null, amountRaw: TRX, ...order };
  return chainOf(node.url).prepareTransfer(request);
}

async function ready(node: TronNode, order: Partial<TransferRequest> = {}) {
  const preflight = await prepare(node, order);
  assert.ok(preflight.kind === "ready");
  return preflight.prepared;
}

async function refused(node: TronNode, order: Partial<TransferRequest> = {}) {
  const preflight = await prepare(node, order);
  assert.ok(preflight.kind === "refused");
  return preflight;
}

function feeLimitOf({ detail }: PreparedTransfer): bigint {
  return (detail as TronDetail).feeLimitRaw;
}

/** The real cost of the payment once it is mined. */
async function costOf(node: TronNode, order: Parameters<typeof makeTransfer>[1]): Promise<bigint> {
  const chain = chainOf(node.url);
  const before = node.balanceOf(sender.address);
  const { raw, txHash } = await makeTransfer(chain, order);
  assert.equal((await chain.broadcast(raw)).kind, "accepted");
  const { transactions } = node.produce();
  assert.deepEqual(transactions.map(({ txId, ret }) => [txId, ret!.contractRet]), [
    [txHash, "SUCCESS"],
  ]);
  return before - node.balanceOf(sender.address);
}

Deno.test("coins cost their bytes, or nothing with bandwidth, and the estimate is what is burned", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  assert.equal((await ready(node)).feeAtMostRaw, 0n);
  assert.equal(await costOf(node, { amountRaw: TRX }), TRX);
  assert.equal(await costOf(node, { amountRaw: TRX }), TRX, "600 are free a day");
  const { feeAtMostRaw, nativeCostMaxRaw } = await ready(node);
  assert.equal(feeAtMostRaw, 267_000n, "203 bytes of its own and 64 for its result");
  assert.equal(nativeCostMaxRaw, TRX + feeAtMostRaw);
  assert.equal(await costOf(node, { amountRaw: TRX }), nativeCostMaxRaw);
  node.setChainParameters({ getTransactionFee: 2_000n });
  assert.equal((await ready(node)).feeAtMostRaw, 2n * feeAtMostRaw);
  node.setResources(sender.address, { net: 10_000n });
  assert.equal((await ready(node)).feeAtMostRaw, 0n);
});

Deno.test("an address that was never used costs 1.1 TRX more, even with free bandwidth (hazard T10)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  assert.equal((await ready(node, { to: FRESH })).feeAtMostRaw, 1_100_000n);
  assert.equal(await costOf(node, { to: FRESH, amountRaw: TRX }), TRX + 1_100_000n);
  assert.equal((await ready(node, { to: FRESH })).feeAtMostRaw, 0n);
});

Deno.test("an address that never had a coin can't send, and its tokens wait for gas (hazard T10)", async () => {
  await using node = await startTronNode();
  const token = node.deployToken(USDT);
  token.mint(sender.address, 100n);
  assert.equal((await refused(node)).cause, "unaffordable");
  const prepared = await ready(node, { contract: token.address, amountRaw: 7n });
  assert.ok(prepared.nativeCostMaxRaw > 13n * TRX);
});

Deno.test("a token's energy is paid with a fifth more, minus the stake, and capped (hazard T11)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken(USDT);
  token.mint(sender.address, 10_000n);
  const order = { contract: token.address, amountRaw: 7n };
  const energy = 130_285n;
  const first = await ready(node, order);
  assert.equal(feeLimitOf(first), energy * 6n / 5n * 100n);
  assert.equal(await costOf(node, order), energy * 100n);
  const second = await ready(node, order);
  assert.ok(feeLimitOf(second) < feeLimitOf(first) * 6n / 10n, "The receiver holds some by now");
  node.setChainParameters({ getEnergyFee: 210n });
  assert.equal(feeLimitOf(await ready(node, order)), feeLimitOf(second) / 100n * 210n);
  node.setResources(sender.address, { energy: 1_000_000n, net: 10_000n });
  const staked = await ready(node, order);
  assert.equal(staked.nativeCostMaxRaw, 0n);
  assert.equal(
    feeLimitOf(staked),
    feeLimitOf(second) / 100n * 210n,
    "Staked energy counts in it too",
  );
  assert.equal(await costOf(node, order), 0n);
  node.setChainParameters({ getEnergyFee: 100_000n });
  assert.equal((await refused(node, order)).cause, "too_expensive");
  node.setChainParameters({ getEnergyFee: 210n, getMaxFeeLimit: 1_000_000n });
  assert.equal((await refused(node, order)).cause, "too_expensive");
});

Deno.test("a price above the operator's limit is refused", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken(USDT);
  token.mint(sender.address, 100n);
  const chain = chainOf(node.url);
  const request = { from: sender.address, to: receiver, contract: token.address, amountRaw: 7n };
  for (const [gasPriceMaxRaw, kind] of [[99n, "refused"], [100n, "ready"]] as const) {
    assert.equal((await chain.prepareTransfer(request, { gasPriceMaxRaw })).kind, kind);
  }
});

Deno.test("energy reserved for a recipient who may empty his balance stops at the limit", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken(USDT);
  token.mint(sender.address, 100n);
  token.mint(receiver, 1n);
  const chain = chainOf(node.url);
  const order = { from: sender.address, to: receiver, contract: token.address, amountRaw: 7n };
  const limitOf = async (asToNewHolder: boolean, gasMax: bigint | null) => {
    const reported = await chain.prepareTransfer({ ...order, asToNewHolder }, { gasMax });
    return reported.kind === "ready" ? feeLimitOf(reported.prepared) : reported.cause;
  };
  const perEnergy = 100n;
  const [plain, roomy] = [await limitOf(false, null), await limitOf(true, null)];
  assert.ok(typeof plain === "bigint" && typeof roomy === "bigint" && roomy > plain);
  const used = (plain / perEnergy) * 5n / 6n;
  for (const over of [0n, 1n, 1_000n]) {
    assert.equal(await limitOf(true, used + over), (used + over) * perEnergy);
  }
  assert.equal(await limitOf(true, used - 1n), "reverts");
});

Deno.test("energy reserved for a recipient who may empty his balance is no reason to call a fee too high", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken(USDT);
  token.mint(sender.address, 100n);
  token.mint(receiver, 1n);
  const chain = chainOf(node.url);
  const order = { from: sender.address, to: receiver, contract: token.address, amountRaw: 7n };
  const ask = (asToNewHolder: boolean, maxRaw: bigint) =>
    chain.prepareTransfer({ ...order, asToNewHolder }, { feeMaxFor: () => maxRaw });
  const preparedFor = async (asToNewHolder: boolean, maxRaw: bigint) => {
    const reported = await ask(asToNewHolder, maxRaw);
    assert.ok(reported.kind === "ready");
    return reported.prepared;
  };
  const [plain, roomy] = [await preparedFor(false, 2n ** 60n), await preparedFor(true, 2n ** 60n)];
  assert.ok(roomy.charge.maxRaw > plain.charge.maxRaw);
  const limits = { exact: roomy.charge.maxRaw, below: roomy.charge.maxRaw - 1n };
  assert.equal(feeLimitOf(await preparedFor(true, limits.exact)), feeLimitOf(roomy));
  for (const maxRaw of [limits.below, plain.charge.maxRaw]) {
    const { charge, ...prepared } = await preparedFor(true, maxRaw);
    assert.deepEqual(charge, plain.charge);
    assert.equal(feeLimitOf({ ...prepared, charge }), feeLimitOf(plain));
  }
  const refused = await ask(true, plain.charge.maxRaw - 1n);
  assert.ok(refused.kind === "refused");
  assert.deepEqual([refused.cause, refused.above], ["above_fee_max", plain.charge]);
});

Deno.test("a token may use its limit of energy and no more, the margin included", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken(USDT);
  token.mint(sender.address, 100n);
  const chain = chainOf(node.url);
  const request = { from: sender.address, to: receiver, contract: token.address, amountRaw: 7n };
  const free = await chain.prepareTransfer(request, { gasMax: null });
  assert.ok(free.kind === "ready");
  const perEnergy = 100n;
  const used = (feeLimitOf(free.prepared) / perEnergy) * 5n / 6n;
  for (const over of [0n, 1n, 1_000n]) {
    const bounded = await chain.prepareTransfer(request, { gasMax: used + over });
    assert.ok(bounded.kind === "ready");
    assert.equal(feeLimitOf(bounded.prepared), (used + over) * perEnergy);
  }
  const over = await chain.prepareTransfer(request, { gasMax: used - 1n });
  assert.deepEqual(over, {
    kind: "refused",
    cause: "reverts",
    reason: "The recipient needs more gas than is allowed",
  });
});

Deno.test("what the chain would refuse is refused before signing (hazard T14)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken(USDT);
  token.mint(sender.address, 100n);
  const contract = token.address;
  for (
    const order of [
      { to: sender.address },
      { to: sender.address, contract, amountRaw: 7n },
      { to: node.deployDisperser(1).base58 },
      { to: contract },
      { amountRaw: 0n },
      { amountRaw: 2n ** 63n },
      { contract, amountRaw: 101n },
    ]
  ) assert.equal((await refused(node, order)).cause, "reverts", JSON.stringify(order.to));
  token.manners.paused = true;
  assert.equal((await refused(node, { contract, amountRaw: 7n })).cause, "reverts");
  token.manners.paused = false;
  token.manners.answers = "false";
  await ready(node, { contract, amountRaw: 7n });
});

Deno.test("a key that is no longer enough is noticed before signing (hazard T15)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken(USDT);
  token.mint(sender.address, 100n);
  node.setOwner(sender.address, makeTronWallet(9).address);
  for (const order of [{}, { contract: token.address, amountRaw: 7n }]) {
    assert.match((await refused(node, order)).reason, /its key alone cannot sign/);
  }
});

Deno.test("a drain leaves nothing, even if bandwidth or an activation costs", async () => {
  await using node = await startTronNode();
  fundBoth(node, 50n * TRX);
  const chain = chainOf(node.url);
  for (const to of [FRESH, receiver, receiver, receiver]) {
    node.setBalance(sender.address, 50n * TRX);
    const spendableRaw = 50n * TRX;
    const preflight = await chain.prepareDrain({
      from: sender.address,
      to,
      amountMaxRaw: spendableRaw,
      spendableRaw,
    });
    assert.ok(preflight.kind === "ready");
    const { nonce } = await chain.walletState(sender.address, []);
    const options = { nonce: nonce + 600_000, signer: sender.signer };
    const { raw } = await chain.signTransfer(preflight.prepared, options);
    assert.equal((await chain.broadcast(raw)).kind, "accepted");
    node.produce();
    assert.equal(node.balanceOf(sender.address), 0n);
  }
  const dust = await chain.prepareDrain({
    from: sender.address,
    to: makeTronWallet(45).address,
    amountMaxRaw: TRX,
    spendableRaw: TRX,
  });
  assert.deepEqual(dust.kind === "refused" && dust.cause, "unaffordable");
});

Deno.test("a node that gives no price or no energy is a fault of the node, never free", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken(USDT);
  token.mint(sender.address, 100n);
  node.door.onCall = answering("/wallet/getchainparameters", { chainParameter: [] });
  await assert.rejects(prepare(node), /gives no getTransactionFee/);
  node.door.onCall = answering("/wallet/triggerconstantcontract", { result: { result: true } });
  await assert.rejects(
    prepare(node, { contract: token.address, amountRaw: 7n }),
    /gives no energy/,
  );
  node.door.onCall = answering("/wallet/getaccount", { address: `41${"0".repeat(40)}` });
  await assert.rejects(prepare(node), /answered another account/);
});

Deno.test("no single one of three nodes decides a price, and nothing exceeds the fee limit", async () => {
  await using first = await startTronNode();
  await using second = await startTronNode();
  await using third = await startTronNode();
  const nodes = [first, second, third];
  const tokens = nodes.map((node) => {
    fundBoth(node);
    const token = node.deployToken(USDT);
    token.mint(sender.address, 100n);
    return token.address;
  });
  assert.equal(new Set(tokens).size, 1);
  first.setChainParameters({ getEnergyFee: 3_000n, getTransactionFee: 900_000n });
  const all = chainOf(...nodes.map(({ url }) => url));
  const tokenOrder = { contract: tokens[0]!, amountRaw: 7n };
  for (const order of [{}, { to: FRESH }, tokenOrder]) {
    const request = {
      from: sender.address,
      to: receiver,
      contract: null,
      amountRaw: TRX,
      ...order,
    };
    const honest = await ready(second, order);
    const reported = await all.prepareTransfer(request);
    assert.ok(reported.kind === "ready");
    const { charge } = reported.prepared;
    assert.deepEqual(charge, honest.charge);
    assert.ok(
      charge.maxRaw >= feeLimitOf(reported.prepared) && charge.maxRaw >= honest.feeAtMostRaw,
    );
    for (
      const [maxRaw, kind] of [[charge.maxRaw, "ready"], [charge.maxRaw - 1n, "refused"]] as const
    ) {
      const preflight = await all.prepareTransfer(request, { feeMaxFor: () => maxRaw });
      assert.equal(preflight.kind, kind);
      if (preflight.kind === "refused") assert.equal(preflight.cause, "above_fee_max");
    }
  }
  const drain = { from: sender.address, to: receiver, amountMaxRaw: TRX, spendableRaw: TRX };
  const refusedDrain = await all.prepareDrain(drain, { feeMaxFor: () => 1n });
  assert.ok(refusedDrain.kind === "refused" && refusedDrain.cause === "above_fee_max");
});
