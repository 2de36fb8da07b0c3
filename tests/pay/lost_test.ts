import assert from "node:assert/strict";
import { makeInvoice } from "../support/checkout/invoices.ts";
import { enable, makeMerchant, makeNetwork, startGateway } from "../support/gateway.ts";

const NOTHING = "There is nothing to pay here. Check the link.";
const NO_REFUND = "There is nothing to refund here. Check the link.";

const gateway = await startGateway({ CPG_WORKER: "false" });
Deno.test.afterAll(() => gateway.stop());
const { deps, url } = gateway;
await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"] });
const { accountId } = await makeMerchant(gateway);
await enable(deps, { accountId, network: "ETH", currency: "ETH" });
const { token } = await makeInvoice(deps, { accountId });

async function asked(path: string, init: RequestInit = {}) {
  const { status, headers, body } = await fetch(url + path, init);
  const html = body ? await new Response(body).text() : "";
  return { status, html, kind: headers.get("content-type") };
}

Deno.test("a link that lost its end, or got more of it, leads to a page for people", async () => {
  for (
    const path of ["/pay", "/pay/", `/pay/${token}/`, `/pay/${token}/more`, "/buy", "/buy/a/b"]
  ) {
    const { status, html, kind } = await asked(path);
    assert.deepEqual([status, kind], [404, "text/html; charset=utf-8"], path);
    assert.ok(html.includes(`<h1>${NOTHING}</h1>`), path);
  }
  for (const path of ["/refund", "/refund/a/b"]) {
    const { status, html } = await asked(path);
    assert.equal(status, 404, path);
    assert.ok(html.includes(`<h1>${NO_REFUND}</h1>`), path);
  }
  // What no person reads stays short.
  for (const path of ["/pay/assets/none/style.css", "/pay/none/state", "/pay/none/logo"]) {
    assert.match((await asked(path)).html, /"not_found"/, path);
  }
});

Deno.test("a coin that can't be paid leads back to the invoice", async () => {
  const body = new URLSearchParams({ coin: "DOGE.DOGE" });
  const { status, html } = await asked(`/pay/${token}?lang=de`, { method: "POST", body });
  assert.equal(status, 400);
  const [, href = "", text] = /<a class="button" href="([^"]*)">([^<]*)</.exec(html) ?? [];
  assert.deepEqual([href, text], [`/pay/${token}?lang=de&amp;coin=`, "An Acme zahlen"]);
});

Deno.test("a fault of ours is a page that looks again, and nothing of it is told", async () => {
  const { current } = deps.catalog;
  Object.assign(deps.catalog, { current: () => Promise.reject(new Error("inner workings")) });
  try {
    for (const method of ["GET", "POST"]) {
      const { status, html } = await asked(`/pay/${token}`, { method });
      assert.equal(status, 500);
      assert.match(html, /payment page isn&#39;t available at the moment/);
      assert.match(html, /data-again="15"/);
      assert.ok(!html.includes("inner workings"));
    }
  } finally {
    Object.assign(deps.catalog, { current });
  }
  assert.equal((await asked(`/pay/${token}`)).status, 200);
});
