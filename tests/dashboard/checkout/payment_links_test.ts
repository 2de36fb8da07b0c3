import assert from "node:assert/strict";
import { startInvoice } from "../../../src/invoices/payment_links.ts";
import { present } from "../../../src/base/assert.ts";
import { PaymentLinks } from "../../../src/invoices/tables/payment_links.ts";
import { makeLink } from "../../support/checkout/invoices.ts";
import {
  assertAccessible,
  assertFits,
  keepScreenshot,
  startBrowser,
} from "../../support/dashboard/browser.ts";
import { makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startWorld } from "../../support/world.ts";

Deno.test("a merchant makes a payment link, copies its button, and deactivates it", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  const other = await world.addMerchant("Other");
  const { id: foreign } = await makeLink(deps, { accountId: other.accountId, title: "Not ours" });
  const page = await openAs(browser, { url, login: await makeLogin(deps, { accountId }) });
  await page.goto(`${url}/dashboard/payment-links`);
  await page.getByText("No payment links yet").waitFor();
  await page.locator(".title").getByRole("link", { name: "New link" }).click();
  await page.getByLabel("What it is for").fill("A <b>pot</b> of tea");
  await page.getByLabel("Amount").fill("0.01");
  await page.getByLabel("The least that a payer may choose").fill("1");
  await page.getByRole("button", { name: "Create link" }).click();
  await page.getByText("A link with a fixed amount can't have a minimum or a maximum").waitFor();
  await page.getByLabel("Amount").fill("");
  await page.getByLabel("The most").fill("5");
  await assertAccessible(page);
  await page.getByRole("button", { name: "Create link" }).click();
  await page.getByText("Created. Put the link or the button on your site").waitFor();
  await page.getByText("any from 1 ETH up to 5 ETH").waitFor();
  await assertAccessible(page);
  await keepScreenshot(page, "payment-links");
  await page.setViewportSize({ width: 390, height: 800 });
  await assertFits(page);
  await keepScreenshot(page, "payment-links-narrow");
  const copied = await page.getByRole("button", { name: "Copy button" }).getAttribute("data-copy");
  const [row] = await deps.db.rows(PaymentLinks, "WHERE account_id = ?", [accountId]);
  const link = present(row, "The link was created");
  const { id, slug } = link;
  assert.match(copied ?? "", new RegExp(`/buy/${slug}".*A &#60;b&#62;pot`));
  const href = await page.getByRole("link", { name: "Print" }).getAttribute("href");
  assert.ok(href?.endsWith(`/buy/${slug}/print`));
  const started = await startInvoice(deps, { link, amount: "1.123456789", language: "en" });
  await page.goto(`${url}/dashboard/invoices/${started?.id}`);
  const name = `payment link ${id}`;
  await page.getByText(`Created by the payer, through ${name}`).waitFor();
  const timeline = await page.locator(".timeline").innerText();
  assert.match(timeline, new RegExp(`through ${name}, \\d\\d:\\d\\d:\\d\\d`));
  const facts = await page.locator("main").innerText();
  assert.match(facts, new RegExp(`Started by\\s+${name}`));
  assert.ok(!facts.includes("payment_link_id"), facts);
  await page.locator("summary", { hasText: "Coins and their prices" }).click();
  await page.getByRole("cell", { name: "1.123456789 ETH", exact: true }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Deactivate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
  await page.getByText("The link starts no invoice any more").waitFor();
  assert.notEqual((await deps.db.get(PaymentLinks, [id])).deactivatedAtMs, null);
  assert.equal(await page.getByText("Copy link").count(), 0);
  const text = await page.locator("main").innerText();
  assert.ok(text.includes("deactivated") && !text.includes("Not ours"));
  assert.equal((await deps.db.get(PaymentLinks, [foreign])).deactivatedAtMs, null);
});
