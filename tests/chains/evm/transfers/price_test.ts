import assert from "node:assert/strict";
import type { Chain } from "../../../../src/chains/chain.ts";
import { NodeError } from "../../../../src/chains/faults.ts";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../../support/nodes/anvil.ts";
import { deploy } from "../../../support/nodes/contracts.ts";
import { fund, makeWallet } from "../../../support/nodes/evm_wallet.ts";
import { startFaultProxy } from "../../../support/nodes/fault_proxy.ts";
import { ready, refused, send, setBaseFee } from "./preflights.ts";

const GWEI = 10n ** 9n;
const wallet = makeWallet(1);
const to = makeWallet(2).address;
const coins = { from: wallet.address, to, contract: null, amountRaw: 5n };
let anvil: Anvil;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  await fund(anvil, wallet.address);
});
Deno.test.afterAll(() => anvil.stop());

/** A chain that remembers no earlier prices. */
function freshChain(): Chain {
  return connectEvm({ rpcUrls: [anvil.url] });
}

Deno.test("a limit cuts what is offered while the base fee is below it, and refuses above (hazard 30)", async () => {
  await setBaseFee(anvil, 40n * GWEI);
  const chain = freshChain();
  const limited = ready(await chain.prepareTransfer(coins, { gasPriceMaxRaw: 50n * GWEI }));
  assert.ok(limited.detail.fee.kind === "eip1559");
  assert.equal(limited.detail.fee.maxFeeRaw, 50n * GWEI, "not twice the base fee");
  assert.equal(limited.feeAtMostRaw, 25_200n * 50n * GWEI);
  const { succeeded, gasPriceRaw } = await send({ anvil, chain, wallet }, limited);
  assert.ok(succeeded && gasPriceRaw <= 50n * GWEI);
  await setBaseFee(anvil, 100n * GWEI);
  const price = { gasPriceMaxRaw: 50n * GWEI };
  const reason = refused(await freshChain().prepareTransfer(coins, price), "too_expensive");
  assert.match(reason, /^a unit of gas costs 1\d{2}(\.\d+)? gwei, the limit is 50$/);
  const drain = { from: wallet.address, to, amountMaxRaw: 10n ** 18n, spendableRaw: 10n ** 18n };
  refused(await freshChain().prepareDrain(drain, price), "too_expensive");
  await setBaseFee(anvil, GWEI);
});

Deno.test("a stuck payment is replaced under its nonce by more expensive bytes (hazard 42)", async () => {
  const chain = freshChain();
  const { nonce } = await chain.walletState(wallet.address, []);
  const sign = async (price = {}) => {
    const prepared = ready(await chain.prepareTransfer(coins, price));
    return await chain.signTransfer(prepared, { nonce, signer: wallet.signer });
  };
  const first = await sign();
  await anvil.rpc("evm_setAutomine", [false]);
  assert.equal((await chain.broadcast(first.raw)).kind, "accepted");
  const second = await sign({ outbids: first.raw });
  const third = await sign({ outbids: second.raw });
  for (const { raw } of [second, third]) {
    assert.equal((await chain.broadcast(raw)).kind, "accepted");
  }
  await anvil.mine(1);
  await anvil.rpc("evm_setAutomine", [true]);
  assert.equal((await anvil.rpc("eth_getTransactionReceipt", [third.txHash])).status, "0x1");
  for (const { txHash } of [first, second]) {
    assert.equal(await anvil.rpc("eth_getTransactionReceipt", [txHash]), null);
  }
  const { maxFeePerGas } = await anvil.rpc("eth_getTransactionByHash", [third.txHash]);
  const gasPriceMaxRaw = BigInt(maxFeePerGas);
  const outbid = await chain.prepareTransfer(coins, { outbids: third.raw, gasPriceMaxRaw });
  assert.match(refused(outbid, "too_expensive"), /replace the earlier transaction/);
});

Deno.test("an address without coins learns the cost of moving its tokens", async () => {
  const token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  const poor = makeWallet(3);
  await token.send("mint", [poor.address, 10n]);
  const chain = freshChain();
  const request = { from: poor.address, to, contract: token.address, amountRaw: 10n };
  const prepared = ready(await chain.prepareTransfer(request));
  assert.equal(prepared.feeAtMostRaw, prepared.nativeCostMaxRaw);
  await anvil.rpc("anvil_setBalance", [poor.address, `0x${prepared.feeAtMostRaw.toString(16)}`]);
  assert.ok((await send({ anvil, chain, wallet: poor }, prepared)).succeeded);
  assert.equal(await token.read("balanceOf", [to]), 10n);
});

Deno.test("each refusal names its cause", async () => {
  const chain = freshChain();
  const token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  const falseToken = await deploy(anvil, { name: "FalseToken" });
  const rejector = await deploy(anvil, { name: "Rejector" });
  const causes = [
    ["reverts", { ...coins, to: rejector.address }],
    ["reverts", { ...coins, contract: token.address }],
    ["reverts", { ...coins, contract: falseToken.address }],
    ["reverts", { ...coins, contract: makeWallet(4).address }],
    ["unaffordable", { ...coins, amountRaw: 10n ** 30n }],
    ["unaffordable", { ...coins, from: makeWallet(5).address }],
  ] as const;
  for (const [cause, request] of causes) refused(await chain.prepareTransfer(request), cause);
});

Deno.test("a failing call is a revert, even if it mentions a balance or an allowance", async () => {
  const texts = [
    "gas required exceeds allowance (50000000)",
    "execution reverted: ERC20: transfer amount exceeds balance",
  ];
  for (const message of texts) {
    const error = { code: -32000, message };
    await using proxy = await startFaultProxy(anvil.url, (method) => {
      return method === "eth_estimateGas" ? { edit: ({ id }) => ({ id, error }) } : "pass";
    });
    refused(await connectEvm({ rpcUrls: [proxy.url] }).prepareTransfer(coins), "reverts");
  }
});

Deno.test("a node that charges for trials is asked about tokens as if the sender had coins", async () => {
  const token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  await token.send("mint", [wallet.address, 10n]);
  const request = { ...coins, contract: token.address };
  const error = { code: -32000, message: "insufficient funds for gas * price + value" };
  await using charging = await startFaultProxy(anvil.url, (method, params) => {
    const isCharged = method === "eth_estimateGas" && params.length === 2;
    return isCharged ? { edit: ({ id }) => ({ id, error }) } : "pass";
  });
  const chain = connectEvm({ rpcUrls: [charging.url] });
  assert.ok(ready(await chain.prepareTransfer(request)).detail.gas > 40_000n);
  refused(await chain.prepareTransfer(coins), "unaffordable");
  const limited = { code: -32005, message: "limit exceeded" };
  await using refusing = await startFaultProxy(anvil.url, (method, params) => {
    if (method !== "eth_estimateGas") return "pass";
    return { edit: ({ id }) => ({ id, error: params.length === 2 ? error : limited }) };
  });
  const silent = connectEvm({ rpcUrls: [refusing.url] });
  await assert.rejects(silent.prepareTransfer(request), NodeError);
});

Deno.test("a price from before the clock was set back doesn't count as fresh", () =>
  anvil.isolated(async () => {
    let nowMs = 3_600_000;
    const chain = connectEvm({ rpcUrls: [anvil.url], clock: { nowMs: () => nowMs } });
    const before = ready(await chain.prepareTransfer(coins)).feeAtMostRaw;
    await setBaseFee(anvil, 10n ** 12n);
    nowMs = 60_000;
    assert.notEqual(ready(await chain.prepareTransfer(coins)).feeAtMostRaw, before);
  }));
