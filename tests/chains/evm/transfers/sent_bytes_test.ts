import assert from "node:assert/strict";
import { privateKeyToAccount } from "viem/accounts";
import { keccak256, parseTransaction } from "viem/utils";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../../support/nodes/anvil.ts";
import { deploy } from "../../../support/nodes/contracts.ts";
import { fund, makeWallet, signed } from "../../../support/nodes/evm_wallet.ts";
import { startFaultProxy } from "../../../support/nodes/fault_proxy.ts";

const CHAIN_ID = 31337;
const wallet = makeWallet(1);
const account = privateKeyToAccount(`0x${"07".repeat(28)}00000001`);
const to = makeWallet(2).address;

async function send(anvil: Anvil, raw: string): Promise<string> {
  return await anvil.rpc("eth_sendRawTransaction", [raw]);
}

Deno.test("signed coin and token payments are read from a node exactly as signed", async () => {
  await using anvil = await startAnvil();
  await fund(anvil, wallet.address);
  const token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  await token.send("mint", [wallet.address, 9n]);
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  for (const [nonce, contract] of [null, token.address].entries()) {
    const made = await signed(chain, { wallet, nonce, to, contract, amountRaw: 7n });
    await send(anvil, made.raw);
    assert.deepEqual(await chain.sentBytes(made.txHash), {
      ...made,
      sender: wallet.address,
      payment: { to, contract, amountRaw: 7n },
    });
  }
  const legacy = await account.signTransaction({
    ...{ chainId: CHAIN_ID, nonce: 2, gas: 21_000n, to: to as `0x${string}`, value: 5n },
    ...{ type: "legacy", gasPrice: 2n * 10n ** 9n },
  });
  const { raw, payment } = await chain.sentBytes(await send(anvil, legacy));
  assert.deepEqual([raw, payment], [legacy, { to, contract: null, amountRaw: 5n }]);
});

Deno.test("access lists, new contracts, other types and calls are read as bytes without a payment", async () => {
  await using anvil = await startAnvil();
  await fund(anvil, wallet.address);
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  const price = { maxFeePerGas: 3n * 10n ** 9n, maxPriorityFeePerGas: 1n };
  const anyKind = { chainId: CHAIN_ID, gas: 100_000n };
  const common = { ...anyKind, ...price, type: "eip1559" } as const;
  const payee = to as `0x${string}`;
  const accessList = [{ address: payee, storageKeys: [keccak256("0x01")] }];
  const gasPrice = price.maxFeePerGas;
  const delegation = await account.signAuthorization({
    ...{ chainId: CHAIN_ID, contractAddress: payee, nonce: 6 },
  });
  const raws = await Promise.all([
    account.signTransaction({ ...common, nonce: 0, to: payee, value: 1n, accessList }),
    account.signTransaction({ ...common, nonce: 1, data: "0x00" }),
    account.signTransaction({ ...common, nonce: 2, to: payee, data: "0x12345678" }),
    account.signTransaction({ ...anyKind, type: "legacy", gasPrice, nonce: 3, data: "0x00" }),
    account.signTransaction({
      ...{ ...anyKind, type: "eip2930", gasPrice, nonce: 4, to: payee, value: 1n, accessList },
    }),
    account.signTransaction({
      ...{ ...anyKind, ...price, type: "eip7702", nonce: 5, to: payee, value: 1n },
      authorizationList: [delegation],
    }),
  ]);
  const reported = [];
  for (const raw of raws) reported.push(await chain.sentBytes(await send(anvil, raw)));
  assert.deepEqual(reported.map(({ payment }) => payment), Array(6).fill(null));
  assert.deepEqual(reported.map(({ raw }) => raw), ["", "", raws[2], "", "", ""]);
});

/** A node that reports a payment with these fields changed. */
async function startLiar(anvil: Anvil, lie: object) {
  return await startFaultProxy(
    anvil.url,
    (method) =>
      method === "eth_getTransactionByHash"
        ? { edit: (answer) => ({ ...answer, result: { ...answer.result as object, ...lie } }) }
        : "pass",
  );
}

Deno.test("a node whose transaction doesn't match its hash isn't believed, and the next is asked", async () => {
  await using anvil = await startAnvil();
  await fund(anvil, wallet.address);
  const honest = connectEvm({ rpcUrls: [anvil.url] });
  const made = await signed(honest, { wallet, nonce: 0, to, contract: null, amountRaw: 7n });
  await send(anvil, made.raw);
  const right = await honest.sentBytes(made.txHash);
  for (
    const lie of [
      { to: wallet.address },
      { value: "0x8" },
      { from: to },
      { nonce: "0x1" },
      { s: `0x${"11".repeat(32)}` },
      { r: "0x0" },
      { r: undefined, s: undefined },
      { type: "0x0" },
      { type: "0x1" },
      { type: "0x4", authorizationList: [] },
      { type: "0x7e" },
      { to: null },
      { to: undefined },
      { accessList: [{ address: to, storageKeys: [] }] },
      { chainId: "0x1" },
      { maxPriorityFeePerGas: `0x${"ff".repeat(32)}` },
    ]
  ) {
    await using liar = await startLiar(anvil, lie);
    const reported = connectEvm({ rpcUrls: [liar.url] }).sentBytes(made.txHash);
    await assert.rejects(reported, { name: "NodeError" }, JSON.stringify(lie));
    const both = connectEvm({ rpcUrls: [liar.url, anvil.url] });
    assert.deepEqual(await both.sentBytes(made.txHash), right);
  }
  await assert.rejects(honest.sentBytes(keccak256("0x12")), /does not know/);
});

const UNSIGNED = { r: "0x0", s: "0x0" };

Deno.test("one node isn't believed that a transaction has no signature if a quorum is required", async () => {
  await using anvil = await startAnvil();
  await fund(anvil, wallet.address);
  await using liar = await startLiar(anvil, UNSIGNED);
  await using ignorant = await startFaultProxy(
    anvil.url,
    (method) =>
      method === "eth_getTransactionByHash"
        ? { edit: (answer) => ({ ...answer, result: null }) }
        : "pass",
  );
  const honest = connectEvm({ rpcUrls: [anvil.url] });
  const made = await signed(honest, { wallet, nonce: 0, to, contract: null, amountRaw: 7n });
  await send(anvil, made.raw);
  const pair = (url: string) => connectEvm({ rpcUrls: [liar.url, url], quorum: 2 });
  assert.equal((await pair(anvil.url).sentBytes(made.txHash)).raw, made.raw);
  await assert.rejects(pair(ignorant.url).sentBytes(made.txHash), { name: "NodeError" });
  await anvil.rpc("anvil_impersonateAccount", [wallet.address]);
  const order = [{ from: wallet.address, to, value: "0x1" }];
  const impersonated: string = await anvil.rpc("eth_sendTransaction", order);
  const unsigned = { txHash: impersonated, raw: "", sender: wallet.address, nonce: 1 };
  assert.deepEqual(
    await pair(anvil.url).sentBytes(impersonated),
    { ...unsigned, payment: null },
  );
  await assert.rejects(pair(ignorant.url).sentBytes(impersonated), { name: "NodeError" });
});

Deno.test("transactions with blobs are checked against their hash as well", async () => {
  await using anvil = await startAnvil();
  const blob = `0x01${"ab".repeat(31)}` as const;
  const raw = await account.signTransaction({
    ...{ type: "eip4844", chainId: CHAIN_ID, nonce: 0, gas: 21_000n, to: to as `0x${string}` },
    ...{ maxFeePerGas: 9n, maxPriorityFeePerGas: 1n, maxFeePerBlobGas: 5n },
    blobVersionedHashes: [blob],
  });
  const { r, s, yParity } = parseTransaction(raw);
  const reported = {
    ...{ from: wallet.address, to, nonce: "0x0", gas: "0x5208", value: "0x0", input: "0x" },
    ...{ type: "0x3", chainId: "0x7a69", maxFeePerGas: "0x9", maxPriorityFeePerGas: "0x1" },
    ...{ maxFeePerBlobGas: "0x5", blobVersionedHashes: [blob], accessList: [] },
    ...{ r, s, yParity: `0x${yParity}` },
  };
  const ask = async (result: object) => {
    await using node = await startFaultProxy(
      anvil.url,
      (method) =>
        method === "eth_getTransactionByHash"
          ? { edit: (answer) => ({ ...answer, result }) }
          : "pass",
    );
    return await connectEvm({ rpcUrls: [node.url] }).sentBytes(keccak256(raw));
  };
  const { payment, sender, ...rest } = await ask(reported);
  assert.deepEqual([payment, sender, rest.raw], [null, wallet.address, ""]);
  await assert.rejects(
    ask({ ...reported, maxFeePerBlobGas: "0x6" }),
    /with content of another hash/,
  );
});

Deno.test("bytes signed for another chain don't count on this one", async () => {
  await using anvil = await startAnvil();
  const { chainId, genesisHash } = await connectEvm({ rpcUrls: [anvil.url] }).identity();
  const fields = { nonce: 0, gas: 21_000n, to: to as `0x${string}`, value: 5n } as const;
  const raw = await account.signTransaction({
    ...{ ...fields, type: "legacy", chainId: CHAIN_ID + 1, gasPrice: 7n },
  });
  const { r, s, v } = parseTransaction(raw);
  const result = {
    ...{ from: wallet.address, to, nonce: "0x0", gas: "0x5208", value: "0x5", input: "0x" },
    ...{ type: "0x0", gasPrice: "0x7", r, s, v: `0x${v!.toString(16)}` },
  };
  await using node = await startFaultProxy(
    anvil.url,
    (method) =>
      method === "eth_getTransactionByHash"
        ? { edit: (answer) => ({ ...answer, result }) }
        : "pass",
  );
  const rpcUrls = [node.url];
  const expected = { code: "ETH", chainId, genesisHash };
  const reported = connectEvm({ rpcUrls, expected }).sentBytes(keccak256(raw));
  await assert.rejects(reported, /was signed for chain 31338, and this is 31337/);
  assert.equal((await connectEvm({ rpcUrls }).sentBytes(keccak256(raw))).raw, raw);
});
