import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { setAccount } from "../../src/actions/accounts/set_account.ts";
import { present } from "../../src/base/assert.ts";
import { read } from "../../src/store/engine/workspace.ts";
import { WebhookEndpoints } from "../../src/store/tables/webhooks.ts";
import { follow, startBrowser } from "../support/dashboard/browser.ts";
import { makeLogin, openAs } from "../support/dashboard/dashboard.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { startPayingWorld } from "../support/payouts.ts";
import { startReceiver } from "../support/programs/receiver.ts";
import { makeStage, noteTest } from "../support/stage.ts";
import { allocate, depositsOf } from "../support/views.ts";
import { makeWebhook, writeEvents } from "../support/webhooks.ts";
import type { World } from "../support/world.ts";
import { livedIn } from "./lived_in.ts";

/** Counts clicks from Home; typing and Enter don't count. */
interface Walk {
  readonly page: Page;
  click(link: Locator): Promise<void>;
  search(text: string): Promise<void>;
}

type Task = readonly [name: string, clicksMax: number, (walk: Walk) => Promise<void>];

const link = (page: Page, name: string | RegExp) =>
  page.getByRole("link", { name, exact: typeof name === "string" }).first();
const button = (page: Page, name: string) => page.getByRole("button", { name }).first();

Deno.test("what a merchant does every morning takes few clicks, or keys without scripts", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  const env = { CPG_WEBHOOK_ALLOW_PRIVATE: "true" };
  await using world = await startPayingWorld({ anvil, env });
  await using receiver = startReceiver();
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  receiver.answer = () => new Response("no room", { status: 507 });
  await failingWebhook(world, receiver.url);
  const tasks = await tasksIn(world);
  for (const isScriptOn of [true, false]) {
    const email = `${isScriptOn}@example.com`;
    const login = await makeLogin(deps, { accountId, email });
    const page = await openAs(browser, { url, login, isScriptOn });
    for (const [name, clicksMax, run] of tasks) {
      await page.goto(`${url}/dashboard`);
      let clicks = 0;
      await run({
        page,
        click: async (target) => {
          clicks++;
          await follow(target, isScriptOn ? "click" : "Enter");
        },
        search: async (text) => {
          await page.getByLabel("Search").fill(text);
          await Promise.all([
            page.waitForURL((at) => !at.pathname.endsWith("/dashboard")),
            page.keyboard.press("Enter"),
          ]);
        },
      });
      assert.ok(clicks <= clicksMax, `${name}: ${clicks} clicks, scripts ${isScriptOn}`);
    }
  }
});

async function failingWebhook({ deps, merchant: { accountId } }: World, url: string) {
  const { id } = await makeWebhook(deps, { url, accountId });
  await writeEvents(deps, { accountIds: [accountId] });
  await deps.db.write({
    reads: [read(WebhookEndpoints, [id])],
    decide: (view) => {
      noteTest(view);
      view.update(WebhookEndpoints, view.get(WebhookEndpoints, [id]), { failures: 3 });
    },
  });
}

async function tasksIn(world: World): Promise<readonly Task[]> {
  const { deps, merchant: { api, accountId } } = world;
  await livedIn(world);
  const { address } = await allocate(api, { user: "customer-7" });
  const [paid] = await depositsOf(api);
  await setAccount(deps, { id: accountId, change: { mayPush: true }, actor: "test" });
  await makeStage(world).sentWithdrawal();
  return [
    ["find a payment by a part of its hash", 1, async ({ page, search, click }) => {
      await search(present(paid, "a payment").tx_hash.slice(0, 10));
      await click(link(page, /^Payment \d/));
      await page.getByText("Credited to the balance").first().waitFor();
    }],
    ["I paid and nothing arrived", 0, async ({ page, search }) => {
      await search(address);
      await page.getByText("Nothing received").waitFor();
    }],
    ["push a payout", 3, async ({ page, click }) => {
      await click(link(page, "Payouts"));
      await click(page.locator("tbody tr").first().getByRole("link").first());
      await click(button(page, "Bump fee"));
    }],
    ["last month with totals", 3, async ({ page, click }) => {
      await click(link(page, "Balances"));
      await click(link(page, /^Statement of ETH/));
      await page.getByText("Closing balance").waitFor();
      await link(page, "Export as CSV").waitFor();
    }],
    ["send a failed event again", 3, async ({ page, click }) => {
      await click(page.locator("#attention").getByRole("link", { name: "View" }).first());
      await click(link(page, "Deliveries"));
      await click(button(page, "Send again"));
      await page.getByText("no room").first().waitFor();
    }],
  ];
}
