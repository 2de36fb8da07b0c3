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
    await page.getByRole("listitem").getByText("Paid", { exact: true }).first().waitFor();
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
