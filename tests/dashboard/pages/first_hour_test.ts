import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { present } from "../../../src/base/assert.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient } from "../../support/api_client.ts";
import {
  follow,
  keepScreenshot,
  startBrowser,
  type TestBrowser,
} from "../../support/dashboard/browser.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { startGateway, type TestGateway } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { allocate, balanceOf } from "../../support/views.ts";

const PASSWORD = "correct horse battery";
/** Avalanche's id: its preset needs three blocks and no finality. */
const CHAIN = { args: ["--chain-id", "43114"] };
const RECEIVING = "0x52908400098527886E0F7030069857D2E4169EE7";
const ONE_COIN = "0xde0b6b3a7640000";

const press = (page: Page, name: string) => follow(page.getByRole("button", { name, exact: true }));
const go = (page: Page, name: string) => follow(page.getByRole("link", { name, exact: true }));
const shown = (page: Page, text: string | RegExp) =>
  page.getByRole("status").getByText(text).waitFor();

async function choosePassword(page: Page): Promise<void> {
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Repeat password").fill(PASSWORD);
  await press(page, "Continue");
}

/** The operator's part. Returns the merchant's one-time link. */
async function operatorPrepares(page: Page, gateway: TestGateway, anvil: Anvil): Promise<string> {
  const token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  await page.goto(present(await gateway.serving.setUpUrl(), "a set-up link"));
  await page.getByLabel("Email").fill("ops@example.com");
  await choosePassword(page);
  // The set-up can be left, and everything in it is found elsewhere.
  await page.getByRole("heading", { name: "A second factor for your login" }).waitFor();
  await go(page, "Later");
  await go(page, "Home");

  await go(page, "Gateway");
  await go(page, "Networks");
  await go(page, "New network");
  await page.getByLabel("Network", { exact: true }).selectOption("AVALANCHE");
  await page.getByLabel("Node URL").fill(anvil.url);
  await press(page, "Add network");
  await shown(page, /AVALANCHE added/);

  await go(page, "Add a token");
  await page.getByLabel("Contract address").fill(token.address);
  await press(page, "Look up token");
  await page.getByText("There is already a currency USDT on AVALANCHE").waitFor();
  await page.getByLabel("Symbol").fill("TUSD");
  await page.getByLabel("Minimum deposit").fill("1");
  await press(page, "Add token");
  await shown(page, "TUSD added");
  assert.deepEqual(
    await page.getByRole("row", { name: "TUSD" }).getByRole("cell").allInnerTexts().then((
      cells,
    ) => [cells[0], cells[2]]),
    ["TUSD", "6"],
  );

  await go(page, "Gateway");
  await go(page, "Accounts");
  await go(page, "New account");
  await page.getByLabel("Name").fill("Acme");
  await press(page, "Create account");
  await shown(page, "Acme created with the number 1");
  await go(page, "Gateway");
  await go(page, "Users");
  await go(page, "New user");
  await page.getByLabel("Email").fill("ann@acme.example");
  await page.getByLabel("Account").selectOption("1: Acme");
  await press(page, "Create user");
  return await page.locator("#link").innerText();
}

/** The merchant's part, up to an API key. Returns the key. */
async function merchantBegins(
  page: Page,
  link: string,
): Promise<{ keyId: string; secret: string }> {
  await page.goto(link);
  await page.getByText("ann@acme.example").waitFor();
  await choosePassword(page);
  await shown(page, "Welcome");

  await go(page, "Currencies");
  await follow(
    page.getByRole("button", { name: "Switch on deposits of AVAX (Avalanche C-Chain)" }),
  );
  await shown(page, "AVAX (Avalanche C-Chain): deposits are on");

  await go(page, "Balances");
  await go(page, "Wallets");
  await go(page, "Set");
  await page.getByLabel("Address").fill(RECEIVING);
  await press(page, "Review");
  await page.getByLabel("Last 6 characters of the new address").fill("000000");
  await press(page, "Sweep to this address");
  await page.getByText("These are not the last characters of the address").waitFor();
  await page.getByLabel("Last 6 characters of the new address").fill(RECEIVING.slice(-6));
  await press(page, "Sweep to this address");
  await shown(page, `Deposits on Avalanche C-Chain are now swept to ${RECEIVING}`);

  await go(page, "Developers");
  await go(page, "API keys");
  await go(page, "New key");
  await page.getByLabel("Label").fill("shop");
  for (const box of await page.getByRole("checkbox").all()) await box.check();
  await press(page, "Create key");
  const keyId = await page.locator("#key-id").innerText();
  const secret = await page.locator("#secret").innerText();
  await go(page, "I have saved it");
  assert.equal((await page.content()).includes(secret), false);
  return { keyId, secret };
}

async function firstHour(browser: TestBrowser, isScriptOn: boolean): Promise<void> {
  await using anvil = await startAnvil(CHAIN);
  await using gateway = await startGateway();
  const operator = await browser.open({ isScriptOn });
  const merchant = await browser.open({ isScriptOn });
  const link = await operatorPrepares(operator, gateway, anvil);
  const key = await merchantBegins(merchant, link);

  const api = apiClient(gateway.url, key);
  const order = { network: "AVALANCHE", currency: "AVAX", user: "customer 7" };
  const { address } = await allocate(api, order);
  await go(merchant, "Home");
  await merchant.getByText("No balances yet").waitFor();
  const [from] = anvil.accounts;
  const paid = { from, to: address, value: ONE_COIN };
  await anvil.rpc("eth_sendTransaction", [paid]);
  await anvil.mine(3);

  const balance = merchant.locator('[id="balance-AVALANCHE/AVAX"]');
  if (!isScriptOn) {
    await eventually(() => balanceOf(api, "AVAX"), { until: (it) => it.balance === "1" });
    await merchant.reload();
  }
  await balance.getByText("1", { exact: true }).waitFor();
  await keepScreenshot(merchant, `first-hour-${isScriptOn ? "scripts" : "plain"}`);
  await go(merchant, "Payments");
  await merchant.getByLabel("Order, customer, address or transaction").fill("customer 7");
  await press(merchant, "Show");
  const row = merchant.getByRole("row").nth(1);
  assert.match(await row.innerText(), /1 AVAX[^]*(paid|to your wallet|in your wallet)/);
  await merchant.getByLabel("Order, customer, address or transaction").fill("customer 8");
  await press(merchant, "Show");
  await merchant.getByText("Nothing matches these filters").waitFor();
}

Deno.test("a merchant's first hour, from the set-up link to the first deposit on the open page", async () => {
  await using browser = await startBrowser();
  await firstHour(browser, true);
});

Deno.test("the first hour works the same way without scripts", async () => {
  await using browser = await startBrowser();
  await firstHour(browser, false);
});
