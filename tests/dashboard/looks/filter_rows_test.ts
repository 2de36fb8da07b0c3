import assert from "node:assert/strict";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { assertFits, keepScreenshot, startBrowser } from "../../support/dashboard/browser.ts";
import { makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { makeNetwork, startGateway } from "../../support/gateway.ts";

const BOTTOMS = `(() => {
  const fields = document.querySelectorAll("form.filter select, form.filter input, form.filter button");
  return [...fields].filter((it) => it.type !== "checkbox" && it.type !== "hidden")
    .map((it) => Math.round(it.getBoundingClientRect().bottom));
})()`;

Deno.test("an owner's filter of payments has one row on a wide screen, and fits a phone", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  await using browser = await startBrowser();
  const { deps, url } = gateway;
  const rpcUrls = ["http://127.0.0.1:1"];
  await makeNetwork(deps, { rpcUrls });
  await makeNetwork(deps, { rpcUrls, code: "BSC", symbol: "BNB", chainId: "56" });
  const { id: accountId } = await createAccount(deps, { name: "Acme", actor: "test" });
  const page = await openAs(browser, { url, login: await makeLogin(deps, { accountId }) });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${url}/dashboard/deposits`);
  const bottoms = await page.evaluate<number[]>(BOTTOMS);
  assert.ok(bottoms.length > 6);
  assert.ok(Math.max(...bottoms) - Math.min(...bottoms) < 5, String(bottoms));
  await keepScreenshot(page, "filter-wide");
  await page.setViewportSize({ width: 360, height: 800 });
  await page.getByText("Filter", { exact: true }).click();
  await assertFits(page);
  await keepScreenshot(page, "filter-phone");
});
