import assert from "node:assert/strict";
import type { Chain } from "../../../src/chains/chain.ts";
import { NodeError, WrongChain } from "../../../src/chains/faults.ts";
import { connectEvm } from "../../../src/chains/evm/mod.ts";
import { createChains } from "../../../src/chains/registry.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { BAD_NODES } from "../../support/nodes/bad_nodes.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { makeWallet } from "../../support/nodes/evm_wallet.ts";
import { type OnCall, startFaultProxy } from "../../support/nodes/fault_proxy.ts";

let anvil: Anvil;
let expected: { code: string; chainId: string; genesisHash: string };
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  expected = { code: "ETH", ...await connectEvm({ rpcUrls: [anvil.url] }).identity() };
});
Deno.test.afterAll(() => anvil.stop());

const deposit = makeWallet(1).address;
const onOtherChain: OnCall = (method) =>
  method === "eth_chainId" ? { edit: ({ id }) => ({ id, result: "0x38" }) } : "pass";

function methodsIn(bodies: readonly (readonly { method: string }[])[]): string[] {
  return bodies.map(([call]) => call!.method);
}

Deno.test("an endpoint must show its chain first, and again after a failure (hazard 50)", async () => {
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const chain = connectEvm({ rpcUrls: [proxy.url], expected });
  await Promise.all([chain.tip(), chain.refAt(0)]);
  await chain.tip();
  const shown = ["eth_chainId", "eth_getBlockByNumber"];
  assert.deepEqual(methodsIn(proxy.bodies).toSpliced(2, 1), [...shown, shown[1]]);
  proxy.onCall = () => ({ drop: "before" });
  await assert.rejects(chain.tip(), NodeError);
  proxy.bodies.length = 0;
  proxy.onCall = onOtherChain;
  await assert.rejects(chain.tip(), WrongChain);
  assert.deepEqual(methodsIn(proxy.bodies), ["eth_chainId"], "nothing else was asked of it");
});

Deno.test("an endpoint on another chain is out of use, and asked again after a while (hazard 50)", async () => {
  let nowMs = 0;
  const reported: unknown[] = [];
  const log = {
    warn: (message: string, fields?: unknown) => void reported.push([message, fields]),
    info: (message: string) => void reported.push(message),
  };
  await using proxy = await startFaultProxy(anvil.url, onOtherChain);
  const waiting = { clock: { nowMs: () => nowMs }, sleep: () => new Promise<void>(() => {}) };
  const rpcUrls = [proxy.url, anvil.url];
  const chain = connectEvm({ rpcUrls, expected, waiting, log });
  for (let round = 0; round < 3; round++) await chain.tip();
  assert.deepEqual(methodsIn(proxy.bodies), ["eth_chainId"]);
  assert.equal(await chain.witnesses({ height: 0, hash: expected.genesisHash }), 1);
  assert.equal(reported.length, 1);
  assert.match(JSON.stringify(reported), /out of use.*ETH is chain 31337 .* but 127.* on chain 56/);
  proxy.onCall = () => "pass";
  nowMs += 10_000;
  await chain.tip();
  const witnesses = () => chain.witnesses({ height: 0, hash: expected.genesisHash });
  await eventually(witnesses, { until: (count) => count === 2 });
  assert.deepEqual(reported[1], "endpoint is of use again");
});

Deno.test("if no endpoint is right, nothing is asked or sent, and the error names the chain (hazard 50)", async () => {
  await using wrong = await startFaultProxy(anvil.url, onOtherChain);
  await using dead = await BAD_NODES.dead();
  for (const rpcUrls of [[wrong.url], [wrong.url, dead.url], [dead.url, wrong.url]]) {
    const network = {
      ...expected,
      family: "evm" as const,
      rpcUrls,
      feeModel: "l1" as const,
      quorum: 1,
    };
    const chain = createChains().of(network);
    await chain.broadcast("0x00").catch(() => {});
    for (const ask of [chain.tip, () => chain.refAt(0), () => chain.walletState(deposit, [])]) {
      await assert.rejects(ask, (error) => {
        assert.ok(error instanceof WrongChain, String(error));
        return /on chain 56/.test(error.message);
      });
    }
  }
  assert.deepEqual([...new Set(methodsIn(wrong.bodies))], ["eth_chainId"]);
});

Deno.test("a different genesis is a different chain, unless none is known (hazard 51)", async () => {
  await using fork = await startAnvil({ args: ["--timestamp", "1000"] });
  const rpcUrls = [fork.url];
  await assert.rejects(connectEvm({ rpcUrls, expected }).tip(), WrongChain);
  await connectEvm({ rpcUrls, expected: { ...expected, genesisHash: null } }).tip();
});

Deno.test("an endpoint that silently switches chains is neither followed nor signed for (hazard 50)", async () => {
  const request = { from: deposit, to: deposit, contract: null, amountRaw: 0n };
  const questions = [
    (chain: Chain) => chain.prepareTransfer(request),
    (chain: Chain) => chain.tip(),
  ];
  for (const ask of questions) {
    await using proxy = await startFaultProxy(anvil.url, () => "pass");
    const chain = connectEvm({ rpcUrls: [proxy.url], expected });
    await chain.refAt(0);
    proxy.onCall = onOtherChain;
    await assert.rejects(ask(chain), WrongChain);
    await assert.rejects(chain.refAt(0), WrongChain, "it is out of use");
  }
});
