import assert from "node:assert/strict";
import { getAddress, getContractAddress } from "viem/utils";
import type { ReadBlock, Transfer } from "../../../../src/chains/chain.ts";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import { type Anvil, type Reply, startAnvil } from "../../../support/nodes/anvil.ts";
import { type Contract, deploy, sendTx } from "../../../support/nodes/contracts.ts";
import { makeWallet, makeWatch } from "../../../support/nodes/evm_wallet.ts";
import type { FaultProxy } from "../../../support/nodes/fault_proxy.ts";
import {
  isTraceCall,
  startNodeWithout,
  startNodeWithTraces,
} from "../../../support/nodes/tracing_nodes.ts";

let anvil: Anvil;
let geth: FaultProxy;
let parity: FaultProxy;
let inner: Contract;
let lender: Contract;
let disperse: Contract;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  geth = await startNodeWithout(anvil, ["trace_block"]);
  parity = await startNodeWithout(anvil, ["debug_traceBlockByHash"]);
  inner = await deploy(anvil, { name: "Inner" });
  lender = await deploy(anvil, { name: "Inner" });
  disperse = await deploy(anvil, { name: "Disperse" });
});
Deno.test.afterAll(async () => {
  await geth[Symbol.asyncDispose]();
  await parity[Symbol.asyncDispose]();
  await anvil.stop();
});

const [deposit, second] = [makeWallet(100).address, makeWallet(101).address] as const;
const stranger = makeWallet(900).address;

interface ReadOptions {
  readonly owned?: readonly string[];
  readonly traces?: boolean;
  readonly url?: string;
  /** Gets the addresses that the reading asked about. */
  readonly asked?: string[];
}

/** The newest block. */
async function readLast(
  { owned = [deposit, second], traces = true, url = geth.url, asked = [] }: ReadOptions = {},
): Promise<ReadBlock> {
  const chain = connectEvm({ rpcUrls: [url] });
  const { height } = await chain.tip();
  const watch = makeWatch(owned, [], { traces });
  const [block] = await chain.readBlocks({ from: height, to: height }, watch);
  asked.push(...watch.asked.flat());
  return block!;
}

/** Reads with both kinds of traces, which must report the same. */
async function paidLast(owned?: readonly string[]): Promise<readonly Transfer[]> {
  const options = owned ? { owned } : {};
  const { transfers } = await readLast(options);
  assert.deepEqual((await readLast({ ...options, url: parity.url })).transfers, transfers);
  return transfers;
}

function reported(transfers: readonly Transfer[]): unknown[] {
  return transfers.map((it) => [it.position, it.from, it.to, it.amountRaw]);
}

async function balanceOf(address: string): Promise<bigint> {
  return BigInt(await anvil.rpc("eth_getBalance", [address, "latest"]));
}

Deno.test("coins sent by a contract are separate transfers with their own positions (hazard 18)", async () => {
  const txHash = await disperse.send("ether_", [[deposit, stranger, deposit], [1n, 2n, 3n]], {
    valueRaw: 6n,
  });
  const transfers = await paidLast();
  assert.deepEqual(reported(transfers), [
    [-3, disperse.address, deposit, 1n],
    [-5, disperse.address, deposit, 3n],
  ]);
  const { from, nonce } = await anvil.rpc("eth_getTransactionByHash", [txHash]);
  for (const it of transfers) {
    assert.deepEqual(
      [it.txHash, it.contract, it.sender.toLowerCase(), it.senderNonce],
      [txHash, null, from, Number(nonce)],
    );
  }
  assert.deepEqual((await readLast({ traces: false })).transfers, []);
});

Deno.test("coins of a self-destructing contract go to the address it names (hazard 18)", async () => {
  await inner.send("bomb", [deposit, 5n], { valueRaw: 5n });
  const bomb = getContractAddress({ from: inner.address as `0x${string}`, nonce: 1n });
  // The bomb's own creation with 5 is the payment before it.
  assert.deepEqual(reported(await paidLast()), [[-4, bomb, deposit, 5n]]);
});

Deno.test("coins given at creation belong to the new contract", async () => {
  const nonce = BigInt(await anvil.rpc("eth_getTransactionCount", [inner.address, "latest"]));
  const from = inner.address as `0x${string}`;
  const made = getContractAddress({ from, nonce });
  await inner.send("create", [7n], { valueRaw: 7n });
  assert.deepEqual(reported(await paidLast([made])), [[-3, inner.address, made, 7n]]);
  const salt = `0x${"05".repeat(32)}`;
  await inner.send("create2", [8n, salt], { valueRaw: 8n });
  const salted = getAddress(
    (await tracesOfLast()).find((it) => it.type === "create").result.address,
  );
  assert.equal(await balanceOf(salted), 8n);
  assert.deepEqual(reported(await paidLast([salted])), [[-3, inner.address, salted, 8n]]);
});

async function tracesOfLast(): Promise<Reply[]> {
  return await anvil.rpc("trace_block", ["latest"]);
}

Deno.test("a failed call paid nothing, even if its inner frame shows no error (hazard 19)", async () => {
  await inner.send("payInVainThen", [second, 9n, 0n], { valueRaw: 9n });
  assert.equal(await balanceOf(second), 0n);
  assert.deepEqual(await paidLast(), []);
  await inner.send("payInVainThen", [deposit, 9n, 4n], { valueRaw: 9n });
  assert.deepEqual(reported(await paidLast()), [[-3, inner.address, deposit, 4n]]);
});

Deno.test("a call that failed itself paid nothing (hazard 19)", async () => {
  const [forwarder, rejecting] = [makeWallet(103).address, makeWallet(104).address];
  await anvil.rpc("anvil_setCode", [rejecting, "0x5f5ffd"]); // PUSH0 PUSH0 REVERT
  // CALL with all that came in (CALLVALUE, 34), whatever comes of it.
  const code = `0x60006000600060003473${rejecting.slice(2)}5af100`;
  await anvil.rpc("anvil_setCode", [forwarder, code]);
  await sendTx(anvil, { to: forwarder, valueRaw: 5n });
  assert.equal(await balanceOf(forwarder), 5n);
  assert.deepEqual(await paidLast([rejecting]), []);
});

Deno.test("a delegated call shows its caller's value and pays nobody (hazard 20)", async () => {
  const owned = [deposit, lender.address];
  await inner.send("lend", [lender.address, deposit, 3n], { valueRaw: 10n });
  assert.deepEqual(reported(await paidLast(owned)), [[-3, inner.address, deposit, 3n]]);
});

Deno.test("coins sent to a clone are credited to it once (hazard 20)", async () => {
  const clone = makeWallet(102).address;
  const target = lender.address.slice(2).toLowerCase();
  // The minimal proxy of ERC-1167: hands every call and its value on to the target by DELEGATECALL.
  const code = `0x363d3d373d3d3d363d73${target}5af43d82803e903d91602b57fd5bf3`;
  await anvil.rpc("anvil_setCode", [clone, code]);
  await disperse.send("ether_", [[clone], [11n]], { valueRaw: 11n });
  const transfers = await paidLast([clone, lender.address]);
  assert.deepEqual(reported(transfers), [[-3, disperse.address, clone, 11n]]);
  assert.equal(await balanceOf(clone), 11n);
});

Deno.test("a CALLCODE pays its own caller, whomever it names", async () => {
  await inner.send("callcode_", [deposit, 6n], { valueRaw: 6n });
  assert.deepEqual(await paidLast([deposit, inner.address]), [
    (await readLast({ traces: false, owned: [inner.address] })).transfers[0],
  ]);
});

Deno.test("a static call pays nothing, even if a node shows a value", async () => {
  await inner.send("look", [deposit], { valueRaw: 6n });
  await using node = await startNodeWithTraces(anvil, (traces) => {
    assert.equal(traces[0].result.calls[0].type, "STATICCALL");
    traces[0].result.calls[0].value = "0x6";
    return traces;
  });
  assert.deepEqual((await readLast({ url: node.url })).transfers, []);
});

Deno.test("a call to oneself moves nothing", async () => {
  await inner.send("payInVainThen", [inner.address, 0n, 5n], { valueRaw: 5n });
  assert.deepEqual((await paidLast([inner.address])).map((it) => it.position), [0]);
});

Deno.test("a transaction's value and its contract's payments each count once (hazard 21)", async () => {
  await disperse.send("ether_", [[deposit], [5n]], { valueRaw: 5n });
  assert.deepEqual(reported(await paidLast([deposit, disperse.address])), [
    [0, "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", disperse.address, 5n],
    [-3, disperse.address, deposit, 5n],
  ]);
});

Deno.test("a payment of nothing inside a transaction is no payment", async () => {
  await inner.send("pay", [deposit, 0n]);
  assert.deepEqual(await paidLast(), []);
});

Deno.test("a failed transaction paid nothing inside, whatever its trace says (hazard 12)", async () => {
  await inner.send("payAndFail", [second, 5n], { valueRaw: 5n, gas: 200_000 });
  assert.equal(await balanceOf(second), 0n);
  const asked: string[] = [];
  for (const url of [geth.url, parity.url]) {
    assert.deepEqual((await readLast({ url, asked })).transfers, []);
  }
  assert.equal(asked.includes(second), false);
  await using node = await startNodeWithTraces(anvil, (traces) => {
    delete traces[0].result.error;
    return traces;
  });
  assert.deepEqual((await readLast({ url: node.url })).transfers, []);
});

Deno.test("a spend that also pays inside is both", async () => {
  const sender = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
  await disperse.send("ether_", [[deposit], [5n]], { valueRaw: 5n });
  const { transfers, spends } = await readLast({ owned: [sender, deposit] });
  assert.deepEqual([transfers.length, spends.length], [1, 1]);
});

Deno.test("the log of a coin transfer is never a token's, even if listed as one (hazards 21, 22)", async () => {
  const nativeLogs = "0xffffFFFfFFffffffffffffffFfFFFfffFFFfFFfE";
  const liar = await deploy(anvil, { name: "LyingToken" });
  await anvil.rpc("anvil_setCode", [
    nativeLogs,
    await anvil.rpc("eth_getCode", [liar.address, "latest"]),
  ]);
  await sendTx(anvil, { to: nativeLogs, data: liar.encode("fake", [deposit, 10n]) });
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  const { height } = await chain.tip();
  const logs = await anvil.rpc("eth_getLogs", [{ address: nativeLogs }]);
  assert.equal(logs.length, 1);
  for (const contracts of [[], [nativeLogs], [nativeLogs, liar.address]]) {
    const watch = makeWatch([deposit], contracts, { traces: true });
    const [block] = await chain.readBlocks({ from: height, to: height }, watch);
    assert.deepEqual(block!.transfers, []);
  }
});

Deno.test("an inner payment keeps its hash and position in another block", () =>
  anvil.isolated(async () => {
    const transaction = await disperse.send("ether_", [[stranger, deposit], [1n, 2n]], {
      valueRaw: 3n,
    });
    const raw = await anvil.rpc("eth_getRawTransactionByHash", [transaction]);
    const [before] = await paidLast();
    assert.equal(before!.position, -4);
    await anvil.mine(2);
    await anvil.rpc("anvil_reorg", [3, [[raw, 2]]]);
    assert.deepEqual(await paidLast(), [before]);
  }));

Deno.test("frames that moved nothing aren't counted, because nodes differ in showing them", async () => {
  await inner.send("payInVainThen", [deposit, 9n, 4n], { valueRaw: 9n });
  const ecrecover = "0x0000000000000000000000000000000000000001";
  await using node = await startNodeWithTraces(anvil, (traces) => {
    traces[0].result.calls.unshift({ type: "CALL", from: stranger, to: ecrecover, value: "0x0" });
    traces[0].result.calls.splice(1, 1);
    return traces;
  });
  const { transfers } = await readLast({ url: node.url });
  assert.deepEqual(transfers, (await readLast()).transfers);
  assert.equal(transfers.length, 1);
});

Deno.test("traces take one call per block with transactions, for 10 addresses as for 100,000", async () => {
  const from = Number(await anvil.rpc("eth_blockNumber")) + 1;
  await anvil.mine(50);
  await disperse.send("ether_", [[deposit, second], [1n, 2n]], { valueRaw: 3n });
  await sendTx(anvil, { to: deposit, valueRaw: 1n });
  await anvil.mine(48);
  const few = [
    deposit,
    second,
    ...Array.from({ length: 8 }, (_, i) => makeWallet(200 + i).address),
  ];
  const many = Array.from({ length: 99_990 }, (_, i) => `0x${i.toString(16).padStart(40, "0")}`);
  for (const methods of [["trace_block"], ["debug_traceBlockByHash"]]) {
    await using proxy = await startNodeWithout(anvil, methods);
    const chain = connectEvm({ rpcUrls: [proxy.url] });
    assert.equal(await chain.canTrace(), true);
    const seen = new Set<string>();
    for (const traces of [false, true]) {
      for (const owned of [few, [...few, ...many]]) {
        proxy.bodies.length = 0;
        const watch = makeWatch(owned, [], { traces });
        const blocks = await chain.readBlocks({ from, to: from + 99 }, watch);
        assert.equal(blocks.flatMap((block) => block.transfers).length, traces ? 3 : 1);
        assert.equal(watch.asked.length, 1);
        const calls = proxy.bodies.flat();
        assert.equal(calls.filter(isTraceCall).length, traces ? 2 : 0);
        const cost = `${proxy.bodies.length} requests with ${calls.length} calls`;
        seen.add(`${traces ? "with" : "without"} traces ${cost}`);
        // deno-lint-ignore no-console -- a number that the reader of a test run wants to see
        console.log(`      ${owned.length} addresses, 100 blocks, traces ${traces}: ${cost}`);
      }
    }
    assert.equal(seen.size, 2);
  }
});
