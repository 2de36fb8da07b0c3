import assert from "node:assert/strict";
import type { Page, Response } from "playwright-core";
import { ASSETS } from "../../../src/dashboard/assets/assets.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { follow, inPage, keepScreenshot, startBrowser } from "../../support/dashboard/browser.ts";
import { type Login, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { addExtremes } from "./extremes.ts";
import { livedIn, sweptOn } from "../lived_in.ts";
import { LIVED_IN_IDS, pathsOf } from "./paths_of.ts";

const WIDTHS = [1440, 1280, 768, 390];
/** More than any list shows on a page. */
const MANY = 60;
const BYTES_MAX = 60 * 1_024;
/** Texts of statuses and amounts that aren't wholly inside the window, and how wide the page is. */
const MEASURE = `(() => {
  const room = document.documentElement.clientWidth;
  const isOut = ({ left, right }) => left < 0 || right > room + 1;
  const outside = [...document.querySelectorAll("main .status, main .money")]
    .filter((it) => it.checkVisibility())
    .filter((it) => [...it.getClientRects()].some(isOut))
    .map((it) => it.textContent);
  return { outside, excess: document.documentElement.scrollWidth - room };
})()`;

/** With the rows of all accounts, which have a column more. */
const LISTS = ["/deposits", "/withdrawals", "/transactions", "/sweeps", "/webhooks/deliveries"];

interface Walk {
  readonly name: string;
  readonly login: Login;
  readonly paths: readonly string[];
}

Deno.test("every page fits windows of all widths with its statuses and amounts, and weighs little", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  await livedIn(world);
  await sweptOn(world);
  const { accountId: other, ids } = await addExtremes(deps, { many: MANY });
  const ordinary = { ...LIVED_IN_IDS, "accounts.id": String(accountId) };
  const email = `${"m".repeat(60)}@${"mail".repeat(15)}.example.com`;
  const walks: Walk[] = [
    {
      name: "operator",
      login: await makeLogin(deps),
      paths: [
        ...pathsOf("operator", ids).map((path) => `${path}?account=${other}`),
        ...LISTS,
        ...pathsOf("operator", ordinary).filter((path) => /\d/.test(path)),
      ],
    },
    {
      name: "merchant",
      login: await makeLogin(deps, { accountId }),
      paths: pathsOf("merchant", ordinary),
    },
    {
      name: "extreme",
      login: await makeLogin(deps, { accountId: other, email }),
      paths: pathsOf("merchant", ids),
    },
  ];
  const faults: string[] = [];
  await Promise.all(walks.map(async (walk) => {
    const page = await openAs(browser, { url, login: walk.login });
    for (const path of walk.paths) {
      const answer = await page.goto(`${url}/dashboard${path}`);
      faults.push(...await faultsOf(page, { ...walk, path, answer }));
    }
  }));
  assert.deepEqual(faults, []);
  await assertCards(await openAs(browser, { url, login: walks[1]!.login }), url);
});

/** Payments on a phone: filters after a tap, and rows of two lines that a tap opens. */
async function assertCards(page: Page, url: string): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${url}/dashboard/deposits?status=swept`);
  const status = page.getByLabel("Status");
  assert.equal(await status.isVisible(), false);
  await page.getByText("Filter (1)").click();
  assert.equal(await status.isVisible(), true);
  const row = page.locator("tbody tr").first();
  assert.match(await row.innerText(), /^alice\s+1 ETH\s+in your wallet\s+\d+ \w+ ago$/);
  const { height } = await row.boundingBox() ?? assert.fail("No row");
  assert.ok(height < 75, `${height} px`);
  await follow(row.getByRole("link", { name: "alice", exact: true }));
  await page.getByRole("heading", { name: "alice", level: 1 }).waitFor();
  await page.setViewportSize({ width: 1280, height: 844 });
  await page.goto(`${url}/dashboard/deposits`);
  assert.equal(await status.isVisible(), true);
}

async function faultsOf(
  page: Page,
  { name, path, answer }: { name: string; path: string; answer: Response | null },
): Promise<string[]> {
  const where = `${name} ${path}`;
  if (answer?.status() !== 200) return [`${where}: ${answer?.status()}`];
  const bytes = weightOf(await answer.text());
  const faults = bytes > BYTES_MAX ? [`${where}: ${bytes} bytes`] : [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const { outside, excess } = await inPage(page, () => page.evaluate<Measured>(MEASURE));
    if (excess > 0) faults.push(`${where} at ${width} px: ${excess} px too wide`);
    if (outside.length > 0) faults.push(`${where} at ${width} px: outside: ${outside.slice(0, 3)}`);
    await keepScreenshot(page, `viewport-${name}${path.replace(/[/?=]/g, "-")}-${width}`);
  }
  return faults;
}

/** Of the page, its styles, scripts and icon. */
function weightOf(html: string): number {
  const used = ASSETS.filter(({ path }) => html.includes(`="${path}"`));
  assert.ok(used.length >= 3);
  return [html, ...used.map(({ text }) => text)]
    .reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);
}

interface Measured {
  readonly outside: readonly string[];
  readonly excess: number;
}
