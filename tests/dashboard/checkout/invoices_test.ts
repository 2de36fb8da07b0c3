import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { addSource } from "../../../src/rates/manage.ts";
import { cancelInvoice } from "../../../src/invoices/manage.ts";
import { setCheckout } from "../../../src/checkout/checkout.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { changesOf } from "../../../src/audit/rules/changes.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { InvoiceAddresses, Invoices } from "../../../src/invoices/tables/invoices.ts";
import { partlyPaidInvoice } from "../../support/checkout/invoices.ts";
import { assertAccessible, assertFits, startBrowser } from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { readQr } from "../../support/dashboard/read_qr.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { makeWebhook } from "../../support/webhooks.ts";
import { startWorld } from "../../support/world.ts";

const UNIT = 10n ** 15n;
const REFERENCE = "Order-7 محمد";

const factOf = (page: Page, name: string) =>
  page.locator(".facts > div", { hasText: name }).first().locator("dd").innerText();

Deno.test("a merchant creates an invoice, its link is paid, and page and payer see that it is", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  const price = { base: "ETH", quote: "EUR", kind: "manual", value: "2500" } as const;
  await addSource(deps, { ...price, actor: "test" });
  await makeWebhook(deps, { url: "https://shop.example.com/hooks", accountId });
  const login = await makeLogin(deps, { accountId, role: "finance" });
  const page = await openAs(browser, { url, login });
  await page.goto(`${url}/dashboard/invoices`);
  await page.getByText("No invoices yet").waitFor();
  await page.getByRole("link", { name: "New invoice", exact: true }).click();
  await page.getByLabel("Amount").fill("0");
  await page.getByRole("button", { name: "Create invoice" }).click();
  await page.getByText("Must be a plain decimal number greater than 0").waitFor();
  await assertAccessible(page);
  await page.getByLabel("Amount").fill("25");
  await page.getByLabel("Currency").selectOption("EUR");
  await page.getByLabel("What it is for").fill("Two <b>tickets</b>");
  await page.getByLabel("Your reference").fill(REFERENCE);
  await page.getByRole("button", { name: "Create invoice" }).click();
  await page.getByText("Waiting for the payment").waitFor();
  await page.getByText("Two <b>tickets</b>", { exact: true }).waitFor();
  await page.locator("summary", { hasText: "Code for the payer" }).click();
  await page.locator(".qr").waitFor();
  await assertAccessible(page);
  await assertFits(page);
  const link = await page.getByRole("link", { name: "/pay/" }).getAttribute("href");
  const payer = await browser.open({ isPhone: true });
  await payer.goto(url + new URL(link!).pathname);
  await payer.click("button[name=coin]");
  await payer.getByText("Waiting for your payment").waitFor();
  const { address } = await deps.db.get(InvoiceAddresses, [1, "ETH"]);
  await sendTx(anvil, { to: address, valueRaw: 4n * UNIT });
  await page.getByText("€10.00 have been seen, €15.00 of €25.00 are missing.").waitFor();
  await sendTx(anvil, { to: address, valueRaw: 6n * UNIT });
  await page.getByText("Enough has been seen.").waitFor();
  await anvil.mine(3);
  await payer.getByText("Paid. Thank you!").waitFor();
  await page.getByText("Paid.", { exact: true }).waitFor();
  assert.equal(await factOf(page, "Credited"), "€25.00");
  assert.equal(await page.locator(".qr").count(), 0);
  assert.equal(await page.getByRole("button", { name: "Cancel invoice" }).count(), 0);
  await page.locator(".timeline").getByText("finance@example.com").waitFor();
  await page.getByRole("link", { name: "0.004 ETH" }).first().waitFor();
  await page.getByText("invoice.processing").waitFor({ state: "attached" });
  await page.getByText("invoice.paid").waitFor({ state: "attached" });
  await assertAccessible(page);
  await page.goto(`${url}/dashboard/search?q=order-7`);
  await page.getByRole("link", { name: `${REFERENCE} · Two <b>tickets</b> Invoice 1` }).waitFor();
  await page.goto(`${url}/dashboard/invoices?status=paid&reference=${REFERENCE}`);
  await page.getByText("1 invoice").waitFor();
  assert.equal(await page.getByLabel("Paid", { exact: true }).innerText(), "€25.00");
  await page.goto(`${url}/dashboard/invoices?status=open`);
  await page.getByText("Nothing matches these filters").waitFor();
});

Deno.test("at the counter an amount becomes a code, the page says paid, and the next is one click away", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  const page = await openAs(browser, { url, login: await makeLogin(deps, { accountId }) });
  await page.goto(`${url}/dashboard/counter`);
  await page.locator("#field-amount:focus").fill("0,01");
  await page.keyboard.press("Enter");
  await page.locator(".qr").waitFor();
  await assertAccessible(page);
  await assertFits(page);
  const [row] = await deps.db.query("SELECT token FROM invoices");
  const link = new URL(`/pay/${row!.token}`, deps.publicUrl).href;
  assert.equal(readQr(await page.locator(".qr").evaluate((svg) => svg.outerHTML)), link);
  const { status } = await fetch(`${url}/pay/${row!.token}`, {
    method: "POST",
    body: new URLSearchParams({ coin: "ETH.ETH" }),
    redirect: "manual",
  });
  assert.equal(status, 303);
  const { address } = await deps.db.get(InvoiceAddresses, [1, "ETH"]);
  await sendTx(anvil, { to: address, valueRaw: 10n * UNIT });
  await page.getByText("Enough has been seen.").waitFor();
  await anvil.mine(3);
  await page.getByText("Paid.", { exact: true }).waitFor();
  assert.equal(await page.locator(".qr").count(), 0);
  await page.getByRole("link", { name: "Next customer" }).click();
  assert.equal(await page.getByLabel("Amount in ETH").inputValue(), "");
});

Deno.test("a form for an invoice sent again is the same one, and with another amount it is refused", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const { token } = await makeLogin(deps, { accountId });
  for (const path of ["/invoices/new", "/counter"]) {
    const form = { csrf: csrfOf(token), account: String(accountId), expires_in: "900" };
    const send = async (amount: string) => {
      const sent = { ...form, amount, currency: "ETH", once: path };
      const answer = await dashboardFetch(url, { path, token, form: sent });
      return [answer.status, answer.headers.get("location"), await answer.text()] as const;
    };
    const [status, to] = await send("0.50");
    assert.equal(status, 303);
    assert.deepEqual((await send("0.5")).slice(0, 2), [303, to]);
    const [refused, , text] = await send("0.7");
    assert.equal(refused, 422);
    assert.match(text, /This form was already sent: it made invoice \d for 0\.5 ETH\./);
  }
  assert.equal((await deps.db.rows(Invoices, "")).length, 2);
});

Deno.test("whoever makes an invoice reads how many decimals payers get, until Checkout sets fewer", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const { token } = await makeLogin(deps, { accountId });
  const form = async () =>
    await (await dashboardFetch(url, { path: "/invoices/new", token })).text();
  assert.match(await form(), /with up to 18 decimals\. <a href="\/dashboard\/checkout">/);
  await setCheckout(deps, { accountId, change: { digits: 6 }, actor: "test" });
  assert.doesNotMatch(await form(), /decimals/);
});

Deno.test("an invoice is extended, accepted with a reason, or cancelled, and then stays as it is", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const { id } = await partlyPaidInvoice(world);
  const merchant = await makeLogin(deps, { accountId });
  const operator = await makeLogin(deps);
  const viewer = await makeLogin(deps, { accountId, role: "viewer" });
  const { accountId: other } = await world.addMerchant("Other");
  const foreign = await makeLogin(deps, { accountId: other, email: "other@example.com" });
  const post = async ({ token }: { token: string }, doing: string, form = {}) => {
    const sent = { path: `/invoices/${id}/${doing}`, token };
    const answer = await dashboardFetch(url, { ...sent, form: { csrf: csrfOf(token), ...form } });
    return [answer.status, await answer.text()] as const;
  };
  const read = async ({ token }: { token: string }) =>
    await (await dashboardFetch(url, { path: `/invoices/${id}`, token })).text();
  for (const login of [viewer, foreign]) {
    for (const doing of ["extend", "accept", "cancel"]) {
      assert.equal((await post(login, doing, { reason: "x", expires_in: "900" }))[0], 404, doing);
    }
  }
  assert.match(await read(foreign), /Not found/i);
  assert.doesNotMatch(await read(viewer), /Cancel invoice/);
  assert.equal((await post(merchant, "extend", { expires_in: "1" }))[0], 422);
  assert.equal((await post(merchant, "extend", { expires_in: "86400" }))[0], 303);
  assert.equal((await post(merchant, "accept", { reason: " " }))[0], 422);
  assert.equal((await post(operator, "accept", { reason: "It is <i>enough</i>" }))[0], 303);
  const query = { actor: null, subject: `invoice:${id}`, cursor: null, limit: 2 };
  const [accepted, extended] = await auditPage(deps.db, query);
  assert.deepEqual(changesOf(accepted!).map(({ name }) => name).includes("reason"), true);
  const moved = changesOf(extended!).find(({ name }) => /expires/.test(name) && !/in/.test(name));
  assert.ok(moved?.before && moved.before < moved.after, JSON.stringify(changesOf(extended!)));
  const text = await read(merchant);
  assert.match(text, /It is &lt;i&gt;enough&lt;\/i&gt;/);
  assert.match(text, /Accepted as paid<\/strong> by the operator/);
  const [status, refused] = await post(merchant, "cancel");
  assert.deepEqual([status, /can&#39;t be changed any more/.test(refused)], [422, true]);
  for (const login of [viewer, foreign]) {
    assert.equal((await post(login, "notes", { note: "x" }))[0], 404);
  }
  assert.equal((await post(merchant, "notes", { note: "Called <i>twice</i>" }))[0], 303);
  assert.match(await read(viewer), /Called &lt;i&gt;twice/);
  const exported = async ({ token }: { token: string }, query = "") => {
    const path = `/invoices/export.csv${query}`;
    const lines = (await (await dashboardFetch(url, { path, token })).text()).trimEnd();
    return lines.split("\r\n").slice(1);
  };
  const time = "20\\d\\d-[^,]*";
  const line = new RegExp(`^${id},${accountId},,${time},${time},${time},,0\\.01,ETH,paid,,$`);
  assert.match((await exported(viewer))[0]!, line);
  const { token: paidToken } = await deps.db.get(Invoices, [id]);
  const receipt = await (await fetch(`${url}/pay/${paidToken}?lang=de`)).text();
  const day = new Intl.DateTimeFormat("de", { dateStyle: "long", timeZone: "UTC" });
  assert.ok(receipt.split(day.format(deps.clock.nowMs())).length > 2, "Of the invoice and payment");
  const again = await partlyPaidInvoice(world);
  await cancelInvoice(deps, { accountId, id: again.id, actor: "test" });
  const cancelled = await (await fetch(`${url}/pay/${again.token}`)).text();
  assert.match(cancelled, /0\.004 ETH arrived\. Don(&#39;|')t pay any more, and ask Acme/);
  assert.deepEqual(await exported(viewer, "?status=open"), []);
  assert.deepEqual(await exported(foreign, `?account=${accountId}`), []);
});
