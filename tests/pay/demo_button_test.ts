import assert from "node:assert/strict";
import { Hono } from "hono";
import type { DemoPayment } from "../../src/invoices/rules/demo_wallet.ts";
import type { HttpEnv } from "../../src/http/request_state.ts";
import { createDemoButton } from "../../src/pay/demo.ts";
import { makeInvoice } from "../support/checkout/invoices.ts";
import { enable, makeMerchant, makeNetwork, startGateway } from "../support/gateway.ts";

Deno.test("a payment that the demo's chain refuses is made by the next click, and only once", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"] });
  const { accountId } = await makeMerchant(gateway);
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  const { token } = await makeInvoice(deps, { accountId });
  const asked: DemoPayment[] = [];
  const pay = async (payment: DemoPayment) => {
    await Promise.resolve();
    asked.push(payment);
    if (asked.length === 1) throw new RangeError("replacement transaction underpriced");
  };
  const app = new Hono<HttpEnv>();
  app.onError((error, c) => c.text(error.name, 500));
  app.route("/", createDemoButton(deps, { pay }));
  const begun = { requestId: "r", startedAtMs: 0, route: "", body: new Uint8Array() };
  const click = async () => {
    const target = `/pay/${token}/demo/ETH.ETH`;
    const state = { ...begun, target, ip: "192.0.2.1" };
    return (await app.request(target, { method: "POST" }, { state })).status;
  };
  assert.equal(await click(), 500);
  assert.deepEqual(await Promise.all([click(), click(), click()]), [303, 303, 303]);
  assert.deepEqual(asked.map(({ raw }) => raw), [10n ** 16n, 10n ** 16n]);
});
