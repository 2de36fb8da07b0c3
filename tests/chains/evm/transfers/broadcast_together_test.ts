import assert from "node:assert/strict";
import { closedUrl } from "../../../support/nodes/closed_url.ts";
import type { Chain } from "../../../../src/chains/chain.ts";
import type { SignedTransfer } from "../../../../src/chains/transfer.ts";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../../support/nodes/anvil.ts";
import { fund, makeWallet } from "../../../support/nodes/evm_wallet.ts";
import {
  type Fault,
  type FaultProxy,
  type OnCall,
  startFaultProxy,
} from "../../../support/nodes/fault_proxy.ts";

const SEND = "eth_sendRawTransaction";
const LOOK_UP = "eth_getTransactionByHash";
const ETHER = 10n ** 18n;

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

/** One payment for each amount, with the nonces from 0 on. */
async function payments(ether: readonly bigint[]): Promise<SignedTransfer[]> {
  const preflight = await direct.prepareTransfer({
    from: wallet.address,
    to,
    contract: null,
    amountRaw: 1n,
  });
  assert.ok(preflight.kind === "ready");
  const { prepared } = preflight;
  return await Promise.all(ether.map((amount, nonce) => {
    const detail = { ...prepared.detail as object, valueRaw: amount * ETHER };
    return direct.signTransfer({ ...prepared, detail }, { nonce, signer: wallet.signer });
  }));
}

async function sendAll(urls: readonly string[] | Chain, all: readonly SignedTransfer[]) {
  const chain = "broadcast" in urls ? urls : connectEvm({ rpcUrls: urls });
  const results = await Promise.all(all.map(({ raw }) => chain.broadcast(raw)));
  return results.map(({ kind }) => kind);
}

async function pooled(all: readonly SignedTransfer[]): Promise<boolean[]> {
  const found = all.map(({ txHash }) => anvil.rpc(LOOK_UP, [txHash]));
  return (await Promise.all(found)).map((one) => one !== null);
}

/** The bytes of each body that sent any. */
function sendings({ bodies }: FaultProxy): unknown[][] {
  return bodies
    .map((calls) => calls.filter(({ method }) => method === SEND).map(({ params }) => params[0]))
    .filter((raws) => raws.length > 0);
}

const hidden: Fault = { edit: ({ id }) => ({ id, result: null }) };

/** Applies this fault to what is sent; the node doesn't find any transaction. */
function onSend(fault: (params: readonly unknown[]) => Fault): OnCall {
  return (method, params) => method === LOOK_UP ? hidden : method === SEND ? fault(params) : "pass";
}

Deno.test("concurrent payments go to each endpoint in one body, in order; a single one goes alone", () =>
  anvil.isolated(async () => {
    const heard: string[] = [];
    await using one = await startFaultProxy(anvil.url, (_method, _params, body) => {
      heard.push(body);
      return "pass";
    });
    await using two = await startFaultProxy(anvil.url, () => "pass");
    const all = await payments([1n, 1n, 1n, 1n, 1n]);
    const urls = [one.url, two.url];
    assert.deepEqual(await sendAll(urls, all), Array(5).fill("accepted"));
    for (const proxy of [one, two]) assert.deepEqual(sendings(proxy), [all.map(({ raw }) => raw)]);
    assert.deepEqual(await pooled(all), Array(5).fill(true));
    heard.length = 0;
    await sendAll(urls, all.slice(0, 1));
    assert.match(heard.join(), /^\{/);
  }));

Deno.test("a payment refused in the middle of a body is refused alone", () =>
  anvil.isolated(async () => {
    const all = await payments([1n, 1_000n, 1n]);
    assert.deepEqual(await sendAll([anvil.url], all), ["accepted", "rejected", "accepted"]);
    assert.deepEqual(await pooled(all), [true, false, true]);
  }));

Deno.test("a payment that one of two endpoints refuses and the other accepts is accepted", () =>
  anvil.isolated(async () => {
    const all = await payments([1n, 1n, 1n]);
    await using poor = await startFaultProxy(
      anvil.url,
      onSend((params) =>
        params[0] !== all[1]!.raw
          ? "pass"
          : { edit: ({ id }) => ({ id, error: { code: -32000, message: "insufficient funds" } }) }
      ),
    );
    const urls = [poor.url, anvil.url];
    assert.deepEqual(await sendAll(urls, all), Array(3).fill("accepted"));
  }));

Deno.test("after a lost or unclear answer nothing is called unsent, and the nodes are asked (hazard 35)", () =>
  anvil.isolated(async () => {
    const faults: Fault[] = [
      { drop: "after" },
      { status: 502, body: "bad gateway", forwarded: true },
      { status: 429, body: "", forwarded: true },
      { status: 200, body: "[]", forwarded: true },
      { status: 200, body: '[{"id":0,"error":{"message":"insufficient funds"}}]', forwarded: true },
      {
        status: 200,
        body: '{"id":null,"error":{"code":-32000,"message":"insufficient funds"}}',
        forwarded: true,
      },
    ];
    for (const fault of faults) {
      await anvil.isolated(async () => {
        const all = await payments([1n, 1n, 1n]);
        await using proxy = await startFaultProxy(anvil.url, onSend(() => fault));
        const chain = connectEvm({ rpcUrls: [proxy.url] });
        assert.deepEqual(await sendAll(chain, all), Array(3).fill("unknown"));
        assert.equal(sendings(proxy).length, 1, "and nothing is sent twice");
        proxy.onCall = (method) => method === SEND ? fault : "pass";
        assert.deepEqual(await sendAll(chain, all), Array(3).fill("accepted"));
      });
    }
  }));

Deno.test("a rate limit in one answer of a body turns no refusal into certainty (hazard 35)", () =>
  anvil.isolated(async () => {
    const all = await payments([1n, 1n, 1n]);
    const limited: Fault = {
      edit: ({ id }) => ({ id, error: { code: -32005, message: "txpool is full" } }),
    };
    await using proxy = await startFaultProxy(
      anvil.url,
      onSend((params) => params[0] === all[1]!.raw ? limited : "pass"),
    );
    assert.deepEqual(await sendAll([proxy.url], all), Array(3).fill("unknown"));
    assert.deepEqual(await pooled(all), [true, true, true]);
    assert.equal(sendings(proxy).length, 1);
  }));

Deno.test("a node that refuses a body's size gets smaller ones, and no bytes twice in one sending", () =>
  anvil.isolated(async () => {
    const all = await payments([1n, 1n, 1n, 1n, 1n]);
    const refusal = { status: 200, body: '{"error":{"code":-32600,"message":"batch too large"}}' };
    await using proxy = await startFaultProxy(
      anvil.url,
      (method, _params, body) => method === SEND && JSON.parse(body).length > 2 ? refusal : "pass",
    );
    const chain = connectEvm({ rpcUrls: [proxy.url] });
    const raws = all.map(({ raw }) => raw);
    assert.deepEqual(await sendAll(chain, all), Array(5).fill("unknown"));
    assert.deepEqual(sendings(proxy), [raws]);
    await sendAll(chain, all);
    assert.deepEqual(await pooled(all), Array(5).fill(false));
    proxy.bodies.length = 0;
    assert.deepEqual(await sendAll(chain, all), Array(5).fill("accepted"));
    assert.deepEqual(sendings(proxy), [raws.slice(0, 2), raws.slice(2, 4), raws.slice(4)]);
    assert.deepEqual(await pooled(all), Array(5).fill(true));
  }));

Deno.test("a whole body is unreachable only if no connection was established", () =>
  anvil.isolated(async () => {
    const all = await payments([1n, 1n]);
    const dead = closedUrl();
    assert.deepEqual(await sendAll([dead], all), ["unreachable", "unreachable"]);
    await using lossy = await startFaultProxy(anvil.url, onSend(() => ({ drop: "before" })));
    assert.deepEqual(await sendAll([dead, lossy.url], all), ["unknown", "unknown"]);
  }));
