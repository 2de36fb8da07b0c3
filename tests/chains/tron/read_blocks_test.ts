import assert from "node:assert/strict";
import type { ReadBlock, Transfer } from "../../../src/chains/chain.ts";
import { fromHex } from "../../../src/base/bytes.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import { idOf } from "../../../src/chains/tron/transfers/transaction.ts";
import { connectTron } from "../../../src/chains/tron/mod.ts";
import type { Reply } from "../../support/nodes/anvil.ts";
import { addressWord, selectorOf, uintWord } from "../../../src/sandbox/tron_node/contracts/abi.ts";
import { hexAddress } from "../../../src/sandbox/tron_node/addresses.ts";
import { type OnCall, startTronNode, type TronNode } from "../../support/tron_node/start.ts";
import { makeWatch } from "../../support/nodes/evm_wallet.ts";
import { answering, chainOf, fundBoth, makeTransfer, receiver, sender, TRX } from "./sending.ts";

const USDT = { name: "Tether USD", symbol: "USDT", decimals: 6 };

async function read(
  node: TronNode,
  { from = node.head.number, to = node.head.number, contracts = [] as string[] } = {},
): Promise<ReadBlock[]> {
  const watch = makeWatch([receiver, sender.address], contracts);
  return await chainOf(node.url).readBlocks({ from, to }, watch);
}

async function transfersIn(node: TronNode, contracts: string[] = []): Promise<Transfer[]> {
  return (await read(node, { contracts })).flatMap(({ transfers }) => transfers);
}

const PATH = "/wallet/getblockbylimitnext";

/** Changes what the node reports about a transaction in a block. */
function saying(path: string, change: (text: string) => string): OnCall {
  return (call) => call.path === path ? { edit: change } : undefined;
}

Deno.test("coins are read to the last unit, with signer and expiry (hazard 53)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const txHash = node.pay(receiver, 2n ** 53n + 1n);
  const expirationMs = node.head.timestampMs + 600_000;
  node.produce();
  assert.deepEqual(await transfersIn(node), [{
    txHash,
    position: 0,
    contract: null,
    from: node.bank,
    to: receiver,
    amountRaw: 9_007_199_254_740_993n,
    sender: node.bank,
    senderNonce: expirationMs,
  }]);
});

Deno.test("tokens are read from the watched contract's logs, each with its position in the receipt", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const [token, other] = [node.deployToken(USDT), node.deployToken(USDT)];
  const disperser = node.deployDisperser();
  token.mint(node.bank, 10n ** 9n);
  other.mint(node.bank, 10n ** 9n);
  const approve = selectorOf("approve(address,uint256)") + addressWord(disperser.address) +
    uintWord(10n ** 9n);
  node.trigger(token.address, approve);
  node.produce();
  node.trigger(other.address, other.transferData(receiver, 5n));
  const tos = [receiver, node.bank, receiver].map((to) => addressWord(hexAddress(to))).join("");
  const data = selectorOf("disperseToken(address,address[],uint256[])") +
    addressWord(token.hex) + uintWord(96n) + uintWord(96n + 4n * 32n) +
    uintWord(3n) + tos + uintWord(3n) + [7n, 8n, 9n].map(uintWord).join("");
  const txHash = node.trigger(disperser.base58, data);
  node.produce();
  const found = (await transfersIn(node, [token.address])).map((row) => [
    row.txHash,
    row.position,
    row.contract,
    row.from,
    row.amountRaw,
  ]);
  assert.deepEqual(found, [
    [txHash, 1, token.address, node.bank, 7n],
    [txHash, 3, token.address, node.bank, 9n],
  ]);
});

Deno.test("reverted calls and those out of energy paid nothing, and our own count as failed (hazard T7)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken(USDT);
  token.mint(sender.address, 100n);
  const chain = chainOf(node.url);
  const { raw, txHash } = await makeTransfer(chain, { contract: token.address, amountRaw: 7n });
  await chain.broadcast(raw);
  node.setChainParameters({ getEnergyFee: 500n });
  const reverted = node.trigger(token.address, token.transferData(receiver, 10n ** 30n));
  node.produce();
  assert.deepEqual(
    node.head.transactions.map(({ txId, ret }) => [txId, ret!.contractRet]),
    [[txHash, "OUT_OF_ENERGY"], [reverted, "REVERT"]],
  );
  const [block] = await read(node, { contracts: [token.address] });
  assert.deepEqual(block!.transfers, []);
  const [spend, ...others] = block!.spends;
  assert.deepEqual([spend!.txHash, spend!.succeeded, others.length], [txHash, false, 0]);
  assert.ok(spend!.feeRaw > 0n);
});

Deno.test("a payment counts only if both block and result call it a success (hazard T7)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken(USDT);
  token.mint(node.bank, 100n);
  node.pay(receiver, TRX);
  node.trigger(token.address, token.transferData(receiver, 7n));
  node.produce();
  const contracts = [token.address];
  assert.equal((await transfersIn(node, contracts)).length, 2);
  const infos = "/wallet/gettransactioninfobyblocknum";
  for (
    const [path, reported, changed, left] of [
      [PATH, '"contractRet":"SUCCESS"', '"contractRet":"REVERT"', 0],
      [PATH, '"contractRet":"SUCCESS"', '"contractRet":"OUT_OF_TIME"', 0],
      [infos, '"result":"SUCCESS"', '"result":"REVERT"', 1],
      [infos, '"result":"SUCCESS"', '"energy_penalty_total":0', 1],
      [infos, '"blockNumber"', '"result":"FAILED","blockNumber"', 0],
    ] as const
  ) {
    node.door.onCall = saying(path, (text) => {
      assert.ok(text.includes(reported), reported);
      return text.replaceAll(reported, changed);
    });
    assert.equal((await transfersIn(node, contracts)).length, left, `${path} ${changed}`);
  }
});

Deno.test("a token that answers false is judged by its logs, whether it moves something or not", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  for (const transfers of ["false_only", "honest"] as const) {
    const token = node.deployToken({ ...USDT, manners: { answers: "false" } });
    token.mint(sender.address, 100n);
    const chain = chainOf(node.url);
    const { raw } = await makeTransfer(chain, { contract: token.address, amountRaw: 7n });
    token.manners.transfers = transfers;
    assert.equal((await chain.broadcast(raw)).kind, "accepted");
    node.produce();
    const [block] = await read(node, { contracts: [token.address] });
    const { succeeded, tokenMoves } = block!.spends[0]!;
    const ends = { contract: token.address, from: sender.address, to: receiver };
    assert.equal(succeeded, true);
    assert.deepEqual(tokenMoves, transfers === "honest" ? [{ ...ends, amountRaw: 7n }] : []);
    assert.equal(block!.transfers.length, transfers === "honest" ? 1 : 0);
  }
});

Deno.test("a fork between a block and its results is noticed, even if both have as many (hazard T8)", async () => {
  for (const when of ["before", "between", "after"]) {
    await using node = await startTronNode();
    fundBoth(node);
    node.pay(receiver, TRX);
    node.produce();
    const { number: from } = node.head;
    const paths = {
      before: "/wallet/getblockbylimitnext",
      between: "/wallet/gettransactioninfobyblocknum",
      after: "/wallet/getblock",
    };
    let isForked = false;
    node.door.onCall = ({ path, input }) => {
      if (isForked || path !== paths[when as keyof typeof paths]) return;
      if (when === "after" && !input.includes(`"${from}"`)) return;
      isForked = true;
      node.reorg(1);
    };
    const reading = read(node, { from, to: from });
    if (when === "before") assert.equal((await reading)[0]!.ref.hash, node.chain.blocks[from]!.id);
    else await assert.rejects(reading, NodeError, when);
    assert.ok(isForked);
    node.door.onCall = () => {};
    assert.equal((await read(node, { from, to: from }))[0]!.transfers.length, 1);
  }
});

Deno.test("results of another height, time or transaction don't belong to the block (hazard T8)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  node.pay(receiver, TRX);
  node.produce();
  const { number, timestampMs } = node.head;
  for (
    const [reported, changed] of [
      [`"blockNumber":${number}`, `"blockNumber":${number + 1}`],
      [`"blockTimeStamp":${timestampMs}`, `"blockTimeStamp":${timestampMs - 3_000}`],
      [/^\[(.*)\]\s*$/s, "[$1,$1]"],
      [/^\[\{"id":"../, '[{"id":"00'],
    ] as const
  ) {
    node.door.onCall = saying("/wallet/gettransactioninfobyblocknum", (text) => {
      const edited = text.replace(reported, changed);
      assert.notEqual(edited, text);
      return edited;
    });
    await assert.rejects(read(node), /are not those of/, changed);
  }
});

const LIES: readonly { what: string; path: string; body: unknown }[] = [
  { what: "an empty object", path: PATH, body: {} },
  { what: "no blocks", path: PATH, body: { block: [] } },
  { what: "a list", path: PATH, body: [] },
  { what: "an error with status 200", path: PATH, body: { Error: "lack of computing resources" } },
  { what: "no results", path: "/wallet/gettransactioninfobyblocknum", body: [] },
  { what: "an object for results", path: "/wallet/gettransactioninfobyblocknum", body: {} },
  {
    what: "an error for results",
    path: "/wallet/gettransactioninfobyblocknum",
    body: { Error: "class java.lang.NullPointerException : null" },
  },
  { what: "nothing for the last block", path: "/wallet/getblock", body: {} },
];

for (const { what, path, body } of LIES) {
  Deno.test(`${what} from ${path} is no empty block (hazard T9)`, async () => {
    await using node = await startTronNode();
    fundBoth(node);
    node.pay(receiver, TRX);
    node.produce();
    node.door.onCall = answering(path, body);
    await assert.rejects(read(node), NodeError);
    node.door.onCall = () => {};
    assert.equal((await read(node))[0]!.transfers.length, 1);
  });
}

Deno.test("a block without its transactions is the node's fault, and another node is asked", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  node.pay(receiver, TRX);
  node.produce();
  const hollow = await node.addDoor({
    onCall: saying(PATH, (text) => {
      const { block } = JSON.parse(text);
      return JSON.stringify({
        block: block.map(({ blockID, block_header }: Reply) => ({ blockID, block_header })),
      });
    }),
  });
  const [from, to] = [node.head.number, node.head.number];
  const watch = makeWatch([receiver]);
  await assert.rejects(
    chainOf(hollow.url).readBlocks({ from, to }, watch),
    (error) => error instanceof NodeError && /root of transactions, and none/.test(error.message),
  );
  const [block] = await chainOf(hollow.url, node.url).readBlocks({ from, to }, watch);
  assert.deepEqual(block!.transfers.map(({ amountRaw }) => amountRaw), [TRX]);
  const [empty] = await chainOf(hollow.url).readBlocks({ from: from - 1, to: from - 1 }, watch);
  assert.deepEqual(empty!.transfers, [], "An empty block says so by its root");
});

Deno.test("what a node writes beside a transaction's own bytes isn't believed", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  node.pay(receiver, TRX);
  node.produce();
  node.door.onCall = saying(
    PATH,
    (text) => text.replaceAll('"amount":1000000', '"amount":9000000'),
  );
  assert.equal((await read(node))[0]!.transfers[0]!.amountRaw, TRX);
  const { txId } = node.head.transactions[0]!;
  for (const [reported, changed] of [[txId, "0".repeat(64)], ["18c0843d", "18c1843d"]] as const) {
    node.door.onCall = saying(PATH, (text) => {
      assert.ok(text.includes(reported));
      return text.replaceAll(reported, changed);
    });
    await assert.rejects(read(node), /are of another id/);
  }
});

Deno.test("one strange transaction in a block stops nobody from reading it", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  node.pay(receiver, TRX);
  node.produce();
  const { txId } = node.head.transactions[0]!;
  let strangeId = "";
  node.door.onCall = () => ({
    edit: (text) =>
      text.replace(/(?<="raw_data_hex":")[0-9a-f]+/, (raw) => {
        // The expiration and the contract again with a wrong wire type: the chain skips them.
        const strange = `${raw}42005801`;
        strangeId = idOf(fromHex(strange)!);
        return strange;
      }).replaceAll(txId, () => strangeId),
  });
  const [transfer] = await transfersIn(node);
  assert.deepEqual([transfer!.txHash, transfer!.amountRaw], [strangeId, TRX]);
});

Deno.test("blocks are read by twenties, results only if there are any, for any number of addresses", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  node.produce(139);
  node.pay(receiver, TRX);
  node.produce();
  const before = node.door.calls.length;
  const blocks = await read(node, { from: 1, to: node.head.number });
  assert.equal(blocks.length, 160);
  const paths = node.door.calls.slice(before).map(({ path }) => path);
  const count = (path: string) => paths.filter((one) => one === path).length;
  assert.equal(count(PATH), 8);
  assert.equal(count("/wallet/gettransactioninfobyblocknum"), 1, "Empty blocks have none");
});

Deno.test("with two endpoints that must agree, a lagging one delays only what it lacks", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const late = await node.addDoor({ lag: 5 });
  node.pay(receiver, TRX);
  node.produce();
  const chain = connectTron({ rpcUrls: [node.url, late.url], quorum: 2 });
  const { number } = node.head;
  assert.equal((await chain.tip()).height, number - 5);
  await assert.rejects(chain.readBlocks({ from: number, to: number }, makeWatch([receiver])));
  node.produce(5);
  const [block] = await chain.readBlocks({ from: number, to: number }, makeWatch([receiver]));
  assert.equal(block!.transfers.length, 1);
});
