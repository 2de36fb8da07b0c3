import assert from "node:assert/strict";
import type { Page, Request } from "playwright-core";
import { startAnvil } from "../support/nodes/anvil.ts";
import { startBrowser } from "../support/dashboard/browser.ts";
import { makeLogin, openAs } from "../support/dashboard/dashboard.ts";
import { STRANGER } from "../support/payers.ts";
import { sentId, settleAll, startPayingWorld } from "../support/payouts.ts";
import { withdraw } from "../support/views.ts";

interface Scene {
  readonly page: Page;
  /** The page of a payout that is on its way. */
  readonly url: string;
  settle(): Promise<void>;
}

async function withPayout(work: (scene: Scene) => Promise<void>): Promise<void> {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId, api } } = world;
  const id = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  const page = await openAs(browser, { url, login: await makeLogin(deps, { accountId }) });
  await work({
    page,
    url: `${url}/dashboard/withdrawals/${id}`,
    settle: () => settleAll(world),
  });
}

/** Its chip is no figure: the page has been loaded again. */
const isPaid = (page: Page) => page.locator(".status").getByText("paid", { exact: true }).waitFor();

Deno.test("a page follows the gateway again after the gateway was away", async () => {
  await withPayout(async ({ page, url, settle }) => {
    const refused = Promise.withResolvers<void>();
    await page.route("**/live**", async (route) => {
      await route.fulfill({ status: 503 });
      await page.unroute("**/live**");
      refused.resolve();
    });
    await page.goto(url);
    await refused.promise;
    await settle();
    await isPaid(page);
  });
});

/** They tell nobody before they leave a page. */
const IPHONE = `addEventListener("beforeunload", (event) => event.stopImmediatePropagation())`;

for (const [machine, script] of [["a desk", ""], ["an iPhone", IPHONE]] as const) {
  Deno.test(`on ${machine}, a changed page isn't loaded again while its form is on the way`, async () => {
    await withPayout(async ({ page, url, settle }) => {
      await using _ = await page.addInitScript({ content: script });
      await page.route("**/notes", async (route) => {
        await settle();
        await quiet;
        await route.continue();
      });
      await page.goto(url);
      const isLive = (request: Request) => request.url().endsWith("/live");
      const quiet = page.waitForEvent("requestfailed", isLive);
      await page.locator("summary", { hasText: "Notes" }).click();
      await page.getByLabel("New note").fill("Called the customer");
      await page.getByRole("button", { name: "Add note" }).click();
      await page.getByText("The note was added").waitFor();
    });
  });
}

const LEFT = `({
  folds: [...document.querySelectorAll("details[open] h2")].map((it) => it.innerText),
  focused: document.activeElement.querySelector("h2")?.innerText,
  marked: String(getSelection()),
  top: scrollY,
})`;

Deno.test("a page that loads itself again looks as it was left", async () => {
  await withPayout(async ({ page, url, settle }) => {
    await page.goto(url);
    await page.setViewportSize({ width: 800, height: 400 });
    await page.locator("summary", { hasText: "Ledger" }).click();
    await page.locator("summary", { hasText: "Notes" }).click();
    const note = page.getByLabel("New note");
    await note.fill("Called the cust");
    await page.locator("summary", { hasText: "Notes" }).focus();
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector(".card h2"))`);
    await page.evaluate("scrollTo(0, 150)");
    const left = await page.evaluate<{ folds: string[]; top: number }>(LEFT);
    assert.equal(left.folds.length, 2);
    assert.ok(left.top > 0);

    await settle();
    await isPaid(page);
    assert.deepEqual(await page.evaluate(LEFT), left);
    assert.equal(await note.inputValue(), "Called the cust");
  });
});

Deno.test("a page waits until a field has been left before it loads itself again", async () => {
  await withPayout(async ({ page, url, settle }) => {
    await page.goto(url);
    await page.locator("summary", { hasText: "Notes" }).click();
    const note = page.getByLabel("New note");
    await note.pressSequentially("Called");
    await settle();
    await page.locator("#current-step").getByText("Paid", { exact: true }).waitFor();
    assert.equal(await page.locator(".status", { hasText: "on its way" }).count(), 1);
    await note.pressSequentially(" the customer");
    await note.blur();
    await isPaid(page);
    assert.equal(await note.inputValue(), "Called the customer");
  });
});
