import assert from "node:assert/strict";
import type { Chain } from "../../../src/chains/chain.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import { connectEvm } from "../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { deploy, sendTx } from "../../support/nodes/contracts.ts";
import { fund, makeWallet, signed } from "../../support/nodes/evm_wallet.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { showOnly } from "../../support/nodes/lagging_node.ts";
import { NEVER, startNodeDouble } from "../../support/nodes/node_double.ts";

let anvil: Anvil;
let chain: Chain;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  chain = connectEvm({ rpcUrls: [anvil.url] });
});
Deno.test.afterAll(() => anvil.stop());

Deno.test("the decimals are those of the contract (hazard 26)", async () => {
  const six = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  const eighteen = await deploy(anvil, { name: "Token", args: ["USDT", 18] });
  assert.equal(await chain.tokenDecimals(six.address), 6);
  assert.equal(await chain.tokenDecimals(eighteen.address), 18);
});

Deno.test("without a token there are no decimals", async () => {
  const rejector = await deploy(anvil, { name: "Rejector" });
  assert.equal(await chain.tokenDecimals(rejector.address), undefined);
  assert.equal(await chain.tokenDecimals(makeWallet(1).address), undefined);
});

Deno.test("decimals that can't be asked for are an error", async () => {
  const { address } = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  await using limited = await startFaultProxy(anvil.url, () => ({ status: 429, body: "" }));
  await assert.rejects(connectEvm({ rpcUrls: [limited.url] }).tokenDecimals(address), NodeError);
  const error = { code: -32005, message: "limit exceeded" };
  await using busy = await startFaultProxy(
    anvil.url,
    () => ({ edit: ({ id }) => ({ id, error }) }),
  );
  await assert.rejects(connectEvm({ rpcUrls: [busy.url] }).tokenDecimals(address), NodeError);
});

Deno.test("a wallet's nonce and balances are from one block", async () => {
  const wallet = makeWallet(2);
  await fund(anvil, wallet.address);
  const usdt = await deploy(anvil, { name: "UsdtLike" });
  const usdc = await deploy(anvil, { name: "Token", args: ["USDC", 6] });
  await usdt.send("mint", [wallet.address, 2n ** 70n]);
  const to = makeWallet(3).address;
  const tx = await signed(chain, {
    wallet,
    nonce: 0,
    to,
    contract: null,
    amountRaw: 10n ** 20n / 2n,
  });
  await anvil.rpc("eth_sendRawTransactionSync", [tx.raw]);
  const { height } = await chain.tip();
  const nativeRaw = BigInt(await anvil.rpc("eth_getBalance", [wallet.address, "latest"]));
  const expected = {
    height,
    nonce: 1,
    nativeRaw,
    tokensRaw: new Map([[usdt.address, 2n ** 70n], [usdc.address, 0n]]),
    hasCode: false,
  };
  assert.ok(nativeRaw < 10n ** 20n / 2n);
  assert.deepEqual(await chain.walletState(wallet.address, [usdt.address, usdc.address]), expected);

  // A payment that arrives between the two requests is seen by none of the values.
  await using proxy = await startFaultProxy(anvil.url, (method) => {
    if (method !== "eth_blockNumber") return "pass";
    return { edit: (reply) => ({ ...reply, result: `0x${height.toString(16)}` }) };
  });
  await sendTx(anvil, { to: wallet.address, valueRaw: 77n });
  await usdc.send("mint", [wallet.address, 5n]);
  const late = connectEvm({ rpcUrls: [proxy.url] });
  assert.deepEqual(await late.walletState(wallet.address, [usdt.address, usdc.address]), expected);
});

Deno.test("whatever is asked about a wallet takes two requests", async () => {
  const usdc = await deploy(anvil, { name: "Token", args: ["USDC", 6] });
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const counted = connectEvm({ rpcUrls: [proxy.url] });
  const contract = await counted.walletState(usdc.address, [usdc.address]);
  assert.equal(contract.hasCode, true);
  assert.equal(proxy.bodies.length, 2);
});

Deno.test("a wallet's next nonce doesn't count the pool", async () => {
  const wallet = makeWallet(4);
  await fund(anvil, wallet.address);
  await anvil.rpc("evm_setAutomine", [false]);
  const tx = await signed(chain, {
    wallet,
    nonce: 0,
    to: wallet.address,
    contract: null,
    amountRaw: 0n,
  });
  assert.equal((await chain.broadcast(tx.raw)).kind, "accepted");
  assert.equal((await chain.walletState(wallet.address, [])).nonce, 0);
  await anvil.mine(1);
  await anvil.rpc("evm_setAutomine", [true]);
  assert.equal((await chain.walletState(wallet.address, [])).nonce, 1);
});

Deno.test("a wallet is read from a node known to have the wanted height", async () => {
  await using late = await startFaultProxy(anvil.url, () => "pass");
  await anvil.mine(2);
  const { height } = await chain.tip();
  await showOnly(late, { anvil, tip: height - 1 });
  const both = connectEvm({ rpcUrls: [late.url, anvil.url] });
  await both.tip();
  const { address } = makeWallet(6);
  assert.equal((await both.walletState(address, [])).height, height - 1);
  assert.equal((await both.walletState(address, [], { height })).height, height);
});

Deno.test("pending transactions count from the fullest pool, and no pool is left out because it is silent", async () => {
  const wallet = makeWallet(7);
  await fund(anvil, wallet.address);
  const pool = (reported: object) =>
    startFaultProxy(anvil.url, (method, params) => {
      if (method !== "eth_getTransactionCount" || params[1] !== "pending") return "pass";
      return { edit: ({ id }) => ({ jsonrpc: "2.0", id, ...reported }) };
    });
  await using mute = await pool({ error: { code: -32601, message: "no pool here" } });
  await using empty = await pool({ result: "0x0" });
  await anvil.rpc("evm_setAutomine", [false]);
  for (const nonce of [0, 1]) {
    const to = wallet.address;
    const { raw } = await signed(chain, { wallet, nonce, to, contract: null, amountRaw: 0n });
    assert.equal((await chain.broadcast(raw)).kind, "accepted");
  }
  const ask = (...rpcUrls: string[]) => connectEvm({ rpcUrls }).pendingNonce(wallet.address);
  assert.equal(await ask(anvil.url, empty.url, mute.url), 2);
  assert.equal(await ask(mute.url, empty.url, anvil.url), 2);
  await assert.rejects(ask(mute.url), NodeError);
  await using silent = await startNodeDouble(anvil.url, () => Promise.resolve(NEVER));
  const polled = connectEvm({ rpcUrls: [silent.url, anvil.url] });
  await polled.tip();
  await assert.rejects(
    polled.pendingNonce(wallet.address),
    /No answer from .* may know what no other/,
  );
  await anvil.mine(1);
  await anvil.rpc("evm_setAutomine", [true]);
  assert.equal(await ask(empty.url, anvil.url), 2);
});

Deno.test("no answer about a balance is not a balance of zero", async () => {
  const wallet = makeWallet(5).address;
  await assert.rejects(chain.walletState(wallet, [makeWallet(6).address]), NodeError);
});
