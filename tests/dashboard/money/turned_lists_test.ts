import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startBrowser } from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { livedIn } from "../lived_in.ts";
import { addExtremes } from "../looks/extremes.ts";

/** More than any list shows on a page. */
const MANY = 60;

const linkOf = (html: string, marked: RegExp): string | undefined =>
  marked.exec(html)?.[1]?.replaceAll("&amp;", "&").slice("/dashboard".length);
const nextOf = (html: string) => linkOf(html, /rel="next" href="([^"]*)"/);
const turnedOf = (html: string) => linkOf(html, /aria-sort="\w+"><a class="turn" href="([^"]*)"/);
const sortOf = (html: string) => /aria-sort="(\w+)"/.exec(html)?.[1];

/** The text of each row of the table that can be turned round. */
function rowsOf(html: string): string[] {
  const body = /aria-sort=[^]*?<tbody>([^]*?)<\/tbody>/.exec(html)?.[1] ?? "";
  return body.split("<tr>").slice(1).map((row) => row.replace(/<[^>]*>/g, " "));
}

Deno.test("every list in the order of time is turned round by its title, page by page, with its filters", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url } = world;
  await livedIn(world);
  const { accountId: other } = await addExtremes(deps, { many: MANY });
  const login = await makeLogin(deps);
  const get = async (path: string) => {
    const answer = await dashboardFetch(url, { path, token: login.token });
    assert.equal(answer.status, 200, path);
    return await answer.text();
  };
  const walked = async (first: string) => {
    const rows: string[] = [];
    for (let path: string | undefined = first; path !== undefined;) {
      const html: string = await get(path);
      rows.push(...rowsOf(html));
      path = nextOf(html);
    }
    return rows;
  };
  const own = `account=${other}`;
  const lists = [
    ...[`/deposits?${own}`, `/transactions?${own}&direction=deposit`, "/withdrawals", "/sweeps"],
    ...["/invoices", `/webhooks/deliveries?${own}`, "/audit?last=all"],
  ];
  const short = [
    "/webhooks",
    "/customers",
    "/alerts?all=on",
    "/accounts",
    "/balances/ETH/ETH?account=1",
  ];
  for (const path of [...lists, ...short, `/batches?${own}`]) {
    const html = await get(path);
    assert.equal(sortOf(html), "descending", path);
    const turned = turnedOf(html)!;
    assert.equal(sortOf(await get(turned)), "ascending", turned);
    assert.equal(turnedOf(await get(turned)), path, "and back again");
    const newest = await walked(path);
    assert.ok(newest.length > (lists.includes(path) ? 20 : 0), `${path}: ${newest.length}`);
    assert.deepEqual(await walked(turned), newest.toReversed(), path);
    const unknown = await get(`${path}${path.includes("?") ? "&" : "?"}order=sideways`);
    assert.equal(sortOf(unknown), "descending", path);
  }

  await using browser = await startBrowser();
  const page = await openAs(browser, { url, login, isScriptOn: false });
  await page.goto(`${url}/dashboard/deposits?${own}&status=confirmed`);
  await page.getByRole("columnheader", { name: "When" }).getByRole("link").click();
  await page.getByRole("link", { name: "Older" }).waitFor({ state: "detached" });
  await page.selectOption("[name=network]", "ETH");
  await page.getByRole("button", { name: "Show" }).click();
  const isAsked = (href: string) =>
    ["order=oldest", own, "status=confirmed", "network=ETH"].every((one) => href.includes(one));
  await page.waitForURL((to: URL) => isAsked(to.search));
  const exported = await page.getByRole("link", { name: "Export" }).getAttribute("href");
  assert.ok(isAsked(exported ?? ""), `${exported}`);
  await page.getByRole("link", { name: "Newest first" }).last().click();
  await page.locator("[aria-sort=descending]").waitFor();
});
