import assert from "node:assert/strict";
import { startBrowser } from "../../support/dashboard/browser.ts";
import { makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startPayingWorld } from "../../support/payouts.ts";

Deno.test("a printed statement has its times in UTC, without ages, buttons and navigation", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  const page = await openAs(browser, { url, login: await makeLogin(deps, { accountId }) });
  await page.goto(`${url}/dashboard/balances/ETH/ETH/statement?period=all`);
  const time = page.locator("table time").first();
  const shown = await time.innerText();
  assert.match(shown, /now|ago/);
  await page.emulateMedia({ media: "print" });
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");
  assert.match(await time.innerText(), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  for (const hidden of [".sections", ".top", "main button", ".title .button"]) {
    assert.equal(await page.locator(hidden).first().isVisible(), false, hidden);
  }
  await page.emulateMedia({ media: null });
  await page.evaluate("dispatchEvent(new Event('afterprint'))");
  assert.match(await time.innerText(), /now|ago/);
});
