import assert from "node:assert/strict";
import { setCheckout } from "../../../src/checkout/checkout.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { Checkouts } from "../../../src/checkout/table.ts";
import { makeInvoice } from "../../support/checkout/invoices.ts";
import { chunk, makePng } from "../../support/checkout/pictures.ts";
import { assertAccessible, startBrowser } from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startWorld } from "../../support/world.ts";

const WEIGHT_MAX = 51_200;
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10">' +
  '<rect width="40" height="10" fill="#0b6b3a"/></svg>';

/** As heavy as the page takes: its colours are many, and all of them unused. */
function heavyPng() {
  return makePng({ others: [chunk("tRNS", new Uint8Array(16_000 - makePng().length - 12))] });
}

/** Of a page, and of what it loads. */
async function sizesOf(address: string): Promise<number[]> {
  const html = await (await fetch(address)).text();
  const paths = [...html.matchAll(/(?:href|src)="(\/pay\/[^"]+)"/g)].map(([, path]) => path ?? "");
  const loaded = await Promise.all(
    paths.map(async (path) => (await (await fetch(new URL(path, address))).bytes()).length),
  );
  return [new TextEncoder().encode(html).length, ...loaded];
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((all, size) => all + size, 0);
}

Deno.test("a merchant's name, logo and colour are previewed and shown to payers, whose page stays light", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId, api } } = world;
  await world.addToken();
  const page = await openAs(browser, { url, login: await makeLogin(deps, { accountId }) });
  await page.goto(`${url}/dashboard/checkout`);
  await page.getByLabel("Name that payers read").fill("Acme <i>Shop");
  await page.getByLabel("Colour of buttons").fill("#ffff00");
  const attack = {
    mimeType: "image/svg+xml",
    buffer: Buffer.from(SVG.replace("<rect", "<script")),
  };
  await page.getByLabel("Logo").setInputFiles({ name: "logo.svg", ...attack });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The contrast of #ffff00 with the white text of buttons is 1.07").waitFor();
  await page.getByLabel("Colour of buttons").fill("#0b6b3a");
  await page.getByLabel("Logo").setInputFiles({ name: "logo.svg", ...attack });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("<script> is not allowed").waitFor();
  await assertAccessible(page);
  const right = { mimeType: "image/svg+xml", buffer: Buffer.from(SVG) };
  await page.getByLabel("Logo").setInputFiles({ name: "logo.svg", ...right });
  await page.getByLabel("Minutes that an invoice is open").fill("60");
  await page.getByLabel("Percent that may be missing from a payment").fill("2");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").waitFor();
  const isSeen = "document.querySelector('img.logo').decode()";
  await page.evaluate(isSeen);
  await assertAccessible(page);
  const { body: { data } } = await api.post("/v1/invoices", {
    ...{ amount: "25", currency: "USDT", method: { network: "ETH", currency: "USDT" } },
    ...{ description: "आ".repeat(150), redirect_url: `https://shop.example/${"x".repeat(600)}` },
  });
  assert.equal(data.tolerance_percent, "2");
  assert.equal(Date.parse(data.expires_at) - Date.parse(data.created_at), 3_600_000);
  const payer = await browser.open({ isPhone: true });
  await payer.goto(url + new URL(data.url).pathname);
  await payer.getByRole("heading", { name: "Pay Acme <i>Shop" }).waitFor();
  await payer.evaluate(isSeen);
  const colour = await payer.evaluate(
    "getComputedStyle(document.querySelector('.button')).color",
  );
  assert.equal(colour, "rgb(11, 107, 58)");
  await assertAccessible(payer);
  const logo = { mediaType: "image/png", bytes: heavyPng() } as const;
  await setCheckout(deps, { accountId, change: {}, logo, actor: "test" });
  const sizes = await sizesOf(`${payer.url()}?lang=hi`);
  assert.deepEqual([sizes.length, sizes.includes(16_000)], [5, true]);
  assert.ok(sum(sizes) <= WEIGHT_MAX, `${sizes} bytes`);
  const { body: { data: longest } } = await api.post("/v1/invoices", {
    ...{ amount: "9".repeat(71), currency: "USDT", method: { network: "ETH", currency: "USDT" } },
    ...{ description: '"'.repeat(500), redirect_url: `https://shop.example/?${"a&".repeat(989)}` },
  });
  const without = await sizesOf(`${url}${new URL(longest.url).pathname}?lang=hi`);
  assert.ok(without.length === 4 && sum(without) <= WEIGHT_MAX, `${without} bytes`);
});

Deno.test("a logo is served as a picture that runs nothing, to its account and to its payers", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { deps, url, merchant: { accountId } } = world;
  const { token } = await makeInvoice(deps, { accountId });
  const pay = `${url}/pay/${token}/logo`;
  assert.equal((await fetch(pay)).status, 404);
  const logo = { mediaType: "image/svg+xml", bytes: new TextEncoder().encode(SVG) } as const;
  await setCheckout(deps, { accountId, change: { name: "Acme" }, logo, actor: "test" });
  const merchant = await makeLogin(deps, { accountId });
  const viewer = await makeLogin(deps, { accountId, role: "viewer" });
  const { accountId: other } = await world.addMerchant("Other");
  const foreign = await makeLogin(deps, { accountId: other, email: "other@example.com" });
  const path = `/checkout/${accountId}/logo`;
  const own = await dashboardFetch(url, { path, token: merchant.token });
  for (const answer of [own, await fetch(pay)]) {
    assert.equal(answer.headers.get("content-type"), "image/svg+xml");
    assert.match(answer.headers.get("content-security-policy")!, /default-src 'none'/);
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    assert.equal(await answer.text(), SVG);
  }
  for (const { token } of [viewer, foreign]) {
    assert.equal((await dashboardFetch(url, { path, token })).status, 404);
  }
  assert.equal((await fetch(`${url}/pay/AAAAAAAAAAAAAAAAAAAAAA/logo`)).status, 404);
  const form = { csrf: csrfOf(merchant.token), account: String(accountId), no_logo: "on" };
  const sent = { path: "/checkout", token: merchant.token, form };
  assert.equal((await dashboardFetch(url, sent)).status, 303);
  assert.equal((await fetch(pay)).status, 404);
  const { name, logoHash } = await deps.db.get(Checkouts, [accountId]);
  assert.deepEqual([name, logoHash], [null, null]);
});
