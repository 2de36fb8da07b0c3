import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { Invoices } from "../../src/invoices/tables/invoices.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { keepScreenshot, startBrowser } from "../support/dashboard/browser.ts";
import { makeLogin, openAs } from "../support/dashboard/dashboard.ts";
import { startPayingWorld } from "../support/payouts.ts";
import { ROW_LINK } from "../../src/dashboard/assets/style/tables.ts";
import { livedIn, sweptOn } from "./lived_in.ts";
import { LIVED_IN_IDS, pathsOf } from "./looks/paths_of.ts";

const DOUBLE = `[...document.querySelectorAll("tbody tr")].flatMap((row) => {
  const links = [...row.querySelectorAll(${JSON.stringify(ROW_LINK)})].map(({ href }) => href);
  return new Set(links).size > 1 ? [": " + links.join(" ")] : [];
})`;

/** Beside the text of the second cell from the right, where no link is. */
async function emptyPlace(page: Page): Promise<{ x: number; y: number }> {
  const box = (await page.locator("tbody tr").first().locator("td:visible").nth(-2).boundingBox())!;
  return { x: box.x + box.width - 3, y: box.y + box.height / 2 };
}

Deno.test("no row has links to two places that cover it", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await livedIn(world);
  await sweptOn(world);
  const { deps, url, merchant: { accountId } } = world;
  await using browser = await startBrowser();
  const ids = { ...LIVED_IN_IDS, "accounts.id": String(accountId) };
  const login = await makeLogin(deps);
  const page = await openAs(browser, { url, login });
  const faults: string[] = [];
  for (const path of pathsOf(login.user.role, ids)) {
    await page.goto(`${url}/dashboard${path}`);
    faults.push(...await page.evaluate<string[]>(DOUBLE).then((all) => all.map((it) => path + it)));
  }
  assert.deepEqual(faults, []);
});

Deno.test("a row of a list is its link, with and without scripts, and its texts can be selected", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await livedIn(world);
  const { deps, url, merchant: { accountId } } = world;
  await using browser = await startBrowser();
  const login = await makeLogin(deps, { accountId });
  const [invoice] = await deps.db.rows(Invoices, "ORDER BY id");
  const lists: readonly (readonly [path: string, to: RegExp])[] = [
    ["/withdrawals", /\/withdrawals\/2$/],
    ["/deposits", /\/deposits\/\d+$/],
    ["/invoices", new RegExp(`/invoices/${invoice!.id}$`)],
    ["/balances", /\/balances\/ETH\/ETH$/],
    ["/webhooks", /\/webhooks\/1$/],
    ["/batches", /\/batches\/1$/],
    ["/rules", /\/rules\/\d+$/],
  ];
  for (const isScriptOn of [true, false]) {
    const page = await openAs(browser, { url, login, isScriptOn });
    for (const [path, to] of lists) {
      await page.goto(`${url}/dashboard${path}`);
      const { x, y } = await emptyPlace(page);
      await page.mouse.click(x, y);
      await page.waitForURL(to);
    }
  }
  const page = await openAs(browser, { url, login });
  await page.goto(`${url}/dashboard/withdrawals`);
  await keepScreenshot(page, "rows");
  const money = page.locator("tbody tr .money").first();
  await money.click();
  await page.waitForURL(/\/withdrawals\/2$/);
  await page.goBack();
  const box = (await money.boundingBox())!;
  await page.mouse.move(box.x + 1, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  assert.match(await page.evaluate<string>("getSelection().toString()"), /1\.25/);
  assert.match(page.url(), /\/withdrawals$/, "what was selected stays");
  await page.evaluate("getSelection().removeAllRanges()");
  const place = await emptyPlace(page);
  for (const how of [{ button: "middle" }, { modifiers: ["Control"] }] as const) {
    const opened = page.context().waitForEvent("page");
    if ("modifiers" in how) await page.keyboard.down("Control");
    await page.mouse.click(place.x, place.y, "button" in how ? { button: how.button } : {});
    if ("modifiers" in how) await page.keyboard.up("Control");
    const other = await opened;
    await other.waitForURL(/\/withdrawals\/2$/);
    await other.close();
    assert.match(page.url(), /\/withdrawals$/);
  }
});
