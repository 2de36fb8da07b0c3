import assert from "node:assert/strict";
import { closedUrl } from "../../../support/nodes/closed_url.ts";
import type { Chain } from "../../../../src/chains/chain.ts";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../../support/nodes/anvil.ts";
import { fund, makeWallet, signed } from "../../../support/nodes/evm_wallet.ts";
import { type Fault, type OnCall, startFaultProxy } from "../../../support/nodes/fault_proxy.ts";

let anvil: Anvil;
let direct: Chain;
const wallet = makeWallet(1);
const to = makeWallet(2).address;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil({ args: ["--no-mining"] });
  direct = connectEvm({ rpcUrls: [anvil.url] });
  await fund(anvil, wallet.address);
});
Deno.test.afterAll(() => anvil.stop());

function makeTx() {
  return signed(direct, { wallet, nonce: 0, to, contract: null, amountRaw: 5n });
}

async function isPooled(txHash: string): Promise<boolean> {
  return await anvil.rpc("eth_getTransactionByHash", [txHash]) !== null;
}

function onSend(fault: Fault): OnCall {
  return (method) => method === "eth_sendRawTransaction" ? fault : "pass";
}

function refusing(message: string, code = -32000): Fault {
  return { edit: ({ id }) => ({ id, error: { code, message } }) };
}

Deno.test("a transaction goes to every endpoint", () =>
  anvil.isolated(async () => {
    await using first = await startFaultProxy(anvil.url, () => "pass");
    await using second = await startFaultProxy(anvil.url, () => "pass");
    const { raw } = await makeTx();
    const chain = connectEvm({ rpcUrls: [first.url, second.url] });
    assert.deepEqual(await chain.broadcast(raw), { kind: "accepted" });
    for (const proxy of [first, second]) {
      // A slow one may be asked for its newest block meanwhile.
      const sends = proxy.bodies.flat().filter(({ method }) => method === "eth_sendRawTransaction");
      assert.deepEqual(sends.map(({ params }) => params), [[raw]]);
    }
  }));

Deno.test("bytes go to an endpoint once; another node behind it can't take that back (hazard 35)", () =>
  anvil.isolated(async () => {
    let sends = 0;
    await using proxy = await startFaultProxy(anvil.url, (method) => {
      if (method === "eth_getTransactionByHash") {
        return { edit: ({ id }) => ({ id, result: null }) };
      }
      if (method !== "eth_sendRawTransaction") return "pass";
      sends++;
      return sends === 1
        ? { status: 429, body: "", forwarded: true }
        : refusing("insufficient funds for gas * price + value");
    });
    const { raw, txHash } = await makeTx();
    const { kind } = await connectEvm({ rpcUrls: [proxy.url] }).broadcast(raw);
    assert.equal(kind, "unknown");
    assert.equal(sends, 1);
    assert.ok(await isPooled(txHash));
  }));

Deno.test("a reply that was lost after the node took the bytes is looked up (hazard 35)", () =>
  anvil.isolated(async () => {
    const faults: Fault[] = [
      { drop: "after" },
      { status: 502, body: "bad gateway", forwarded: true },
      { status: 429, body: "", forwarded: true },
      { status: 200, body: "garbage", forwarded: true },
      { edit: (reply) => ({ ...reply, result: `0x${"ab".repeat(32)}` }) },
      refusing("internal error", -32603),
    ];
    for (const fault of faults) {
      await anvil.isolated(async () => {
        const { raw, txHash } = await makeTx();
        await using proxy = await startFaultProxy(anvil.url, onSend(fault));
        const chain = connectEvm({ rpcUrls: [proxy.url] });
        assert.deepEqual(await chain.broadcast(raw), { kind: "accepted" });
        assert.equal(await isPooled(txHash), true);
      });
    }
  }));

Deno.test("if the look-up is lost too, the bytes may be anywhere (hazard 35)", () =>
  anvil.isolated(async () => {
    const { raw, txHash } = await makeTx();
    await using proxy = await startFaultProxy(anvil.url, () => ({ drop: "after" }));
    const chain = connectEvm({ rpcUrls: [proxy.url] });
    assert.equal((await chain.broadcast(raw)).kind, "unknown");
    assert.equal(await isPooled(txHash), true);
    assert.deepEqual(await direct.broadcast(raw), { kind: "accepted" });
  }));

Deno.test("a request that may have arrived is unknown, even if the node doesn't know it", () =>
  anvil.isolated(async () => {
    const faults: Fault[] = [
      { drop: "before" },
      { status: 500, body: "" },
      { status: 429, body: "" },
      { status: 200, body: JSON.stringify({ id: 1, error: { code: 1, message: "gremlins" } }) },
      { status: 200, body: JSON.stringify({ id: 1, result: `0x${"ab".repeat(32)}` }) },
    ];
    const { raw } = await makeTx();
    for (const fault of faults) {
      await using proxy = await startFaultProxy(anvil.url, onSend(fault));
      const chain = connectEvm({ rpcUrls: [proxy.url] });
      assert.equal((await chain.broadcast(raw)).kind, "unknown", JSON.stringify(fault));
    }
  }));

Deno.test("a node that is too slow is unknown, not unreachable", () =>
  anvil.isolated(async () => {
    const { raw } = await makeTx();
    await using proxy = await startFaultProxy(anvil.url, () => ({ delayMs: 500 }));
    const chain = connectEvm({ rpcUrls: [proxy.url], timeoutMs: 50 });
    assert.equal((await chain.broadcast(raw)).kind, "unknown");
  }));

Deno.test("a node that has the bytes already has accepted them (hazard 36)", () =>
  anvil.isolated(async () => {
    const { raw } = await makeTx();
    await using lossy = await startFaultProxy(anvil.url, () => ({ drop: "after" }));
    const chain = connectEvm({ rpcUrls: [lossy.url, anvil.url] });
    assert.deepEqual(await chain.broadcast(raw), { kind: "accepted" });
    assert.deepEqual(await direct.broadcast(raw), { kind: "accepted" });
  }));

Deno.test("a mined transaction that is sent again is accepted, not too low (hazard 37)", () =>
  anvil.isolated(async () => {
    const { raw } = await makeTx();
    await direct.broadcast(raw);
    await anvil.mine(1);
    await assert.rejects(anvil.rpc("eth_sendRawTransaction", [raw]), /nonce too low/);
    assert.deepEqual(await direct.broadcast(raw), { kind: "accepted" });
  }));

Deno.test("if another transaction used the nonce, the result is unknown (hazard 37)", () =>
  anvil.isolated(async () => {
    const { raw } = await makeTx();
    const other = await signed(direct, { wallet, nonce: 0, to, contract: null, amountRaw: 6n });
    await direct.broadcast(other.raw);
    await anvil.mine(1);
    assert.equal((await direct.broadcast(raw)).kind, "unknown");
  }));

Deno.test("a transaction that the pool dropped is accepted again (hazard 40)", () =>
  anvil.isolated(async () => {
    const { raw, txHash } = await makeTx();
    await direct.broadcast(raw);
    await anvil.rpc("anvil_dropTransaction", [txHash]);
    assert.equal(await isPooled(txHash), false);
    assert.deepEqual(await direct.broadcast(raw), { kind: "accepted" });
    assert.equal(await isPooled(txHash), true);
  }));

Deno.test("what an empty wallet sends is rejected, and accepted once it has funds (hazard 48)", () =>
  anvil.isolated(async () => {
    const { raw, txHash } = await makeTx();
    await anvil.rpc("anvil_setBalance", [wallet.address, "0x0"]);
    const result = await direct.broadcast(raw);
    assert.equal(result.kind, "rejected");
    assert.match("reason" in result ? result.reason : "", /127.0.0.1:\d+: insufficient funds/i);
    assert.equal(await isPooled(txHash), false);
    await fund(anvil, wallet.address);
    assert.deepEqual(await direct.broadcast(raw), { kind: "accepted" });
  }));

Deno.test("a rejection of bytes in the pool isn't believed", () =>
  anvil.isolated(async () => {
    const { raw } = await makeTx();
    await direct.broadcast(raw);
    await using proxy = await startFaultProxy(
      anvil.url,
      onSend(refusing("transaction underpriced")),
    );
    const chain = connectEvm({ rpcUrls: [proxy.url] });
    assert.deepEqual(await chain.broadcast(raw), { kind: "accepted" });
  }));

Deno.test("only refused connections are unreachable", () =>
  anvil.isolated(async () => {
    const { raw } = await makeTx();
    const rpcUrls = [closedUrl(), closedUrl()];
    assert.equal((await connectEvm({ rpcUrls }).broadcast(raw)).kind, "unreachable");
  }));

Deno.test("several nodes together are as certain as the least certain one", () =>
  anvil.isolated(async () => {
    const dead = closedUrl();
    await using poor = await startFaultProxy(
      anvil.url,
      onSend({
        status: 200,
        body: JSON.stringify({ id: 1, error: { code: -32000, message: "txpool is full" } }),
      }),
    );
    await using lossy = await startFaultProxy(anvil.url, onSend({ drop: "before" }));
    const rows: [string, string[]][] = [
      ["rejected", [poor.url, dead]],
      ["rejected", [poor.url, poor.url]],
      ["unknown", [poor.url, lossy.url]],
      ["unknown", [dead, lossy.url]],
      ["unknown", [lossy.url, poor.url, dead]],
    ];
    const { raw } = await makeTx();
    for (const [kind, rpcUrls] of rows) {
      assert.equal((await connectEvm({ rpcUrls }).broadcast(raw)).kind, kind);
    }
    const all = [poor.url, lossy.url, dead, anvil.url];
    assert.deepEqual(await connectEvm({ rpcUrls: all }).broadcast(raw), { kind: "accepted" });
  }));

Deno.test("bytes of another chain are rejected (hazard 50)", async () => {
  await using other = await startAnvil({ args: ["--chain-id", "56"] });
  await fund(other, wallet.address);
  const { raw } = await makeTx();
  assert.equal((await connectEvm({ rpcUrls: [other.url] }).broadcast(raw)).kind, "rejected");
});
