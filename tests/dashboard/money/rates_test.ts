import assert from "node:assert/strict";
import { addSource } from "../../../src/rates/manage.ts";
import { readSources } from "../../../src/rates/read_sources.ts";
import {
  assertAccessible,
  assertFits,
  keepScreenshot,
  startBrowser,
} from "../../support/dashboard/browser.ts";
import { makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { closedUrl } from "../../support/nodes/closed_url.ts";
import { makeNetwork, startGateway } from "../../support/gateway.ts";

const ENV = { CPG_WORKER: "false", CPG_WEBHOOK_ALLOW_PRIVATE: "true" };

Deno.test("an operator adds sources of prices, sees rates and what fails, and removes them", async () => {
  await using gateway = await startGateway(ENV);
  await using browser = await startBrowser();
  const { deps, url } = gateway;
  await makeNetwork(deps, { rpcUrls: [await closedUrl()] });
  const page = await openAs(browser, { url, login: await makeLogin(deps) });
  await page.goto(`${url}/dashboard/rates`);
  await page.getByText("No source of prices yet").first().waitFor();
  await page.getByRole("link", { name: "New source" }).click();
  await page.getByLabel("Currency").fill("eth");
  await page.getByLabel("What one unit is worth").fill("0");
  await page.getByRole("button", { name: "Add source" }).click();
  await page.getByText(/is not a rate: it must be above 0/).waitFor();
  await page.getByLabel("What one unit is worth").fill("3000.5");
  await page.getByRole("button", { name: "Add source" }).click();
  await page.getByText("ETH/USD has one more source").waitFor();
  const rates = page.getByRole("region", { name: "Rates" });
  assert.match(await rates.innerText(), /ETH\/USD\s+\$3,000\.50\s+ok\s+1/);
  await page.getByRole("link", { name: "New source" }).click();
  await page.getByRole("link", { name: "Web page with JSON" }).click();
  await page.getByLabel("Currency").fill("EUR");
  await page.getByLabel("Address").fill(`${await closedUrl()}/price?key=secret`);
  await page.getByLabel("JSON pointer of the price").fill("/price");
  await page.getByRole("button", { name: "Add source" }).click();
  await page.getByText(/^There is no price: .*To add it anyway, tick/).waitFor();
  await page.getByLabel("Even if there is no price yet").check();
  await page.getByRole("button", { name: "Add source" }).click();
  await page.getByText(/^Added, but there is no price yet/).waitFor();
  const sources = page.getByRole("region", { name: "Sources" });
  const text = await sources.innerText();
  assert.match(text, /no price/);
  assert.match(text, /failing since/);
  assert.doesNotMatch(await page.content(), /secret/);
  await assertAccessible(page);
  await assertFits(page);
  await keepScreenshot(page, "operator-rates");
  await page.getByRole("button", { name: "Remove" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("The source of ETH/USD is removed").waitFor();
});

Deno.test("rates are readable on a phone, in the dark, and with long numbers", async () => {
  await using gateway = await startGateway(ENV);
  await using browser = await startBrowser();
  const { deps, url } = gateway;
  const tiny = { kind: "manual", value: `0.${"0".repeat(15)}123456789`, actor: "test" } as const;
  await addSource(deps, { base: "A_VERY_LONG_SYMBOL_OF_A_TOKEN", quote: "USD", ...tiny });
  const page = {
    kind: "http",
    url: `${await closedUrl()}/p`,
    pointer: "",
    maxAgeMs: 60_000,
  } as const;
  const row = await addSource(deps, { base: "ETH", quote: "EUR", ...page, actor: "test" });
  await readSources(deps, [row]);
  const phone = await openAs(browser, {
    url,
    login: await makeLogin(deps),
    isPhone: true,
    isDark: true,
  });
  for (const path of ["/rates", "/rates/new?kind=chainlink"]) {
    await phone.goto(`${url}/dashboard${path}`);
    await assertFits(phone);
    await assertAccessible(phone);
    await keepScreenshot(phone, `phone${path.replace(/\W/g, "-")}`);
  }
});
