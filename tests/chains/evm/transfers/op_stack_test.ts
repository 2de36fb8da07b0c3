import assert from "node:assert/strict";
import type { Chain } from "../../../../src/chains/chain.ts";
import { NodeError } from "../../../../src/chains/faults.ts";
import { priceOffered } from "../../../../src/chains/evm/transfers/fees.ts";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import {
  dataFeeMax,
  opStackFeeMax,
  type OpStackPrices,
} from "../../../../src/chains/evm/transfers/op_stack_fee.ts";
import { createChains } from "../../../../src/chains/registry.ts";
import { seededRandom } from "../../../domain/random.ts";
import { type Anvil, startAnvil } from "../../../support/nodes/anvil.ts";
import { deploy, sendTx } from "../../../support/nodes/contracts.ts";
import { makeWallet, type TestWallet } from "../../../support/nodes/evm_wallet.ts";
import { startFaultProxy } from "../../../support/nodes/fault_proxy.ts";
import { balanceOf, ready, refused, send, setBalance } from "./preflights.ts";

const HELD_RAW = 10n ** 18n;
const L1_BLOCK = "0x4200000000000000000000000000000000000015";
const to = makeWallet(900).address;
/** Near those of the main network in a busy hour, and an operator's fee as since Jovian. */
const PRICES: OpStackPrices = {
  l1BaseFeeRaw: 30n * 10n ** 9n,
  l1BlobBaseFeeRaw: 150_000_000n,
  baseFeeScalar: 2_269n,
  blobBaseFeeScalar: 1_055_762n,
  operatorFeeScalar: 0n,
  operatorFeeConstantRaw: 0n,
};
let anvil: Anvil;
let wallets = 0;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil({ args: ["--network", "optimism"] });
  await sendTx(anvil, { to, valueRaw: 1n });
  await setPrices(PRICES);
});
Deno.test.afterAll(() => anvil.stop());

/** Until the end of the block. */
async function charge(prices: OpStackPrices): Promise<AsyncDisposable> {
  await setPrices(prices);
  return { [Symbol.asyncDispose]: () => setPrices(PRICES) };
}

async function setPrices(prices: OpStackPrices): Promise<void> {
  const scalars = prices.baseFeeScalar << 96n | prices.blobBaseFeeScalar << 64n | 3n;
  const operator = 400n << 96n | prices.operatorFeeScalar << 64n | prices.operatorFeeConstantRaw;
  const slots = [[1n, prices.l1BaseFeeRaw], [3n, scalars], [7n, prices.l1BlobBaseFeeRaw], [
    8n,
    operator,
  ]] as const;
  for (const [slot, value] of slots) {
    await anvil.rpc("anvil_setStorageAt", [L1_BLOCK, word(slot), word(value)]);
  }
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

function freshChain(): Chain {
  return connectEvm({ rpcUrls: [anvil.url], feeModel: "op_stack" });
}

async function makeFunded(): Promise<TestWallet> {
  const wallet = makeWallet(++wallets);
  await setBalance(anvil, wallet.address, HELD_RAW);
  return wallet;
}

function everything(wallet: TestWallet) {
  return { from: wallet.address, to, amountMaxRaw: 2n ** 100n, spendableRaw: HELD_RAW };
}

Deno.test("a drain that forgets the L1 fee is accepted and vanishes; ours arrives (hazard 29)", async () => {
  const forgetful = connectEvm({ rpcUrls: [anvil.url] });
  const victim = await makeFunded();
  const wrong = ready(await forgetful.prepareDrain(everything(victim)));
  const lost = await forgetful.signTransfer(wrong, { nonce: 0, signer: victim.signer });
  await anvil.rpc("evm_setAutomine", [false]);
  assert.equal((await forgetful.broadcast(lost.raw)).kind, "accepted");
  await anvil.mine(2);
  await anvil.rpc("evm_setAutomine", [true]);
  assert.equal(await anvil.rpc("eth_getTransactionReceipt", [lost.txHash]), null);
  assert.equal(await balanceOf(anvil, victim.address), HELD_RAW);

  const chain = freshChain();
  const prepared = ready(await chain.prepareDrain(everything(victim)));
  assert.equal(prepared.nativeCostMaxRaw, HELD_RAW);
  assert.equal(prepared.detail.gas, 21_000n);
  assert.ok((await send({ anvil, chain, wallet: victim }, prepared)).succeeded);
  const left = await balanceOf(anvil, victim.address);
  assert.ok(left >= 0n && left < 2n * dataFeeMax(PRICES, 125), `${left}`);
});

Deno.test("a drain arrives even if the L1 fee doubles before it is mined (hazard 29)", async () => {
  const chain = freshChain();
  const wallet = await makeFunded();
  const prepared = ready(await chain.prepareDrain(everything(wallet)));
  const { l1BaseFeeRaw, l1BlobBaseFeeRaw } = PRICES;
  await using _ = await charge({
    ...PRICES,
    l1BaseFeeRaw: 2n * l1BaseFeeRaw,
    l1BlobBaseFeeRaw: 2n * l1BlobBaseFeeRaw,
  });
  assert.ok((await send({ anvil, chain, wallet }, prepared)).succeeded);
});

Deno.test("without L1 fees an emptied address holds nothing at all", async () => {
  await using _ = await charge({ ...PRICES, l1BaseFeeRaw: 0n, l1BlobBaseFeeRaw: 0n });
  const wallet = await makeFunded();
  const chain = freshChain();
  const prepared = ready(await chain.prepareDrain(everything(wallet)));
  assert.ok((await send({ anvil, chain, wallet }, prepared)).succeeded);
  assert.equal(await balanceOf(anvil, wallet.address), 0n);
});

Deno.test("a receiving contract gets the rest as well", async () => {
  const hungry = await deploy(anvil, { name: "Hungry" });
  const wallet = await makeFunded();
  const chain = freshChain();
  const drain = { ...everything(wallet), to: hungry.address };
  const prepared = ready(await chain.prepareDrain(drain));
  assert.ok((await send({ anvil, chain, wallet }, prepared)).succeeded);
  assert.equal(await balanceOf(anvil, hungry.address), prepared.request.amountRaw);
});

Deno.test("the charge is never above the estimate, nor far below (seeded)", async () => {
  const random = seededRandom(20_261_121);
  const token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  const wallet = makeWallet(901);
  await token.send("mint", [wallet.address, 10n ** 12n]);
  for (let round = 0; round < 24; round++) {
    await setBalance(anvil, wallet.address, 10n ** 24n);
    const prices = {
      l1BaseFeeRaw: BigInt(random.below(2 ** 40)),
      l1BlobBaseFeeRaw: BigInt(random.below(2 ** 40)),
      baseFeeScalar: BigInt(random.below(2 ** 20)),
      blobBaseFeeScalar: BigInt(random.below(2 ** 32)),
      operatorFeeScalar: BigInt(random.below(2 ** 32)),
      operatorFeeConstantRaw: BigInt(random.below(2 ** 50)),
    };
    await using _ = await charge(prices);
    const chain = freshChain();
    const contract = round % 2 === 0 ? null : token.address;
    const amountRaw = BigInt(random.below(2 ** (round + 8)));
    const request = { from: wallet.address, to: makeWallet(902).address, contract, amountRaw };
    const prepared = ready(await chain.prepareTransfer(request));
    const before = await balanceOf(anvil, wallet.address);
    const { succeeded, gasUsed, gasPriceRaw } = await send({ anvil, chain, wallet }, prepared);
    const spent = before - await balanceOf(anvil, wallet.address);
    const valueRaw = contract === null ? amountRaw : 0n;
    const reported = `seed ${random.seed}, round ${round}`;
    assert.ok(succeeded && spent <= prepared.nativeCostMaxRaw, reported);
    // This node charges the operator's fee as before Jovian.
    const operatorRaw = gasUsed * prices.operatorFeeScalar / 1_000_000n +
      prices.operatorFeeConstantRaw;
    const dataFeeRaw = spent - valueRaw - gasUsed * gasPriceRaw - operatorRaw;
    const reckonedRaw = dataFeeMax(prices, contract === null ? 125 : 195);
    assert.ok(dataFeeRaw > 0n && dataFeeRaw <= reckonedRaw, reported);
    assert.ok(
      reckonedRaw * 10n < dataFeeRaw * 20n,
      `${reported}: ${reckonedRaw} for ${dataFeeRaw}`,
    );
    assert.ok(
      prepared.feeAtMostRaw < 2n * reckonedRaw + opOnly(prices, prepared.detail.gas),
      reported,
    );
  }

  function opOnly(prices: OpStackPrices, gas: bigint): bigint {
    const free = { ...prices, l1BaseFeeRaw: 0n, l1BlobBaseFeeRaw: 0n };
    return opStackFeeMax(free, { gas, signedBytes: 0 }) + gas * 10n ** 11n;
  }
});

Deno.test("the fees follow the protocol's formulas", () => {
  // 100 bytes × (16 × 30 gwei × 2,269 + 0.15 gwei × 1,055,762) / 1,000,000, as a node charged it.
  assert.equal(dataFeeMax(PRICES, 99), 124_748_430_000n);
  assert.equal(dataFeeMax(PRICES, 100), 124_748_430_000n);
  assert.equal(dataFeeMax(PRICES, 200), 249_496_860_000n);
  assert.equal(dataFeeMax({ ...PRICES, l1BaseFeeRaw: 1n, l1BlobBaseFeeRaw: 0n }, 100), 4n);
  const operated = { ...PRICES, operatorFeeScalar: 1_000n, operatorFeeConstantRaw: 777n };
  const size = { gas: 21_000n, signedBytes: 100 };
  assert.equal(opStackFeeMax(operated, size), 2n * 124_748_430_000n + 2_100_000_777n);
});

Deno.test("an address without coins learns the cost of moving its tokens, though this node charges trials", async () => {
  const token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  const poor = makeWallet(903);
  await token.send("mint", [poor.address, 10n]);
  const chain = freshChain();
  const request = { from: poor.address, to, contract: token.address, amountRaw: 10n };
  const prepared = ready(await chain.prepareTransfer(request));
  await setBalance(anvil, poor.address, prepared.feeAtMostRaw);
  assert.ok((await send({ anvil, chain, wallet: poor }, prepared)).succeeded);
  assert.equal(await token.read("balanceOf", [to]), 10n);
});

Deno.test("amounts that the L1 fee would use up are unaffordable", async () => {
  const wallet = await makeFunded();
  const chain = freshChain();
  const { detail } = ready(await chain.prepareDrain(everything(wallet)));
  const spendableRaw = detail.gas * priceOffered(detail.fee) + 10n ** 11n;
  const dust = { ...everything(wallet), spendableRaw };
  assert.match(refused(await chain.prepareDrain(dust), "unaffordable"), /^fees take up to/);
});

Deno.test("missing prices don't count as zero, and cost no extra request", async () => {
  const wallet = await makeFunded();
  const request = { from: wallet.address, to, contract: null, amountRaw: 5n };
  await using counting = await startFaultProxy(anvil.url, () => "pass");
  const counted = connectEvm({ rpcUrls: [counting.url], feeModel: "op_stack" });
  ready(await counted.prepareTransfer(request));
  assert.equal(counting.bodies.length, 2, "the market's and the trial's");
  for (const said of [{ error: { code: -32000, message: "busy" } }, { result: null }]) {
    await using proxy = await startFaultProxy(anvil.url, (method) => {
      return method === "eth_getStorageAt" ? { edit: ({ id }) => ({ id, ...said }) } : "pass";
    });
    const chain = connectEvm({ rpcUrls: [proxy.url], feeModel: "op_stack" });
    await assert.rejects(chain.prepareTransfer(request), NodeError);
  }
});

Deno.test("a network's fee model reaches its nodes, and a new one applies at once", async () => {
  const wallet = await makeFunded();
  const request = { from: wallet.address, to, contract: null, amountRaw: 5n };
  const network = {
    code: "OP",
    family: "evm",
    rpcUrls: [anvil.url],
    chainId: "31337",
    genesisHash: null,
    feeModel: "l1",
    quorum: 1,
  } as const;
  const chains = createChains();
  const plain = ready(await chains.of(network).prepareTransfer(request));
  const stacked = chains.of({ ...network, feeModel: "op_stack" });
  const { feeAtMostRaw } = ready(await stacked.prepareTransfer(request));
  assert.ok(feeAtMostRaw - plain.feeAtMostRaw > 2n * 124_748_430_000n);
  ready(await stacked.prepareDrain(everything(wallet)));
});

Deno.test("no single one of three nodes decides the L1 costs", async () => {
  const wallet = await makeFunded();
  const request = { from: wallet.address, to, contract: null, amountRaw: 5n };
  const honest = ready(await freshChain().prepareTransfer(request));
  for (const reported of ["0x0", word(2n ** 60n)]) {
    await using liar = await startFaultProxy(
      anvil.url,
      (method) =>
        method === "eth_getStorageAt"
          ? { edit: (reply) => ({ ...reply, result: reported }) }
          : "pass",
    );
    const rpcUrls = [liar.url, anvil.url, anvil.url];
    const chain = connectEvm({ rpcUrls, feeModel: "op_stack" });
    const { charge } = ready(await chain.prepareTransfer(request));
    assert.deepEqual(charge, honest.charge);
    const limited = await chain.prepareTransfer(request, { feeMaxFor: () => charge.maxRaw / 2n });
    assert.equal(refused(limited, "above_fee_max").length > 0, true);
  }
});
