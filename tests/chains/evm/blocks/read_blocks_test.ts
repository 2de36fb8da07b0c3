import assert from "node:assert/strict";
import type { ReadBlock, Transfer } from "../../../../src/chains/chain.ts";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../../support/nodes/anvil.ts";
import { type Contract, deploy, sendTx } from "../../../support/nodes/contracts.ts";
import { fund, makeWallet, makeWatch, signed } from "../../../support/nodes/evm_wallet.ts";
import { type OnCall, startFaultProxy } from "../../../support/nodes/fault_proxy.ts";

let anvil: Anvil;
let token: Contract;
let disperse: Contract;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  disperse = await deploy(anvil, { name: "Disperse" });
});
Deno.test.afterAll(() => anvil.stop());

const deposits = Array.from({ length: 10 }, (_, i) => makeWallet(100 + i).address);
const [deposit] = deposits as [string];

async function readFrom(from: number, contracts = [token.address]): Promise<ReadBlock[]> {
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  const { height } = await chain.tip();
  return await chain.readBlocks({ from, to: height }, makeWatch(deposits, contracts));
}

async function nextHeight(): Promise<number> {
  return Number(await anvil.rpc("eth_blockNumber")) + 1;
}

function transfersIn(blocks: readonly ReadBlock[]): Transfer[] {
  return blocks.flatMap((block) => block.transfers);
}

Deno.test("a native payment is read in full, to the last digit (hazard 53)", async () => {
  const from = await nextHeight();
  const txHash = await sendTx(anvil, { to: deposit.toLowerCase(), valueRaw: 2n ** 53n + 1n });
  const [block] = await readFrom(from);
  const { hash } = await anvil.rpc("eth_getBlockByNumber", [`0x${from.toString(16)}`, false]);
  assert.deepEqual([block!.ref.height, block!.ref.hash], [from, hash]);
  const [transfer] = block!.transfers;
  assert.deepEqual(transfer, {
    txHash,
    position: 0,
    contract: null,
    from: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    to: deposit,
    amountRaw: 9007199254740993n,
    sender: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    senderNonce: transfer!.senderNonce,
  });
});

Deno.test("a token payment is read from the log of its receipt", async () => {
  const from = await nextHeight();
  const txHash = await token.send("mint", [deposit, 2n ** 200n]);
  const [transfer] = transfersIn(await readFrom(from));
  assert.deepEqual(
    [transfer!.txHash, transfer!.position, transfer!.contract, transfer!.amountRaw, transfer!.to],
    [txHash, 1, token.address, 2n ** 200n, deposit],
  );
});

Deno.test("a payment that failed on the chain is no payment (hazard 12)", async () => {
  const rejector = await deploy(anvil, { name: "Rejector" });
  const from = await nextHeight();
  await sendTx(anvil, { to: rejector.address, valueRaw: 5n, gas: 100_000 });
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  const watch = makeWatch([rejector.address]);
  const [block] = await chain.readBlocks({ from, to: from }, watch);
  assert.ok(watch.asked[0]!.includes(rejector.address), "its recipient was a candidate");
  assert.deepEqual(block!.transfers, []);
});

Deno.test("a second token with the same symbol is not ours (hazard 13)", async () => {
  const twin = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  const from = await nextHeight();
  await twin.send("mint", [deposit, 1_000_000n]);
  assert.deepEqual(transfersIn(await readFrom(from)), []);
});

Deno.test("a lying contract can't speak for a listed one (hazard 14)", async () => {
  const liar = await deploy(anvil, { name: "LyingToken" });
  const from = await nextHeight();
  await liar.send("fake", [deposit, 10n ** 30n]);
  assert.deepEqual(transfersIn(await readFrom(from)), []);
});

Deno.test("a token that answers false has moved and paid nothing (hazard 14)", async () => {
  const falseToken = await deploy(anvil, { name: "FalseToken" });
  await falseToken.send("mint", [anvil.accounts[0], 5n]);
  const from = await nextHeight();
  await falseToken.send("transfer", [deposit, 5n]);
  assert.deepEqual(transfersIn(await readFrom(from, [falseToken.address])), []);
});

Deno.test("logs that only look like a transfer are ignored", async () => {
  const liar = await deploy(anvil, { name: "LyingToken" });
  const from = await nextHeight();
  await liar.send("fakeNft", [deposit, 1n]);
  await liar.send("fakeLong", [deposit, 1n]);
  await liar.send("fake", [deposit, 7n]);
  const transfers = transfersIn(await readFrom(from, [liar.address]));
  assert.deepEqual(transfers.map((it) => it.amountRaw), [7n]);
});

Deno.test("a stranger's transfer of nothing from our address creates no row (hazard 16)", async () => {
  const from = await nextHeight();
  const stranger = anvil.accounts[2]!;
  await token.send("transferFrom", [deposit, deposits[1], 0n], { from: stranger });
  await sendTx(anvil, { to: deposit, valueRaw: 0n });
  const blocks = await readFrom(from);
  assert.deepEqual(transfersIn(blocks), []);
  assert.deepEqual(blocks.flatMap((block) => block.spends), []);
});

Deno.test("every transfer of a transaction has its own row (hazard 17)", async () => {
  await token.send("mint", [anvil.accounts[0], 1_000n]);
  await token.send("approve", [disperse.address, 1_000n]);
  const from = await nextHeight();
  const stranger = makeWallet(900).address;
  const to = [deposit, stranger, deposit, deposits[1]];
  const txHash = await disperse.send("token_", [token.address, to, [1n, 2n, 3n, 4n]]);
  const transfers = transfersIn(await readFrom(from));
  assert.deepEqual(
    transfers.map((it) => [it.txHash, it.position, it.to, it.amountRaw]),
    [[txHash, 1, deposit, 1n], [txHash, 3, deposit, 3n], [txHash, 4, deposits[1], 4n]],
  );
});

Deno.test("the position counts all logs of the receipt, not just the watched ones", async () => {
  const other = await deploy(anvil, { name: "Token", args: ["OTHER", 6] });
  for (const it of [other, token]) {
    await it.send("mint", [anvil.accounts[0], 10n]);
    await it.send("approve", [disperse.address, 10n]);
  }
  const from = await nextHeight();
  await disperse.send("token_", [other.address, [deposit, deposit], [1n, 1n]]);
  await disperse.send("token_", [token.address, [makeWallet(901).address, deposit], [1n, 1n]]);
  const [own] = transfersIn(await readFrom(from));
  assert.equal(own!.position, 2);
});

Deno.test("a spend is reported with its fee, whether it succeeded or not (hazard 45)", async () => {
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  const usdt = await deploy(anvil, { name: "UsdtLike" });
  const wallet = makeWallet(100);
  await fund(anvil, wallet.address);
  await usdt.send("mint", [wallet.address, 100n]);
  const to = makeWallet(902).address;
  const payment = { wallet, to, contract: usdt.address, amountRaw: 5n };
  const first = await signed(chain, { ...payment, nonce: 0 });
  const second = await signed(chain, { ...payment, nonce: 1 });
  const from = await nextHeight();
  await anvil.rpc("eth_sendRawTransactionSync", [first.raw]);
  await usdt.send("ban", [wallet.address]);
  await anvil.rpc("eth_sendRawTransactionSync", [second.raw]);
  const before = await anvil.rpc("eth_getBalance", [
    wallet.address,
    `0x${(from - 1).toString(16)}`,
  ]);
  const after = await anvil.rpc("eth_getBalance", [wallet.address, "latest"]);
  const spends = (await readFrom(from)).flatMap((block) => block.spends);
  assert.deepEqual(
    spends.map((it) => [it.txHash, it.from, it.nonce, it.succeeded]),
    [[first.txHash, wallet.address, 0, true], [second.txHash, wallet.address, 1, false]],
  );
  const fees = spends.reduce((sum, it) => sum + it.feeRaw, 0n);
  assert.equal(fees, BigInt(before) - BigInt(after));
});

Deno.test("the creation of a contract has no recipient and is ignored", async () => {
  const from = await nextHeight();
  await deploy(anvil, { name: "Hungry" });
  assert.deepEqual(transfersIn(await readFrom(from)), []);
});

Deno.test("a range that ends above the tip is an error, not a shorter answer", async () => {
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  const { height } = await chain.tip();
  const watch = makeWatch(deposits);
  await assert.rejects(chain.readBlocks({ from: height, to: height + 1 }, watch), /does not have/);
  assert.equal(watch.asked.length, 0);
});

Deno.test("blocks take as many requests for 10 addresses as for 100,000", async () => {
  const from = await nextHeight();
  await anvil.mine(50);
  await token.send("mint", [deposit, 1n]);
  await sendTx(anvil, { to: deposits[1]!, valueRaw: 1n });
  await anvil.mine(48);
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const chain = connectEvm({ rpcUrls: [proxy.url] });
  const many = Array.from(
    { length: 99_990 },
    (_, i) => `0x${(i + 1).toString(16).padStart(40, "0")}`,
  );
  const seen: string[] = [];
  for (const owned of [deposits, [...deposits, ...many]]) {
    proxy.bodies.length = 0;
    const watch = makeWatch(owned, [token.address]);
    const blocks = await chain.readBlocks({ from, to: from + 99 }, watch);
    assert.equal(transfersIn(blocks).length, 2);
    assert.equal(watch.asked.length, 1);
    const logCalls = proxy.bodies.flat().filter((call) => call.method === "eth_getLogs");
    assert.equal(
      logCalls.length,
      2,
      "only blocks whose bloom shows nothing at all, or a watched log",
    );
    const calls = proxy.bodies.flat().length;
    seen.push(`${proxy.bodies.length} requests with ${calls} calls for 100 blocks`);
    // deno-lint-ignore no-console -- a number that the reader of a test run wants to see
    console.log(`      ${owned.length} addresses: ${seen.at(-1)}`);
  }
  assert.equal(seen[0], seen[1]);
});

const withoutBloom: OnCall = (method) =>
  method === "eth_getBlockByNumber"
    ? {
      edit: (reply) => {
        if (!reply.result) return reply;
        return {
          ...reply,
          result: { ...reply.result as object, logsBloom: `0x${"0".repeat(512)}` },
        };
      },
    }
    : "pass";

Deno.test("without header blooms tokens are still seen, and silence must be proven by receipts", async () => {
  const at = await nextHeight();
  await token.send("mint", [deposit, 7n]);
  await using proxy = await startFaultProxy(anvil.url, withoutBloom);
  const chain = connectEvm({ rpcUrls: [proxy.url] });
  const range = { from: at, to: at };
  const read = async () =>
    transfersIn(await chain.readBlocks(range, makeWatch(deposits, [token.address])));
  assert.deepEqual((await read()).map(({ amountRaw }) => amountRaw), [7n]);
  proxy.onCall = (method, params, body) =>
    method === "eth_getLogs"
      ? { edit: (reply) => ({ ...reply, result: [] }) }
      : withoutBloom(method, params, body);
  assert.deepEqual((await read()).map(({ amountRaw }) => amountRaw), [7n]);
});

for (const [chainId, seen] of [["137", [7n]], ["80002", [7n]], ["1", []]] as const) {
  Deno.test(`on chain ${chainId} a log missing from the bloom is ${seen.length ? "seen" : "not asked for"}`, async () => {
    const at = await nextHeight();
    await token.send("mint", [deposit, 7n]);
    await using proxy = await startFaultProxy(anvil.url, (method) => {
      if (method === "eth_chainId") {
        return { edit: ({ id }) => ({ id, result: `0x${Number(chainId).toString(16)}` }) };
      }
      if (method !== "eth_getBlockByNumber") return "pass";
      const logsBloom = `0x1${"0".repeat(511)}`;
      return { edit: (reply) => ({ ...reply, result: { ...reply.result as object, logsBloom } }) };
    });
    const expected = { code: "POL", chainId, genesisHash: null };
    const chain = connectEvm({ rpcUrls: [proxy.url], expected });
    const watch = makeWatch(deposits, [token.address]);
    const found = transfersIn(await chain.readBlocks({ from: at, to: at }, watch));
    assert.deepEqual(found.map(({ amountRaw }) => amountRaw), seen);
  });
}
