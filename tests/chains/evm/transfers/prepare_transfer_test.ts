import assert from "node:assert/strict";
import type { Chain } from "../../../../src/chains/chain.ts";
import { NodeError } from "../../../../src/chains/faults.ts";
import type { Preflight } from "../../../../src/chains/transfer.ts";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import type { EvmDetail } from "../../../../src/chains/evm/transfers/unsigned.ts";
import { type Anvil, startAnvil } from "../../../support/nodes/anvil.ts";
import { deploy, sendTx } from "../../../support/nodes/contracts.ts";
import { fund, makeWallet, signed } from "../../../support/nodes/evm_wallet.ts";
import { startFaultProxy } from "../../../support/nodes/fault_proxy.ts";
import { rpcError, startNodeDouble } from "../../../support/nodes/node_double.ts";

let anvil: Anvil;
let chain: Chain;
const wallet = makeWallet(1);
const to = makeWallet(2).address;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  chain = connectEvm({ rpcUrls: [anvil.url] });
  await fund(anvil, wallet.address);
  await sendTx(anvil, { to, valueRaw: 1n });
});
Deno.test.afterAll(() => anvil.stop());

interface Ready {
  readonly nativeCostMaxRaw: bigint;
  readonly detail: EvmDetail;
}

async function prepare(
  request: { to?: string; contract?: string; amountRaw?: bigint } = {},
  through = chain,
): Promise<Preflight> {
  return await through.prepareTransfer({
    from: wallet.address,
    to: request.to ?? to,
    contract: request.contract ?? null,
    amountRaw: request.amountRaw ?? 5n,
  });
}

function ready(preflight: Preflight): Ready {
  if (preflight.kind === "refused") throw new Error(preflight.reason);
  return preflight.prepared as unknown as Ready;
}

function refused(preflight: Preflight): string {
  assert.equal(preflight.kind, "refused");
  return preflight.kind === "refused" ? preflight.reason : "";
}

Deno.test("a payment of coins costs at most its value and its gas", async () => {
  const { nativeCostMaxRaw, detail } = ready(await prepare());
  assert.equal(detail.gas, 25_200n, "21,000 as estimated and a fifth");
  assert.equal(detail.chainId, 31337);
  assert.ok(detail.fee.kind === "eip1559");
  assert.equal(nativeCostMaxRaw, 5n + 25_200n * detail.fee.maxFeeRaw);
});

Deno.test("the fee is twice the base fee plus the usual tip", async () => {
  await anvil.rpc("anvil_setNextBlockBaseFeePerGas", ["0x3b9aca00"]);
  const tip = { maxFeePerGas: "0x174876e800", maxPriorityFeePerGas: "0x77359400" };
  const tx = { from: anvil.accounts[0], to, value: "0x1", ...tip };
  await anvil.rpc("eth_sendTransactionSync", [tx]);
  const fresh = connectEvm({ rpcUrls: [anvil.url] });
  const { fee } = ready(await prepare({}, fresh)).detail;
  const { baseFeePerGas } = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
  assert.equal(BigInt(baseFeePerGas), 10n ** 9n);
  assert.ok(fee.kind === "eip1559");
  assert.equal(fee.maxFeeRaw, 2n * 10n ** 9n + fee.tipRaw);
  const { reward } = await anvil.rpc("eth_feeHistory", ["0xa", "latest", [50]]);
  assert.ok(reward.some(([paid]: [string]) => BigInt(paid) === fee.tipRaw && fee.tipRaw > 0n));
});

Deno.test("a chain without a base fee is paid by gas price", async () => {
  await using old = await startAnvil({ args: ["--hardfork", "berlin", "--gas-price", "7"] });
  await fund(old, wallet.address);
  const legacy = connectEvm({ rpcUrls: [old.url] });
  const { detail, nativeCostMaxRaw } = ready(await prepare({}, legacy));
  assert.deepEqual(detail.fee, { kind: "legacy", gasPriceRaw: 7n });
  assert.equal(nativeCostMaxRaw, 5n + 25_200n * 7n);
  const tx = await signed(legacy, { wallet, nonce: 0, to, contract: null, amountRaw: 5n });
  const receipt = await old.rpc("eth_sendRawTransactionSync", [tx.raw]);
  assert.deepEqual([receipt.transactionHash, receipt.status], [tx.txHash, "0x1"]);
});

Deno.test("a recipient that is a contract or delegated gets the gas it needs (hazard 28)", async () => {
  const hungry = await deploy(anvil, { name: "Hungry" });
  const delegated = makeWallet(3).address;
  const code = `0xef0100${hungry.address.slice(2)}`;
  await anvil.rpc("anvil_setCode", [delegated, code]);
  for (const [nonce, recipient] of [hungry.address, delegated].entries()) {
    const { gas } = ready(await prepare({ to: recipient })).detail;
    assert.ok(gas > 40_000n, `${gas}`);
    const payment = { wallet, to: recipient, contract: null, amountRaw: 5n };
    const tx = await signed(chain, { ...payment, nonce });
    const { status } = await anvil.rpc("eth_sendRawTransactionSync", [tx.raw]);
    assert.equal(status, "0x1");
  }
});

Deno.test("a payment that the recipient rejects is refused with the node's reason", async () => {
  const rejector = await deploy(anvil, { name: "Rejector" });
  assert.match(refused(await prepare({ to: rejector.address })), /no coins here/);
});

Deno.test("a payment above the balance is refused", async () => {
  assert.match(refused(await prepare({ amountRaw: 10n ** 21n })), /insufficient funds/i);
});

Deno.test("a token payment above the balance is refused", async () => {
  const token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  const reason = refused(await prepare({ contract: token.address }));
  assert.match(reason, /balance exceeded/);
});

Deno.test("a token that answers nothing is paid, and refused once its sender is banned", async () => {
  const usdt = await deploy(anvil, { name: "UsdtLike" });
  await usdt.send("mint", [wallet.address, 10n]);
  const { nativeCostMaxRaw, detail } = ready(await prepare({ contract: usdt.address }));
  assert.equal(detail.to, usdt.address);
  assert.equal(detail.valueRaw, 0n);
  assert.ok(detail.gas > 21_000n && nativeCostMaxRaw >= detail.gas);
  await usdt.send("ban", [wallet.address]);
  assert.match(refused(await prepare({ contract: usdt.address })), /revert/);
});

Deno.test("a token that would answer false is refused (hazard 14)", async () => {
  const falseToken = await deploy(anvil, { name: "FalseToken" });
  await falseToken.send("mint", [wallet.address, 10n]);
  assert.match(refused(await prepare({ contract: falseToken.address })), /would not transfer/);
});

Deno.test("a missing token contract is refused, though calls of it succeed", async () => {
  assert.match(refused(await prepare({ contract: makeWallet(4).address })), /no contract/);
});

Deno.test("the gas stays within a block, and what needs more is refused", async () => {
  const hungry = await deploy(anvil, { name: "Hungry" });
  const within = async (gasLimit: string) => {
    await using proxy = await startFaultProxy(anvil.url, (method) => {
      if (method !== "eth_getBlockByNumber") return "pass";
      const edit = (reply: { result?: unknown }) => ({
        ...reply,
        result: { ...reply.result as object, gasLimit },
      });
      return { edit };
    });
    return await prepare({ to: hungry.address }, connectEvm({ rpcUrls: [proxy.url] }));
  };
  assert.equal(ready(await within("0xc350")).detail.gas, 50_000n);
  assert.match(refused(await within("0x5208")), /a block has 21000/);
});

Deno.test("a transfer is tried on the newest block, whatever is in the node's pool", () =>
  anvil.isolated(async () => {
    const token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
    await token.send("mint", [wallet.address, 10n]);
    const all = { contract: token.address, amountRaw: 10n };
    const { nonce } = await chain.walletState(wallet.address, []);
    const { raw } = await signed(chain, { ...all, to, wallet, nonce });
    await anvil.rpc("evm_setAutomine", [false]);
    await anvil.rpc("eth_sendRawTransaction", [raw]);
    ready(await prepare(all));
    await anvil.rpc("evm_setAutomine", [true]);
  }));

Deno.test("a node that can't estimate at a named block is asked without one", async () => {
  await using old = await startFaultProxy(anvil.url, (method, params) => {
    if (method !== "eth_estimateGas" || params.length === 1) return "pass";
    const error = { code: -32602, message: "too many arguments, want at most 1" };
    return { edit: ({ id }) => ({ id, error }) };
  });
  const { detail } = ready(await prepare({}, connectEvm({ rpcUrls: [old.url] })));
  assert.equal(detail.gas, 25_200n);
});

Deno.test("a payment has the gas that every transaction takes, whatever a node estimates", async () => {
  await using low = await startFaultProxy(anvil.url, (method) => {
    if (method !== "eth_estimateGas") return "pass";
    return { edit: ({ id }) => ({ id, result: "0x20d0" }) };
  });
  const through = connectEvm({ rpcUrls: [low.url] });
  const { detail } = ready(await prepare({}, through));
  assert.equal(detail.gas, 25_200n);
  const { nonce } = await chain.walletState(wallet.address, []);
  const { raw } = await signed(through, {
    ...{ to, wallet, nonce },
    contract: null,
    amountRaw: 5n,
  });
  await anvil.rpc("eth_sendRawTransaction", [raw]);
});

Deno.test("a failure of the node says nothing about the transfer", async () => {
  const troubles = [
    { code: -32005, message: "limit exceeded" },
    { code: -32603, message: "internal error" },
    { code: -32000, message: "header not found" },
  ];
  for (const method of ["eth_estimateGas", "eth_call", "eth_chainId", "eth_getBlockByNumber"]) {
    for (const error of troubles) {
      await using proxy = await startFaultProxy(anvil.url, (called) => {
        return called === method ? { edit: ({ id }) => ({ id, error }) } : "pass";
      });
      const troubled = connectEvm({ rpcUrls: [proxy.url] });
      await assert.rejects(prepare({}, troubled), NodeError, `${method} ${error.message}`);
    }
  }
  await using limited = await startFaultProxy(anvil.url, () => ({ status: 429, body: "" }));
  await assert.rejects(prepare({}, connectEvm({ rpcUrls: [limited.url] })), NodeError);
});

Deno.test("if a node gives no tip in either way, none is guessed", async () => {
  const without = (methods: readonly string[]) =>
    startFaultProxy(anvil.url, (called) => {
      const error = { code: -32601, message: "the method does not exist" };
      return methods.includes(called) ? { edit: ({ id }) => ({ id, error }) } : "pass";
    });
  await using suggesting = await without(["eth_feeHistory"]);
  const suggested = await anvil.rpc("eth_maxPriorityFeePerGas");
  const { fee } = ready(await prepare({}, connectEvm({ rpcUrls: [suggesting.url] }))).detail;
  assert.ok(fee.kind === "eip1559" && fee.tipRaw === BigInt(suggested));
  await using silent = await without(["eth_feeHistory", "eth_maxPriorityFeePerGas"]);
  await assert.rejects(prepare({}, connectEvm({ rpcUrls: [silent.url] })), NodeError);
});

Deno.test("concurrent transfers within a second ask the market once", async () => {
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const clock = { now: 1_000, nowMs: () => clock.now };
  const cached = connectEvm({ rpcUrls: [proxy.url], clock });
  const marketBodies = () =>
    proxy.bodies.filter((body) => body.some((call) => call.method === "eth_feeHistory")).length;
  await Promise.all([prepare({}, cached), prepare({}, cached)]);
  clock.now += 999;
  await prepare({}, cached);
  assert.equal(marketBodies(), 1);
  clock.now += 1;
  await prepare({}, cached);
  assert.equal(marketBodies(), 2);
});

Deno.test("a node that fails late, for two questions about the market, fails nothing but both transfers", async () => {
  const questions = [0, 1].map(() => Promise.withResolvers<void>());
  const answers = [0, 1].map(() => Promise.withResolvers<void>());
  let asked = 0;
  await using node = await startNodeDouble(anvil.url, async (call, ask) => {
    if (call.method !== "eth_getBlockByNumber") return await ask();
    const at = asked++;
    questions[at]?.resolve();
    await answers[at]?.promise;
    return rpcError(call, "out of order");
  });
  const clock = { now: 1_000, nowMs: () => clock.now };
  const cached = connectEvm({ rpcUrls: [node.url], clock });
  const first = assert.rejects(prepare({}, cached), NodeError);
  await questions[0]!.promise;
  clock.now += 1_000;
  const second = assert.rejects(prepare({}, cached), NodeError);
  await questions[1]!.promise;
  answers[0]!.resolve();
  await first;
  answers[1]!.resolve();
  await second;
});

Deno.test("an error of the market isn't kept for the next transfer", async () => {
  let isLimited = true;
  await using proxy = await startFaultProxy(
    anvil.url,
    (method) => method === "eth_chainId" && isLimited ? { status: 429, body: "" } : "pass",
  );
  const cached = connectEvm({ rpcUrls: [proxy.url], clock: { nowMs: () => 1_000 } });
  await assert.rejects(prepare({}, cached), NodeError);
  isLimited = false;
  ready(await prepare({}, cached));
});
