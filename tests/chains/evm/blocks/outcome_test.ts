import assert from "node:assert/strict";
import type { Chain } from "../../../../src/chains/chain.ts";
import { NodeError } from "../../../../src/chains/faults.ts";
import type { SignedTransfer } from "../../../../src/chains/transfer.ts";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../../support/nodes/anvil.ts";
import { deploy } from "../../../support/nodes/contracts.ts";
import { fund, makeWallet, signed } from "../../../support/nodes/evm_wallet.ts";
import { type OnCall, startFaultProxy } from "../../../support/nodes/fault_proxy.ts";

let anvil: Anvil;
let chain: Chain;
const wallet = makeWallet(1);
const to = makeWallet(2).address;
const coins = { wallet, to, contract: null, amountRaw: 5n, nonce: 0 };
Deno.test.beforeAll(async () => {
  anvil = await startAnvil({ args: ["--no-mining"] });
  chain = connectEvm({ rpcUrls: [anvil.url] });
  await fund(anvil, wallet.address);
  await anvil.mine(3);
});
Deno.test.afterAll(() => anvil.stop());

function outcomeOf(
  { txHash, nonce }: SignedTransfer,
  { depth = 1, asksAll = false, through = chain } = {},
) {
  return through.outcome({ txHash, sender: wallet.address, nonce }, { depth, asksAll });
}

Deno.test("a transaction in the pool is unseen, and included once it is mined", () =>
  anvil.isolated(async () => {
    const tx = await signed(chain, coins);
    assert.deepEqual(await outcomeOf(tx), { kind: "unseen" });
    await chain.broadcast(tx.raw);
    assert.deepEqual(await outcomeOf(tx), { kind: "unseen" });
    await anvil.mine(1);
    const { height, hash } = await chain.tip();
    const included = { kind: "included", height, blockHash: hash, succeeded: true };
    assert.deepEqual(await outcomeOf(tx), included);
  }));

Deno.test("a transaction that reverted on the chain is included and failed (hazard 45)", () =>
  anvil.isolated(async () => {
    await anvil.rpc("evm_setAutomine", [true]);
    const usdt = await deploy(anvil, { name: "UsdtLike" });
    await usdt.send("mint", [wallet.address, 10n]);
    const tx = await signed(chain, { ...coins, contract: usdt.address });
    await usdt.send("ban", [wallet.address]);
    await anvil.rpc("evm_setAutomine", [false]);
    assert.deepEqual(await chain.broadcast(tx.raw), { kind: "accepted" });
    await anvil.mine(1);
    const outcome = await outcomeOf(tx);
    assert.equal(outcome.kind === "included" && outcome.succeeded, false);
    assert.equal(outcome.kind, "included");
  }));

Deno.test("a transaction removed by a reorg is unseen and can be sent again (hazard 44)", () =>
  anvil.isolated(async () => {
    const tx = await signed(chain, coins);
    await chain.broadcast(tx.raw);
    await anvil.mine(1);
    await anvil.rpc("anvil_reorg", [1, []]);
    assert.deepEqual(await outcomeOf(tx), { kind: "unseen" });
    assert.deepEqual(await chain.broadcast(tx.raw), { kind: "accepted" });
    await anvil.mine(1);
    assert.equal((await outcomeOf(tx)).kind, "included");
  }));

Deno.test("a dropped transaction isn't replaced while its nonce is free (hazard 40)", () =>
  anvil.isolated(async () => {
    const tx = await signed(chain, coins);
    await chain.broadcast(tx.raw);
    await anvil.rpc("anvil_dropAllTransactions");
    await anvil.mine(30);
    assert.deepEqual(await outcomeOf(tx), { kind: "unseen" });
  }));

Deno.test("it is replaced only if another one used its nonce deep enough (hazard 41)", () =>
  anvil.isolated(async () => {
    const tx = await signed(chain, coins);
    const other = await signed(chain, { ...coins, to: wallet.address, amountRaw: 0n });
    await chain.broadcast(other.raw);
    await anvil.mine(1);
    const { height } = await chain.tip();
    assert.deepEqual(await outcomeOf(tx), { kind: "replaced", height });
    assert.deepEqual(await outcomeOf(tx, { depth: 3 }), { kind: "unseen" });
    await anvil.mine(2);
    assert.deepEqual(await outcomeOf(tx, { depth: 3 }), { kind: "replaced", height });
    assert.deepEqual(await outcomeOf(tx, { depth: 1_000 }), { kind: "unseen" });
    assert.equal((await outcomeOf(other)).kind, "included");
  }));

/** `lagging` answers null for a receipt the first `times` times. */
function lagging(times: number): OnCall {
  let left = times;
  return (method) => {
    if (method !== "eth_getTransactionReceipt" || left-- <= 0) return "pass";
    return { edit: (reply) => ({ ...reply, result: null }) };
  };
}

Deno.test("a mined transaction is never replaced if its receipt was late", () =>
  anvil.isolated(async () => {
    const tx = await signed(chain, coins);
    await chain.broadcast(tx.raw);
    await anvil.mine(1);
    for (const times of [1, 2]) {
      await using proxy = await startFaultProxy(anvil.url, lagging(times));
      const through = connectEvm({ rpcUrls: [proxy.url] });
      assert.equal((await outcomeOf(tx, { through })).kind, "included", `${times} late`);
    }
  }));

Deno.test("it isn't replaced if any other node knows it", () =>
  anvil.isolated(async () => {
    const tx = await signed(chain, coins);
    await chain.broadcast(tx.raw);
    await anvil.mine(1);
    await using forgetful = await startFaultProxy(anvil.url, lagging(Infinity));
    const alone = connectEvm({ rpcUrls: [forgetful.url] });
    assert.equal((await outcomeOf(tx, { through: alone })).kind, "replaced");
    const both = connectEvm({ rpcUrls: [forgetful.url, anvil.url] });
    assert.equal((await outcomeOf(tx, { through: both })).kind, "included");
  }));

Deno.test("one node that never counts what used a nonce doesn't hide it from two others", () =>
  anvil.isolated(async () => {
    const tx = await signed(chain, coins);
    const other = await signed(chain, { ...coins, amountRaw: 6n });
    await chain.broadcast(other.raw);
    await anvil.mine(1);
    const { height } = await chain.tip();
    await using stuck = await startFaultProxy(
      anvil.url,
      (method) =>
        method === "eth_getTransactionCount"
          ? { edit: (reply) => ({ ...reply, result: "0x0" }) }
          : "pass",
    );
    const honest = [anvil.url, anvil.url.replace("127.0.0.1", "localhost")];
    const through = (rpcUrls: string[]) => connectEvm({ rpcUrls });
    const all = through([stuck.url, ...honest]);
    const asked = { through: all, asksAll: true };
    assert.deepEqual(await outcomeOf(tx, asked), { kind: "replaced", height });
    const two = through([stuck.url, anvil.url]);
    assert.deepEqual(await outcomeOf(tx, { ...asked, through: two }), { kind: "unseen" });
    assert.equal((await outcomeOf(other, asked)).kind, "included");
    const [said] = await all.nextNonces!([wallet.address]);
    assert.deepEqual(said, { lowest: 0, highest: 1, byMost: 1, isAgreed: false });
  }));

Deno.test("a receipt from a block outside the chain doesn't count", () =>
  anvil.isolated(async () => {
    const tx = await signed(chain, coins);
    await chain.broadcast(tx.raw);
    await anvil.mine(1);
    await using forked = await startFaultProxy(anvil.url, (method) => {
      if (method !== "eth_getBlockByNumber") return "pass";
      const hash = `0x${"cd".repeat(32)}`;
      return { edit: (reply) => ({ ...reply, result: { ...reply.result as object, hash } }) };
    });
    const through = connectEvm({ rpcUrls: [forked.url] });
    assert.deepEqual(await outcomeOf(tx, { through }), { kind: "unseen" });
  }));

Deno.test("a failure of any of the questions is an error, not an outcome", () =>
  anvil.isolated(async () => {
    const tx = await signed(chain, coins);
    const other = await signed(chain, { ...coins, amountRaw: 6n });
    await chain.broadcast(other.raw);
    await anvil.mine(1);
    const methods = [
      "eth_getTransactionReceipt",
      "eth_blockNumber",
      "eth_getTransactionCount",
      "eth_getBlockByNumber",
    ];
    for (const method of methods) {
      await using proxy = await startFaultProxy(anvil.url, (called) => {
        return called === method ? { status: 429, body: "" } : "pass";
      });
      const through = connectEvm({ rpcUrls: [proxy.url] });
      await assert.rejects(outcomeOf(tx, { through }), NodeError, method);
    }
  }));

Deno.test("if a node has pruned the state at that depth, another node that has it is asked", () =>
  anvil.isolated(async () => {
    const tx = await signed(chain, coins);
    const other = await signed(chain, { ...coins, amountRaw: 6n });
    await chain.broadcast(other.raw);
    await anvil.mine(1);
    const pruned: OnCall = (method) =>
      method === "eth_getTransactionCount"
        ? {
          edit: ({ id }) => ({ id, error: { code: -32000, message: "missing trie node 5f2c" } }),
        }
        : "pass";
    await using full = await startFaultProxy(anvil.url, pruned);
    const alone = connectEvm({ rpcUrls: [full.url] });
    assert.deepEqual(await outcomeOf(tx, { through: alone }), { kind: "unseen" });
    await using second = await startFaultProxy(anvil.url, pruned);
    const both = connectEvm({ rpcUrls: [full.url, second.url] });
    assert.deepEqual(await outcomeOf(tx, { through: both }), { kind: "unseen" });
    const beside = connectEvm({ rpcUrls: [full.url, anvil.url] });
    assert.equal((await outcomeOf(tx, { through: beside })).kind, "replaced");
    second.onCall = () => ({ status: 500, body: "" });
    await assert.rejects(outcomeOf(tx, { through: both }), NodeError, "it may have known");
  }));
