import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { InvoicePayments } from "../../src/invoices/tables/invoices.ts";
import { Transactions } from "../../src/deposits/tables/transactions.ts";
import { assertAccessible, assertFits, startBrowser } from "../support/dashboard/browser.ts";
import { firstPaint } from "../support/dashboard/first_paint.ts";
import { type Anvil, startAnvil } from "../support/nodes/anvil.ts";
import { sendTx } from "../support/nodes/contracts.ts";
import { readQr, readShot } from "../support/dashboard/read_qr.ts";
import { eventually } from "../support/programs/eventually.ts";
import { startWorld, type World } from "../support/world.ts";

const UNIT = 10n ** 15n;
/** The first 4 units come in parts, of which one at least must be shown soon. */
const PART = UNIT / 5n;
const PARTS_MAX = 20n;
const WEIGHT_MAX = 51_200;
/** What the gateway remembers is half a second old at most, so news is shown within two seconds. */
const LOOK_MS_MAX = 1_400;
const LOOKS = `performance.getEntriesByType("resource")
  .filter(({ name }) => name.endsWith("/state")).map(({ startTime }) => startTime)`;

/** From a payment's row to the page that shows it; a busy machine needs more now and then. */
const NEWS_MS_MAX = 2_000;

interface Scene {
  readonly anvil: Anvil;
  readonly world: World;
  readonly url: string;
  readonly id: number;
}

async function withInvoice(work: (scene: Scene) => Promise<void>, asked: object = {}) {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  await world.addToken();
  const { body: { data } } = await world.merchant.api.post("/v1/invoices", {
    ...{ amount: "0.01", currency: "ETH", description: "Two <b>tickets</b>", customer: "c-7" },
    ...{ metadata: { secret: "m-7" }, redirect_url: "https://shop.example/thanks?a=1" },
    ...asked,
  });
  const url = `${world.url}${new URL(data.url).pathname}`;
  await work({ anvil, world, url, id: data.invoice_id });
}

async function addressOf({ world, id }: Scene): Promise<string> {
  const { body: { data } } = await world.merchant.api.get(`/v1/invoices/${id}`);
  return data.methods[0].address;
}

async function shownAfterMs({ world, id }: Scene, page: Page): Promise<number> {
  const { askedAtMs, tookMs } = await firstPaint(page);
  const links = await world.deps.db.list(InvoicePayments, { invoiceId: id });
  const rows = await Promise.all(
    links.map(({ transactionId }) => world.deps.db.get(Transactions, [transactionId])),
  );
  return askedAtMs + tookMs - Math.max(...rows.map(({ createdAtMs }) => createdAtMs));
}

async function codesOf(page: Page): Promise<string[]> {
  return (await page.locator(".qr").evaluateAll((all) => all.map((it) => it.outerHTML))).map(
    readQr,
  );
}

/** The answer to a form comes only after the page has looked for what the form changed. */
async function holdUntilAsked(page: Page, url: string): Promise<void> {
  await page.route(`${url}?**`, async (route) => {
    if (route.request().method() !== "POST") return await route.continue();
    const response = await route.fetch({ maxRedirects: 0 });
    await untilAsked(page);
    await route.fulfill({ response });
  });
}

/** Until the page has looked twice whether anything has changed. */
async function untilAsked(page: Page): Promise<void> {
  const isAsked = (state: { url(): string }) => state.url().endsWith("/state");
  await page.waitForResponse(isAsked);
  await page.waitForResponse(isAsked);
}

Deno.test("a payer chooses a coin, pays in two parts, and sees each step by itself", async () => {
  await withInvoice(async (scene) => {
    const { anvil, url } = scene;
    await using browser = await startBrowser();
    const page = await browser.open({ isPhone: true });
    await page.goto(url);
    await assertAccessible(page);
    await holdUntilAsked(page, url);
    await page.click("button[name=coin]");
    await page.waitForSelector(".pay");
    assert.match(page.url(), /coin=ETH\.ETH$/, "The page did not load itself again meanwhile");
    await page.unroute(`${url}?**`);
    const address = await addressOf(scene);
    const uri = `ethereum:${address}@31337?value=${10n * UNIT}`;
    const codes = [uri, address, `https://metamask.app.link/send/${uri.slice("ethereum:".length)}`];
    assert.deepEqual(await codesOf(page), codes);
    assert.equal(await page.locator(".ends").innerText(), address);
    await page.setViewportSize({ width: 320, height: 700 });
    for (const language of ["ar", "en"]) {
      await page.goto(`${url}?lang=${language}&coin=ETH.ETH`);
      await assertFits(page);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await assertAccessible(page);
      }
    }
    for (const [i, text] of codes.entries()) {
      if (i > 0) await page.locator("summary").nth(i - 1).click();
      assert.equal(await readShot(page.locator(".qr").nth(i)), text);
    }
    await eventually(() => page.evaluate<number[]>(LOOKS), { until: ({ length }) => length > 2 });
    const looks = await page.evaluate<number[]>(LOOKS);
    const apart = Math.min(...looks.slice(1).map((atMs, i) => atMs - looks[i]!));
    assert.ok(apart <= LOOK_MS_MAX, `It looks every ${apart} ms`);
    let [parts, newsMs] = [0n, Infinity];
    while (parts < PARTS_MAX && newsMs > NEWS_MS_MAX) {
      await sendTx(anvil, { to: address, valueRaw: PART });
      await page.getByText(`${Number(++parts) / 5_000} ETH received`).waitFor();
      newsMs = Math.min(newsMs, await shownAfterMs(scene, page));
    }
    assert.ok(newsMs <= NEWS_MS_MAX, `A payment is shown after ${newsMs} ms at best`);
    await sendTx(anvil, { to: address, valueRaw: (PARTS_MAX - parts) * PART });
    await page.getByText("0.004 ETH received, 0.006 ETH missing").waitFor();
    assert.match((await codesOf(page))[0]!, new RegExp(`value=${6n * UNIT}$`));
    await sendTx(anvil, { to: address, valueRaw: 6n * UNIT });
    await page.locator("progress").waitFor();
    await anvil.mine(3);
    await page.getByText("Paid. Thank you!").waitFor();
    assert.deepEqual(await codesOf(page), []);
    const back = await page.locator(".back").getAttribute("href");
    assert.equal(back, `https://shop.example/thanks?a=1&invoice_id=${scene.id}&status=paid`);
    await assertAccessible(page);
  });
});

Deno.test("a language that is chosen just as the invoice changes isn't lost", async () => {
  await withInvoice(async ({ url }) => {
    await using browser = await startBrowser();
    const page = await browser.open();
    await page.goto(url);
    let isChanged = false;
    const answer = { json: { version: "another" } };
    await page.route(
      `${url}/state`,
      (route) => isChanged ? route.fulfill(answer) : route.continue(),
    );
    await page.route(`${url}?lang=de`, async (route) => {
      isChanged = true;
      await untilAsked(page);
      isChanged = false;
      await route.continue();
    });
    await page.locator(".languages select").selectOption("de");
    await page.waitForURL(`${url}?lang=de`);
  });
});

Deno.test("without scripts the page works, is light, and shows nothing but the payer's own business", async () => {
  await withInvoice(async (scene) => {
    const { url, world } = scene;
    await using browser = await startBrowser();
    const page = await browser.open({ isScriptOn: false });
    await page.goto(`${url}?lang=ar`);
    assert.equal(await page.locator("html").getAttribute("dir"), "rtl");
    await page.click("button[name=coin]");
    await page.locator(".pay").waitFor();
    const answer = await fetch(page.url());
    const html = await answer.text();
    const assets = [...html.matchAll(/(?:href|src)="(\/pay\/assets\/[^"]+)"/g)];
    const sizes = await Promise.all(
      assets.map(async ([, path]) => (await (await fetch(world.url + path)).text()).length),
    );
    const weight = sizes.reduce((sum, size) => sum + size, new TextEncoder().encode(html).length);
    assert.equal(assets.length, 3, "its icon, too");
    assert.ok(weight <= WEIGHT_MAX, `${weight} bytes`);
    for (const secret of ["c-7", "m-7", "<b>tickets"]) assert.ok(!html.includes(secret), secret);
    assert.equal(answer.headers.get("referrer-policy"), "no-referrer");
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.match(answer.headers.get("x-robots-tag") ?? "", /noindex/);
    assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none'/);
    const absent = await fetch(`${world.url}/pay/AAAAAAAAAAAAAAAAAAAAAA`);
    assert.equal(absent.status, 404);
    assert.ok(!html.includes("demo"), "Only the demo has a wallet");
    const pay = `${url.split("?")[0]}/demo/ETH.ETH`;
    assert.equal((await fetch(pay, { method: "POST" })).status, 404);
    assert.equal((await fetch(`${world.url}/pay/AAAAAAAAAAAAAAAAAAAAAA/state`)).status, 404);
  });
});

Deno.test("a wallet is asked for exactly this payment, on this chain, until it is cancelled", async () => {
  await withInvoice(async (scene) => {
    await using browser = await startBrowser();
    const page = await browser.open();
    await page.goto(scene.url);
    await page.click("button[name=coin]");
    await page.waitForSelector(".pay");
    const address = await addressOf(scene);
    // Announces itself as wallets do. It switches chains only when asked for the second time.
    await page.evaluate(() => {
      const asked: unknown[] = [];
      Object.assign(globalThis, { asked });
      let chainId = "0x1";
      let tries = 0;
      const provider = {
        request: ({ method, params }: { method: string; params?: { chainId: string }[] }) => {
          asked.push([method, params?.[0]]);
          if (method === "eth_requestAccounts") return Promise.resolve([`0x${"1".repeat(40)}`]);
          if (method === "eth_chainId") return Promise.resolve(chainId);
          if (method === "wallet_switchEthereumChain" && ++tries > 1) {
            chainId = params![0]!.chainId;
          }
          return Promise.resolve(null);
        },
      };
      const detail = { info: { uuid: "u", name: "Testwallet" }, provider };
      dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    });
    const sent = () =>
      page.evaluate(() =>
        (globalThis as unknown as { asked: [string, unknown][] }).asked
          .filter(([method]) => method === "eth_sendTransaction").map(([, one]) => one)
      );
    const pay = page.getByRole("button", { name: "Pay with Testwallet" });
    await pay.click();
    await page.getByText("Your wallet is on another network").waitFor();
    assert.deepEqual(await sent(), []);
    await pay.click();
    await eventually(sent, { until: (all) => all.length > 0 });
    const value = `0x${(10n * UNIT).toString(16)}`;
    const from = `0x${"1".repeat(40)}`;
    assert.deepEqual(await sent(), [{ from, to: address, value, data: "0x" }]);
    await scene.world.merchant.api.post(`/v1/invoices/${scene.id}/cancel`, {});
    await page.getByText("Acme has cancelled this. Don't pay it.").waitFor();
    assert.deepEqual(await codesOf(page), []);
    await sendTx(scene.anvil, { to: address, valueRaw: UNIT });
    await page.getByText("0.001 ETH arrived").waitFor();
  });
});
