import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { revokeApiKey } from "../../src/access/manage_api_keys.ts";
import { setAccount } from "../../src/accounts/set_account.ts";
import { present } from "../../src/base/assert.ts";
import { read } from "../../src/store/engine/workspace.ts";
import { WebhookEndpoints } from "../../src/webhooks/tables/webhooks.ts";
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
  /** Scripts do it by themselves. */
  reload(): Promise<void>;
  /** The same, while this button is shown. */
  goOn(button: Locator): Promise<void>;
}

interface Task {
  readonly name: string;
  readonly clicksMax: number;
  /** Of the program's share: people need the rest to read and type. */
  readonly secondsMax: number;
  run(walk: Walk): Promise<void>;
}

interface Way {
  readonly how: "click" | "Enter";
  readonly isScriptOn: boolean;
}

/** Who uses only keys goes to the search with one, and presses Enter on links and buttons. */
const WAYS: readonly Way[] = [
  { how: "click", isScriptOn: true },
  { how: "Enter", isScriptOn: true },
  { how: "Enter", isScriptOn: false },
];

const PAYEES = 20;

const link = (page: Page, name: string | RegExp) =>
  page.getByRole("link", { name, exact: typeof name === "string" }).first();
const button = (page: Page, name: string) => page.getByRole("button", { name }).first();

Deno.test("what a merchant does every morning takes few clicks and seconds, or keys, or no scripts", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  const env = { CPG_WEBHOOK_ALLOW_PRIVATE: "true" };
  await using world = await startPayingWorld({ anvil, env });
  await using receiver = startReceiver();
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  receiver.answer = () => new Response("no room", { status: 507 });
  await failingWebhook(world, receiver.url);
  const tasks = await tasksIn(world);
  const seconds = new Map<string, number[]>();
  for (const { how, isScriptOn } of WAYS) {
    const email = `${how}-${isScriptOn}@example.com`;
    const login = await makeLogin(deps, { accountId, email });
    const page = await openAs(browser, { url, login, isScriptOn });
    for (const { name, clicksMax, run } of tasks) {
      const startedAt = performance.now();
      await page.goto(`${url}/dashboard`);
      const walk = walkOn(page, { how, isScriptOn });
      await run(walk);
      const took = (performance.now() - startedAt) / 1_000;
      seconds.set(name, [...seconds.get(name) ?? [], took]);
      const what = `${name}, ${how}, scripts ${isScriptOn}`;
      assert.ok(walk.clicks <= clicksMax, `${what}: ${walk.clicks} clicks`);
    }
  }
  for (const { name, secondsMax } of tasks) {
    // Other programs slow a single try down.
    const least = Math.min(...present(seconds.get(name), name));
    assert.ok(least <= secondsMax, `${name}: ${least} s at best`);
  }
});

function walkOn(page: Page, { how, isScriptOn }: Way): Walk & { clicks: number } {
  const walk = {
    page,
    clicks: 0,
    click: async (target: Locator) => {
      walk.clicks++;
      assert.ok(await target.evaluate((it) => it.tabIndex >= 0), "Tab leads past it");
      await follow(target, how);
    },
    reload: async () => {
      if (!isScriptOn) await page.reload();
    },
    goOn: async (target: Locator) => {
      while (!isScriptOn && await target.count() > 0) await follow(target, how);
    },
    search: async (text: string) => {
      if (how === "Enter" && isScriptOn) {
        await page.keyboard.press("/");
        await page.keyboard.type(text);
      } else {
        await page.getByLabel("Search").fill(text);
      }
      await Promise.all([
        page.waitForURL((at) => !at.pathname.endsWith("/dashboard")),
        page.keyboard.press("Enter"),
      ]);
    },
  };
  return walk;
}

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
  const { deps, merchant: { api, accountId, credentials } } = world;
  await livedIn(world);
  const { address } = await allocate(api, { user: "customer-7" });
  const [paid] = await depositsOf(api);
  await setAccount(deps, { id: accountId, change: { mayPush: true }, actor: "test" });
  await makeStage(world).sentWithdrawal();
  // Its rate leaves no room for another key.
  await revokeApiKey(deps, { keyId: credentials.keyId, actor: "test" });
  const { tx_hash: hash } = present(paid, "a payment");
  return [...lookingUp({ hash, address }), ...doing(world)];
}

function lookingUp({ hash, address }: { hash: string; address: string }): Task[] {
  return [
    {
      ...{ name: "find a payment by a part of its hash", clicksMax: 2, secondsMax: 10 },
      run: async ({ page, search, click }) => {
        await search(hash.slice(0, 10));
        await click(link(page, /Payment \d/));
        await page.getByText("Credited to the balance").first().waitFor();
      },
    },
    {
      ...{ name: "I paid and nothing arrived", clicksMax: 2, secondsMax: 15 },
      run: async ({ page, search }) => {
        await search(address);
        await page.getByText("Nothing received").waitFor();
      },
    },
    {
      ...{ name: "last month with totals", clicksMax: 3, secondsMax: 15 },
      run: async ({ page, click }) => {
        await click(link(page, "Balances"));
        await click(link(page, /^Statement of ETH/));
        await page.getByText("Closing balance").waitFor();
        await link(page, "Export as CSV").waitFor();
      },
    },
  ];
}

function doing({ deps, url }: World): Task[] {
  return [
    {
      ...{ name: "push a payout", clicksMax: 3, secondsMax: 15 },
      run: async ({ page, click }) => {
        await click(link(page, "Payouts"));
        await click(page.locator("tbody tr").first().getByRole("link").first());
        await click(button(page, "Bump fee"));
      },
    },
    {
      ...{ name: "send a failed event again", clicksMax: 3, secondsMax: 15 },
      run: async ({ page, click }) => {
        await click(page.locator("#attention").getByRole("link", { name: "View" }).first());
        await click(link(page, "Deliveries"));
        await click(button(page, "Send again"));
        await page.getByText("no room").first().waitFor();
      },
    },
    {
      ...{ name: "create a key and make a signed call", clicksMax: 4, secondsMax: 15 },
      run: async ({ page, click }) => {
        await click(link(page, "Developers"));
        await click(link(page, "New key"));
        await page.getByLabel("Label").fill("shop");
        await click(button(page, "Create key"));
        const shell = await page.locator("#first-curl").innerText();
        const args = ["-c", shell.replace(/^CPG_URL=.*/, `CPG_URL='${url}'`)];
        const { stdout } = await new Deno.Command("bash", { args }).output();
        assert.match(new TextDecoder().decode(stdout), /"key_id"/);
      },
    },
    {
      ...{ name: "pay 20 people from a CSV", clicksMax: 4, secondsMax: 20 },
      run: async ({ page, click, goOn }) => {
        await click(link(page, "Payouts"));
        await click(link(page, "Pay many at once"));
        const payees = Array.from({ length: PAYEES }, (_, n) => `0x${String(n).padStart(40, "e")}`);
        const lines = payees.map((to) => `${to},0.001`).join("\n");
        await page.getByLabel("Lines").fill(`to_address,amount\n${lines}`);
        await click(button(page, "Check"));
        await page.getByText("Nothing is paid yet").waitFor();
        await click(button(page, `Pay ${PAYEES} recipients`));
        await goOn(button(page, "Continue with the others"));
        await page.getByRole("heading", { name: `${PAYEES} of ${PAYEES} sent` }).waitFor();
      },
    },
    {
      ...{ name: "notice a silent node", clicksMax: 0, secondsMax: 10 },
      run: async ({ page, reload }) => {
        await deps.db.execute([{ sql: "UPDATE network_cursors SET updated_at_ms = 1" }]);
        await reload();
        await page.getByRole("status", { name: "Is my money all right?" })
          .getByText("has not answered").waitFor();
      },
    },
  ];
}
