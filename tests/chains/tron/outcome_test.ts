import assert from "node:assert/strict";
import type { Chain } from "../../../src/chains/chain.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import type { SignedTransfer } from "../../../src/chains/transfer.ts";
import { connectTron } from "../../../src/chains/tron/mod.ts";
import { startTronNode, type TronNode } from "../../support/tron_node/start.ts";
import { chainOf, fundBoth, makeTransfer, receiver, sender, TRX } from "./sending.ts";

const DEPTH = { depth: 20 };

function outcomeOf(chain: Chain, { txHash, nonce }: SignedTransfer) {
  return chain.outcome({ txHash, nonce, sender: sender.address }, DEPTH);
}

/** Blocks without it until the chain's time is this. */
function emptyUntil(node: TronNode, ms: number): void {
  while (node.head.timestampMs < ms) node.produce(1, { isEmpty: true });
}

Deno.test("a transaction has expired once a final block is later than its time, not before (hazard T4)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const chain = chainOf(node.url);
  const signed = await makeTransfer(chain);
  await chain.broadcast(signed.raw);
  assert.deepEqual(await outcomeOf(chain, signed), { kind: "unseen" });
  emptyUntil(node, signed.nonce + 3_000);
  assert.deepEqual(
    await outcomeOf(chain, signed),
    { kind: "unseen" },
    "Nothing of it is solid yet",
  );
  node.produce(17, { isEmpty: true });
  assert.deepEqual(await outcomeOf(chain, signed), { kind: "unseen" }, "Solid is its very time");
  node.produce(1, { isEmpty: true });
  const { number: height, id: blockHash, timestampMs } = node.solid;
  assert.ok(timestampMs > signed.nonce);
  assert.deepEqual(await outcomeOf(chain, signed), { kind: "expired", height, blockHash });
  assert.equal((await chain.broadcast(signed.raw)).kind, "unknown");
  assert.deepEqual(node.produce().transactions, []);
});

Deno.test("a node that has it in a block is believed over one that calls it expired (hazard T4)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const other = await node.addDoor();
  const chain = chainOf(node.url, other.url);
  const signed = await makeTransfer(chain);
  await chain.broadcast(signed.raw);
  node.produce();
  emptyUntil(node, signed.nonce + 60_000);
  const hides = ({ path }: { path: string }) =>
    path.endsWith("/gettransactioninfobyid") ? { body: "{}" } : undefined;
  for (const [blind, seeing] of [[node.door, other], [other, node.door]] as const) {
    blind.onCall = hides;
    seeing.onCall = () => {};
    assert.equal((await outcomeOf(chain, signed)).kind, "included");
  }
});

Deno.test("with a quorum of two, one endpoint's block time expires nothing (hazard T4)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const chain = connectTron({ rpcUrls: [node.url, (await node.addDoor()).url], quorum: 2 });
  const signed = await makeTransfer(chain);
  const outcome = () => outcomeOf(chain, signed);
  const { timestampMs } = node.solid;
  const lie = String(signed.nonce + 60_000);
  node.door.onCall = ({ path }) =>
    path.endsWith("/getblock")
      ? { edit: (text) => text.replaceAll(String(timestampMs), lie) }
      : undefined;
  assert.deepEqual(await outcome(), { kind: "unseen" });
  node.door.onCall = () => {};
  emptyUntil(node, signed.nonce + 60_000);
  assert.equal((await outcome()).kind, "expired");
});

Deno.test("of three endpoints, none that reports a later time makes a payout expire alone (hazard T4)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const doors = [node.door, await node.addDoor(), await node.addDoor()];
  for (const liar of doors) {
    const others = doors.filter((door) => door !== liar).map(({ url }) => url);
    const chain = connectTron({ rpcUrls: [liar.url, ...others] });
    const signed = await makeTransfer(chain);
    const late = (text: string) =>
      text.replace(/("timestamp":)(\d+)/g, (_, name, ms) => `${name}${Number(ms) + 1_200_000}`);
    liar.onCall = ({ path }) => path === "/walletsolidity/getblock" ? { edit: late } : undefined;
    assert.deepEqual(await outcomeOf(chain, signed), { kind: "unseen" });
    liar.onCall = () => {};
  }
});

Deno.test("a node that serves solid blocks on another port is asked there for those only", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const other = await node.addDoor();
  const serves = (view: string) => ({ path }: { path: string }) =>
    path.startsWith(view) ? undefined : { status: 404, body: "" };
  node.door.onCall = serves("/wallet/");
  other.onCall = serves("/walletsolidity/");
  const chain = chainOf(`${node.url}#solidity=${new URL(other.url).port}`);
  assert.equal((await chain.tip()).finalizedHeight, node.solid.number);
  const { raw, txHash } = await makeTransfer(chain);
  assert.equal((await chain.broadcast(raw)).kind, "accepted");
  assert.equal(node.produce().transactions[0]!.txId, txHash);
  await assert.rejects(chainOf(node.url).tip(), NodeError);
});

Deno.test("expiry goes by the chain's time, whatever the time is here (hazard T16)", async () => {
  for (const startMs of [1_000_000_002_000, 4_000_000_002_000]) {
    await using node = await startTronNode({ startMs });
    fundBoth(node);
    const chain = chainOf(node.url);
    const signed = await makeTransfer(chain);
    assert.equal(signed.nonce, node.head.timestampMs + 600_000);
    assert.equal((await chain.broadcast(signed.raw)).kind, "accepted");
    assert.equal(node.produce().transactions.length, 1);
  }
});

Deno.test("a transaction lost in a fork is unseen, and included again once it is mined again", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const chain = chainOf(node.url);
  const signed = await makeTransfer(chain);
  await chain.broadcast(signed.raw);
  const { number } = node.produce();
  const { id } = node.head;
  const included = { kind: "included", height: number, blockHash: id, succeeded: true };
  assert.deepEqual(await outcomeOf(chain, signed), included);
  node.reorg(1, { transactions: "gone" });
  assert.deepEqual(await outcomeOf(chain, signed), { kind: "unseen" });
  node.reorg(2, { include: [signed.raw] });
  const again = await outcomeOf(chain, signed);
  assert.ok(again.kind === "included" && again.blockHash !== id);
});

Deno.test("what was recorded is final only if the solid view agrees (hazard T8)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken({ name: "Tether USD", symbol: "USDT", decimals: 6 });
  token.mint(node.bank, 1_000n);
  const txHash = node.trigger(token.address, token.transferData(receiver, 7n));
  const { number: height } = node.produce();
  const chain = chainOf(node.url);
  const payment = { contract: token.address, to: receiver, position: 1, amountRaw: 7n };
  const seen = { txHash, height, succeeded: true, payment };
  assert.deepEqual([...await chain.finalView([seen])], []);
  node.produce(18);
  assert.deepEqual([...await chain.finalView([seen])], [txHash]);
  for (
    const other of [
      { ...seen, height: height + 1 },
      { ...seen, succeeded: false },
      { ...seen, payment: { ...payment, amountRaw: 8n } },
      { ...seen, payment: { ...payment, position: 2 } },
      { ...seen, payment: { ...payment, to: sender.address } },
      { ...seen, payment: { ...payment, contract: sender.address } },
    ]
  ) assert.deepEqual([...await chain.finalView([other])], [], JSON.stringify(Object.keys(other)));
});

Deno.test("a failure is final only if the solid view says so, not if it says nothing", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken({ name: "Tether USD", symbol: "USDT", decimals: 6 });
  const txHash = node.trigger(token.address, token.transferData(receiver, 10n ** 30n));
  const { number: height } = node.produce();
  node.produce(18);
  const chain = chainOf(node.url);
  const standing = async () =>
    (await chain.finalView([{ txHash, height, succeeded: false }])).has(txHash);
  assert.equal(await standing(), true);
  const without = (...reported: readonly string[]) => {
    node.door.onCall = ({ path }) =>
      path.endsWith("/gettransactioninfobyid")
        ? {
          edit: (text) =>
            reported.reduce((left, part) => {
              assert.ok(left.includes(part), part);
              return left.replaceAll(part, "");
            }, text),
        }
        : undefined;
  };
  for (const reported of ['"result":"FAILED",', ',"result":"REVERT"']) {
    without(reported);
    assert.equal(await standing(), true, `without ${reported}`);
  }
  without('"result":"FAILED",', ',"result":"REVERT"');
  assert.equal(await standing(), false);
});

Deno.test("a failure reported by one endpoint isn't released while another one has it paid", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken({ name: "Tether USD", symbol: "USDT", decimals: 6 });
  token.mint(node.bank, 100n);
  const txHash = node.trigger(token.address, token.transferData(receiver, 7n));
  const { number: height } = node.produce();
  node.produce(18);
  const liar = await node.addDoor({
    onCall: ({ path }) =>
      path.endsWith("/gettransactioninfobyid")
        ? { edit: (text) => text.replaceAll('"result":"SUCCESS"', '"result":"REVERT"') }
        : undefined,
  });
  const seen = [{ txHash, height, succeeded: false }];
  assert.deepEqual([...await chainOf(liar.url).finalView(seen)], [txHash]);
  assert.deepEqual([...await chainOf(liar.url, node.url).finalView(seen)], []);
});

Deno.test("a wallet is read from a node known to have the wanted height", async () => {
  await using node = await startTronNode();
  const late = await node.addDoor({ lag: 1 });
  const chain = chainOf(late.url, node.url);
  const { height } = await chain.tip();
  assert.equal((await chain.walletState(sender.address, [])).height, height - 1);
  assert.equal((await chain.walletState(sender.address, [], { height })).height, height);
});

Deno.test("balances are those of the block, even while the account is used and the pool is full", async () => {
  await using node = await startTronNode();
  fundBoth(node, 100n * TRX);
  const token = node.deployToken({ name: "Tether USD", symbol: "USDT", decimals: 6 });
  token.mint(sender.address, 50n);
  const chain = chainOf(node.url);
  const reported = new Map<number, bigint[]>();
  const asked = [
    { address: sender.address, contract: null },
    { address: sender.address, contract: token.address },
    { address: receiver, contract: null },
  ];
  for (let i = 0; i < 12; i++) {
    const contract = i % 2 === 0 ? null : token.address;
    const { raw } = await makeTransfer(chain, { contract, amountRaw: 2n, laterMs: i });
    assert.equal((await chain.broadcast(raw)).kind, "accepted");
    node.produce();
    reported.set(node.head.number, [
      node.balanceOf(sender.address),
      token.balanceOf(sender.address),
      node.balanceOf(receiver),
    ]);
  }
  const { raw } = await makeTransfer(chain, { amountRaw: 5n, laterMs: 99 });
  await chain.broadcast(raw);
  assert.equal(node.pool.length, 1);
  for (const [height, balances] of reported) {
    const block = { height, hash: node.chain.blocks[height]!.id };
    assert.deepEqual(await chain.balancesAt(block, asked), balances, `${height}`);
  }
  const state = await chain.walletState(sender.address, [token.address]);
  const [nativeRaw, tokensRaw] = reported.get(node.head.number)!;
  assert.deepEqual([state.nativeRaw, state.tokensRaw.get(token.address)], [nativeRaw, tokensRaw]);
  node.produce(30);
  for (const [height, balances] of reported) {
    const block = { height, hash: node.chain.blocks[height]!.id };
    assert.deepEqual(await chain.balancesAt(block, asked), balances, `${height} from above`);
  }
  const lost = { height: node.head.number, hash: node.head.id };
  node.reorg(2);
  await assert.rejects(chain.balancesAt(lost, asked), NodeError);
});
