import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { addSource } from "../../../src/rates/manage.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { ROUTES } from "../../../src/dashboard/pages.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startBrowser } from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { enable, makeNetwork, startGateway } from "../../support/gateway.ts";
import { STRANGER } from "../../support/payers.ts";
import { startPayingWorld } from "../../support/payouts.ts";

const PHONE = { width: 390, height: 800 };

async function fill(page: Page): Promise<void> {
  await page.getByLabel("To address").fill(STRANGER);
  await page.getByLabel("Amount").fill("0.02");
}

Deno.test("an operator pays from the account that the page names, with no other choice beside the form", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  const other = await createAccount(deps, { name: "Other shop", actor: "test" });
  await enable(deps, { accountId: other.id, network: "ETH", currency: "ETH" });
  const page = await openAs(browser, { url, login: await makeLogin(deps), isScriptOn: false });
  const account = page.getByLabel("Account", { exact: true });
  const choose = async (id: number) => {
    await account.selectOption(String(id));
    await page.getByRole("button", { name: "Show" }).click();
  };
  await page.goto(`${url}/dashboard/withdrawals/new`);
  assert.equal(await page.locator("form[method=post] input[name=to_address]").count(), 0);
  await choose(accountId);
  await page.getByText(`From account ${accountId}, Acme.`).waitFor();
  assert.equal(await account.count(), 0);

  await page.getByRole("link", { name: "Choose another account" }).click();
  await choose(other.id);
  await page.getByText(`From account ${other.id}, Other shop.`).waitFor();
  await fill(page);
  await page.getByRole("button", { name: "Pay out" }).click();
  await page.getByText("The available balance doesn't cover the amount and its fee").waitFor();
  assert.equal((await deps.db.rows(Withdrawals, "")).length, 0);

  await page.getByRole("link", { name: "Choose another account" }).click();
  await choose(accountId);
  await fill(page);
  await page.getByRole("button", { name: "Pay out" }).click();
  await page.getByText("The payout is on its way").waitFor();
  const rows = await deps.db.rows(Withdrawals, "");
  assert.deepEqual(rows.map((row) => row.accountId), [accountId]);
});

Deno.test("no page has an account's form beside a choice of accounts, even after an error", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"] });
  const { id: accountId } = await createAccount(deps, { name: "Acme", actor: "test" });
  const price = { base: "ETH", quote: "EUR", kind: "manual", value: "2" } as const;
  await addSource(deps, { ...price, actor: "test" });
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  const { token } = await makeLogin(deps);
  // There is nothing to choose from.
  for (const path of ["/counter", "/deposits", "/payment-links/new"]) {
    const text = await (await dashboardFetch(url, { path, token })).text();
    assert.doesNotMatch(text, /Choose an(other)? account|<select[^>]* name="account"/, path);
  }
  await createAccount(deps, { name: "Other", actor: "test" });
  const named: string[] = [];
  for (const { kind, path } of ROUTES) {
    if (kind !== "page" || path.includes(":")) continue;
    const text = await (await dashboardFetch(url, { path: `${path}?account=1`, token })).text();
    if (!/<input type="hidden" name="account" value="1"/.test(text)) continue;
    const forms = text.replace(/<form method="get"[^]*?<\/form>/g, "");
    assert.doesNotMatch(forms, /<select[^>]* name="account"/, path);
    named.push(path);
  }
  assert.deepEqual(named.toSorted(), [
    "/batches/new",
    "/begin/end",
    "/checkout",
    "/counter",
    "/currencies",
    "/invoices/new",
    "/keys/new",
    "/payees/new",
    "/payment-links/new",
    "/requests",
    "/wallets/receiving",
    "/webhooks/deliveries",
    "/webhooks/new",
    "/withdrawals/new",
  ]);

  const form = { csrf: csrfOf(token), account: "1", network: "ETH", currency: "ETH" };
  const answer = await dashboardFetch(url, { path: "/currencies/switch", token, form });
  assert.equal(answer.status, 422);
  const text = await answer.text();
  assert.match(text, /For <strong>account 1, Acme<\/strong>/);
  assert.match(text, /href="\/dashboard\/currencies">Choose another account</);
  const typed = { ...form, amount: "1,234", currency: "ETH", once: "o" };
  const counter = await dashboardFetch(url, { path: "/counter", token, form: typed });
  const said = await counter.text();
  assert.equal(counter.status, 422);
  assert.match(said, /without thousands separators/);
  assert.match(said, /href="\/dashboard\/counter\?account=1&amp;currency=EUR"/);
});

Deno.test("the question before a payment shows the whole address and both buttons on any screen", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  const page = await openAs(browser, { url, login: await makeLogin(deps) });
  for (const size of [PHONE, { width: 1280, height: 900 }]) {
    await page.setViewportSize(size);
    await page.goto(`${url}/dashboard/withdrawals/new?account=${accountId}`);
    await fill(page);
    await page.getByRole("button", { name: "Pay out" }).click();
    await page.getByRole("dialog").waitFor();
    const cut = await page.evaluate<string[]>(`(() => {
      const dialog = document.querySelector("dialog");
      const box = dialog.getBoundingClientRect();
      const isOut = (it) => {
        const { left, right, bottom } = it.getBoundingClientRect();
        return it.scrollWidth > it.clientWidth + 1 && it.clientWidth > 0 ||
          left < Math.max(0, box.left) || right > Math.min(innerWidth, box.right) ||
          bottom > innerHeight;
      };
      return [dialog, ...dialog.querySelectorAll("p, code, button")].filter(isOut)
        .map((it) => it.tagName);
    })()`);
    assert.deepEqual(cut, [], `${size.width}`);
  }
});

Deno.test("a name typed instead of an account id is reported instead of finding nothing", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  await using browser = await startBrowser();
  const { deps, url } = gateway;
  const { id } = await createAccount(deps, { name: "Demo shop", actor: "test" });
  await createAccount(deps, { name: "Another", actor: "test" });
  const page = await openAs(browser, { url, login: await makeLogin(deps), isScriptOn: false });
  await page.goto(`${url}/dashboard/deposits`);
  await page.getByLabel("Account").selectOption(`${id}: Demo shop`);
  await page.getByRole("button", { name: "Show" }).click();
  await page.waitForURL((at) => at.searchParams.get("account") === String(id));
  for (let n = 0; n < 30; n++) await createAccount(deps, { name: `Shop ${n}`, actor: "test" });
  for (const list of ["deposits", "withdrawals", "sweeps", "transactions", "webhooks"]) {
    await page.goto(`${url}/dashboard/${list}`);
    const field = page.getByLabel("Account number");
    await field.fill("Demo shop");
    await page.getByRole("button", { name: "Show" }).click();
    assert.equal(
      await field.evaluate((it: { matches(of: string): boolean }) => it.matches(":invalid")),
      true,
    );
    assert.equal(new URL(page.url()).search, "", list);
    await field.fill(` ${id} `);
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL((at) => at.searchParams.get("account")?.trim() === String(id));
  }
});

Deno.test("the question before a manual booking names the account, the currency and the network", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  await using browser = await startBrowser();
  const { deps, url } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"], code: "BSC", symbol: "BNB" });
  const { id } = await createAccount(deps, { name: "Demo shop", actor: "test" });
  const page = await openAs(browser, { url, login: await makeLogin(deps) });
  await page.goto(`${url}/dashboard/accounts/${id}/adjust`);
  await page.getByLabel("Amount").fill("-0.5");
  await page.getByLabel("Reason").fill("test");
  await page.getByRole("button", { name: "Book entry" }).click();
  assert.equal(
    await page.getByRole("dialog").getByRole("paragraph").innerText(),
    `This changes the balance of Demo shop (account ${id}) by -0.5 BNB (Ethereum) immediately.`,
  );
});
