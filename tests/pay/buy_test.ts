import assert from "node:assert/strict";
import { LANGUAGES } from "../../src/invoices/rules/languages.ts";
import { addSource } from "../../src/rates/manage.ts";
import { Invoices } from "../../src/invoices/tables/invoices.ts";
import { payInside } from "../support/checkout/pay_inside.ts";
import { assertAccessible, assertFits, startBrowser } from "../support/dashboard/browser.ts";
import { enable, makeMerchant, makeNetwork, makeToken, startGateway } from "../support/gateway.ts";

const gateway = await startGateway({ CPG_WORKER: "false" });
Deno.test.afterAll(() => gateway.stop());
const { deps, url } = gateway;
await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"] });
const merchant = await makeMerchant(gateway, { name: "Tea & <b>more" });
await enable(deps, { accountId: merchant.accountId, network: "ETH", currency: "ETH" });

let links = 0;

async function makeLink(asked: object = {}) {
  // Two requests with the same signature are one.
  const idempotency_key = `k${++links}`;
  const { body, status } = await merchant.api.post("/v1/payment-links", {
    ...{ title: "A pot of tea", currency: "eth", min: "0.01", max: "2.5", idempotency_key },
    ...asked,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return { ...body.data, path: new URL(body.data.url).pathname };
}

async function countInvoices(): Promise<number> {
  return (await deps.db.list(Invoices, { accountId: merchant.accountId })).length;
}

async function post(
  path: string,
  amount: string,
  headers: Record<string, string> = {},
  form: Record<string, string> = { amount },
) {
  const body = new URLSearchParams(form);
  return await fetch(url + path, { method: "POST", body, headers, redirect: "manual" });
}

Deno.test("without scripts, a payer chooses an amount, is told if it isn't possible, and gets an invoice", async () => {
  const link = await makeLink({ redirect_url: "https://shop.example/thanks" });
  await using browser = await startBrowser();
  const page = await browser.open({ isPhone: true, isScriptOn: false });
  await page.goto(`${url}${link.path}?lang=de`);
  assert.match(await page.locator("h1").innerText(), /An Tea & <b>more zahlen/);
  await page.getByText("A pot of tea").waitFor();
  await page.getByText("Von 0,01 ETH bis 2,5 ETH").waitFor();
  await assertFits(page);
  for (const amount of ["2,51", "0.009"]) {
    await page.fill("#amount", amount);
    await page.click("button.button");
    await page.getByText("Dieser Betrag kann hier nicht gezahlt werden.").waitFor();
    assert.equal(await page.inputValue("#amount"), amount);
  }
  await page.fill("#amount", "viel");
  await page.click("button.button");
  await page.getByText("Geben Sie einen Betrag in Ziffern ein").waitFor();
  assert.equal(await countInvoices(), 0);
  await page.fill("#amount", "0,25");
  await page.click("button.button");
  await page.getByText("Womit möchten Sie zahlen?").waitFor();
  assert.match(page.url(), /\/pay\/[\w-]{22}\?lang=de$/);
  const { body: { data: [invoice] } } = await merchant.api.get("/v1/invoices");
  assert.equal(invoice.url, `${new URL(link.url).origin}${new URL(page.url()).pathname}`);
  assert.deepEqual(
    [invoice.amount, invoice.currency, invoice.description, invoice.language],
    ["0.25", "ETH", "A pot of tea", "de"],
  );
  assert.deepEqual(invoice.metadata, { payment_link_id: String(link.payment_link_id) });
  assert.equal(invoice.redirect_url, "https://shop.example/thanks");
});

Deno.test("a link's page and its poster are accessible, light, and show nothing else of the account", async () => {
  const link = await makeLink({ amount: "0.5", min: null, max: null });
  const before = await countInvoices();
  await using browser = await startBrowser();
  const page = await browser.open({ isPhone: true });
  for (const path of [link.path, `${link.path}/print`]) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const answer = await page.goto(`${url}${path}?lang=ar`);
      await assertAccessible(page);
      await assertFits(page);
      const html = await answer!.text();
      assert.ok(html.length < 20_000, `${html.length}`);
      assert.ok(!html.includes("<b>more") && !html.includes(merchant.credentials.keyId));
      const headers = answer!.headers();
      assert.match(
        headers["content-security-policy"]!,
        /default-src 'none'.*frame-ancestors 'none'/,
      );
      assert.deepEqual(
        [headers["referrer-policy"], headers["cache-control"], headers["x-robots-tag"]],
        ["no-referrer", "no-store", "noindex"],
      );
    }
  }
  assert.equal(await page.locator(".qr").count(), 1);
  for (const lang of LANGUAGES) {
    const html = await (await fetch(`${url}${link.path}?lang=${lang}`)).text();
    assert.match(html, new RegExp(`<html lang="${lang}"`));
  }
  for (const method of ["HEAD", "GET"]) await fetch(url + link.path, { method });
  assert.equal(await countInvoices(), before);
  assert.equal((await post(link.path, "7")).status, 303);
  const { body: { data: [invoice] } } = await merchant.api.get("/v1/invoices?limit=1");
  assert.equal(invoice.amount, "0.5", "Only a link without an amount asks for one");
});

Deno.test("another site's form starts nothing, and an unknown or deactivated link says so", async () => {
  const link = await makeLink();
  const before = await countInvoices();
  for (const site of ["cross-site", "same-site"]) {
    const answer = await post(link.path, "1", { "sec-fetch-site": site });
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, link.path]);
  }
  for (const slug of ["A".repeat(22), "x", `${link.path.slice(5)}x`, "%2e"]) {
    assert.equal((await fetch(`${url}/buy/${slug}`)).status, 404);
    assert.equal((await post(`/buy/${slug}`, "1")).status, 404);
  }
  assert.equal((await fetch(`${url}/buy`)).status, 404);
  const path = `/v1/payment-links/${link.payment_link_id}/deactivate`;
  const ended = (await merchant.api.post(path, {})).body.data;
  assert.equal(ended.active, false);
  assert.deepEqual((await merchant.api.post(path, { x: 1 })).status, 422);
  for (const answer of [await fetch(url + link.path), await post(link.path, "1")]) {
    assert.equal(answer.status, 410);
    assert.match(await answer.text(), /no longer takes payments through this link/);
  }
  assert.equal(await countInvoices(), before);
});

Deno.test("what a link asks for is checked, and a repeated request creates no second one", async () => {
  const ask = async (body: object) => (await merchant.api.post("/v1/payment-links", body)).body;
  const tea = { title: "Tea", currency: "ETH" };
  const wrong: readonly [object, string[]][] = [
    [{}, ["title", "currency"]],
    [{ ...tea, amount: "1", min: "1", max: "2" }, ["min", "max"]],
    [{ ...tea, min: "2", max: "1" }, ["max"]],
    [{ ...tea, amount: "0" }, ["amount"]],
    [{ ...tea, redirect_url: "http://shop.example" }, ["redirect_url"]],
    [{ ...tea, title: "x".repeat(501) }, ["title"]],
    [{ ...tea, slug: "mine" }, ["slug"]],
  ];
  for (const [body, fields] of wrong) {
    const { error } = await ask(body);
    assert.deepEqual(error.fields.map(({ field }: { field: string }) => field), fields);
  }
  assert.equal((await ask({ ...tea, currency: "NOPE" })).error.code, "currency_not_found");
  const first = await ask({ ...tea, amount: null, idempotency_key: "once" });
  const again = await ask({ ...tea, idempotency_key: "once", min: "0.10" });
  assert.equal(again.data.payment_link_id, first.data.payment_link_id);
  const { data, has_more } = (await merchant.api.get("/v1/payment-links?limit=1")).body;
  assert.deepEqual([data, has_more], [[first.data], true]);
  const actions = await deps.db.query(
    "SELECT action FROM audit_log WHERE subject = ?",
    [`payment_link:${first.data.payment_link_id}`],
  );
  assert.deepEqual(actions.map(({ action }) => action), ["payment_link.created"]);
});

Deno.test("a page opens with the invoice's coin or the only given address, and others stay possible", async () => {
  const { accountId } = merchant;
  await makeToken(deps, { network: "ETH", contract: `0x${"12".repeat(20)}` });
  await enable(deps, { accountId, network: "ETH", currency: "USDT" });
  for (const base of ["ETH", "USDT"]) {
    const price = { base, quote: "EUR", kind: "manual", value: "2" } as const;
    await addSource(deps, { ...price, actor: "test" });
  }
  const make = async (asked: object) => {
    const terms = { amount: "10", currency: "EUR", ...asked };
    const { body } = await merchant.api.post("/v1/invoices", terms);
    return `${url}${new URL(body.data.url).pathname}`;
  };
  const look = async (page: string) => await (await fetch(page)).text();
  const offers = (html: string) => html.match(/name="coin" value="[^"]+"/g)?.length ?? 0;
  const chosen = await make({ method: { network: "eth", currency: "usdt" }, reference: "chosen" });
  const opened = await look(chosen);
  assert.match(opened, /Only send USDT on Ethereum/);
  assert.match(opened, /href="\?lang=en&amp;coin="/);
  assert.equal(offers(await look(`${chosen}?lang=en&coin=`)), 2);
  assert.match(await look(`${chosen}?coin=ETH.ETH`), /How do you want to pay/);
  await post(chosen.slice(url.length), "", {}, { coin: "ETH.ETH" });
  assert.match(await look(`${chosen}?coin=ETH.ETH`), /Only send ETH on Ethereum/);
  assert.match(await look(chosen), /Only send USDT on Ethereum/);
  assert.ok(!opened.includes("≈"));
  assert.match(await look(await make({ amount: "0.5", currency: "ETH" })), /≈ <bdi>€1\.00</);
  const open = await make({ reference: "open" });
  assert.equal(offers(await look(open)), 2);
  await post(open.slice(url.length), "", {}, { coin: "ETH.ETH" });
  assert.match(await look(open), /Only send ETH on Ethereum/);
  await post(open.slice(url.length), "", {}, { coin: "ETH.USDT" });
  // Either may be meant.
  assert.equal(offers(await look(open)), 2);
  assert.match(await look(`${open}?coin=USDT`), /How do you want to pay/);
});

Deno.test("of 20,000 starts from one address, 60 create an invoice", async () => {
  const link = await makeLink({ amount: "0.5", min: null, max: null });
  const before = await countInvoices();
  const ask = payInside({ deps, url });
  const counts = new Map<number, number>();
  for (let batch = 0; batch < 20; batch++) {
    await Promise.all(Array.from({ length: 1_000 }, async (_, i) => {
      const status = await ask(`2001:db8:0:1::${i.toString(16)}`, link.path, "POST");
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }));
  }
  assert.deepEqual(Object.fromEntries(counts), { 303: 60, 429: 19_940 });
  assert.equal(await countInvoices(), before + 60);
});

Deno.test("of 3,000 guesses from one address, 600 are answered, and a page's updates always are", async () => {
  const { body } = await merchant.api.post("/v1/invoices", { amount: "1", currency: "ETH" });
  const { pathname } = new URL(body.data.url);
  const ask = payInside({ deps, url });
  const guesses = ["", "/state", "/logo"].flatMap((part) =>
    Array.from(
      { length: 1_000 },
      (_, i) => `/pay/${String(i).padStart(i % 2 ? 22 : 300, "A")}${part}`,
    )
  );
  const statuses: number[] = [];
  // More at once would find no place.
  for (let at = 0; at < guesses.length; at += 100) {
    const some = guesses.slice(at, at + 100);
    statuses.push(...await Promise.all(some.map((path) => ask("192.0.2.1", path))));
  }
  const counts = Map.groupBy(statuses, (status) => status);
  assert.deepEqual([counts.get(404)?.length, counts.get(429)?.length], [600, 2_400]);
  assert.equal(await ask("192.0.2.1", pathname), 429);
  assert.equal(await ask("192.0.2.1", `${pathname}/state`), 200);
  assert.equal(await ask("192.0.2.2", pathname), 200);
});
