import assert from "node:assert/strict";
import { present } from "../../../../src/base/assert.ts";
import type { Chain } from "../../../../src/chains/chain.ts";
import type { PushedHead } from "../../../../src/chains/head_socket.ts";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../../support/nodes/anvil.ts";
import { type Contract, deploy } from "../../../support/nodes/contracts.ts";
import { makeWallet, makeWatch } from "../../../support/nodes/evm_wallet.ts";
import { type FaultProxy, startFaultProxy } from "../../../support/nodes/fault_proxy.ts";

let anvil: Anvil;
let token: Contract;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
});
Deno.test.afterAll(() => anvil.stop());

const { address } = makeWallet(11);
const OTHER = `0x${"5".repeat(64)}`;

function watching() {
  return { ...makeWatch([address], [token.address], { traces: true }), isCreditedAtOnce: true };
}

/** A block with a payment of tokens, as its node pushes it. */
async function payAndPush(): Promise<Required<PushedHead>> {
  await token.send("mint", [address, 5n]);
  const block = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
  const { hash, parentHash, logsBloom: bloom } = block;
  return { height: Number(block.number), hash, parentHash, bloom, hasUsedGas: true };
}

async function read(chain: Chain, { height, hash }: PushedHead) {
  await chain.tip();
  const [block] = await chain.readBlocks({ from: height, to: height }, watching());
  const asked = [{ address, contract: token.address }];
  const [held] = await chain.balancesAt({ height, hash }, asked);
  return { block: present(block, "It was read"), held: present(held, "It was asked") };
}

function counted(proxy: FaultProxy, method: string): number {
  return proxy.bodies.flat().filter((call) => call.method === method).length;
}

Deno.test("what was asked about a pushed block, and with its receipts, isn't asked again", async () => {
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const chain = connectEvm({ rpcUrls: [proxy.url] });
  // Then it is known how this node traces.
  await read(chain, await payAndPush());
  const pushed = await payAndPush();
  proxy.bodies.length = 0;
  chain.expectBlock?.(pushed, watching());
  const found = await read(chain, pushed);
  for (const method of ["eth_getLogs", "trace_block", "eth_getTransactionReceipt", "eth_call"]) {
    assert.equal(counted(proxy, method), 1, method);
  }
  const plain = await read(connectEvm({ rpcUrls: [anvil.url] }), pushed);
  assert.deepEqual(found, plain);
  assert.equal(found.block.transfers.length, 1);

  await chain.balancesAt(pushed, [{ address, contract: token.address }]);
  assert.equal(counted(proxy, "eth_call"), 2, "Whoever asks again is answered anew");
});

Deno.test("a pushed block that isn't the next one changes nothing, and neither do failed answers", async () => {
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const chain = connectEvm({ rpcUrls: [proxy.url] });
  await read(chain, await payAndPush());
  const pushed = await payAndPush();
  chain.expectBlock?.({ ...pushed, hash: OTHER }, watching());
  const plain = await read(connectEvm({ rpcUrls: [anvil.url] }), pushed);
  assert.deepEqual(await read(chain, pushed), plain);

  const next = await payAndPush();
  let failed = 0;
  proxy.onCall = (method) =>
    ["eth_getLogs", "trace_block"].includes(method) && failed++ < 2
      ? { status: 502, body: "" }
      : "pass";
  chain.expectBlock?.(next, watching());
  const after = await read(connectEvm({ rpcUrls: [anvil.url] }), next);
  assert.deepEqual(await read(chain, next), after);
  assert.equal(failed >= 2, true);
});

Deno.test("logs that were asked about a pushed block are checked as any other", async () => {
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const chain = connectEvm({ rpcUrls: [proxy.url] });
  await read(chain, await payAndPush());
  const pushed = await payAndPush();
  proxy.onCall = (method) =>
    method === "eth_getLogs" ? { edit: (reply) => ({ ...reply, result: [] }) } : "pass";
  chain.expectBlock?.(pushed, watching());
  const { block } = await read(chain, pushed);
  assert.equal(block.transfers.length, 1, "The receipts prove that there are some");
});

Deno.test("an empty block that is pushed is asked nothing about", async () => {
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const chain = connectEvm({ rpcUrls: [proxy.url] });
  await read(chain, await payAndPush());
  const { hasUsedGas: _, ...empty } = await payAndPush();
  proxy.bodies.length = 0;
  chain.expectBlock?.(empty, watching());
  await chain.tip();
  assert.equal(counted(proxy, "eth_getLogs") + counted(proxy, "trace_block"), 0);
});
