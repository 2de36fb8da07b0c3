import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { inPage, startBrowser } from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { livedIn, sweptOn } from "../lived_in.ts";
import { LIVED_IN_IDS, pathsOf } from "./paths_of.ts";

/** Only for the eye. */
const UNREAD = /<(svg|script|style|select)\b[^]*?<\/\1>/g;
/** What is read as one. */
const PIECE = /<(td|th|li|h1|h2|h3|summary)\b[^>]*>([^]*?)<\/\1>/g;
/** They have places of their own, whatever surrounds them. */
const APART = /<\/?(?:dt|dd|br|details|summary|form|button|label)\b[^>]*>/g;
/** Parts of one word: of an amount, an address, or what was searched for. */
const ONE_WORD = /<[bi]>|<\/b>|<\/span><span>|<\/?mark>/;
const GLUED = /[\p{L}\p{N}.,:)]{1,30}(?:<[^>]*>)+[\p{L}\p{N}(][^<]{0,30}/gu;

/** Words of two elements with nothing between them. */
function gluedIn(html: string): string[] {
  return [...html.replaceAll(UNREAD, " ").matchAll(PIECE)]
    .flatMap(([, , piece = ""]) => piece.replaceAll(APART, " ").match(GLUED) ?? [])
    .filter((found) => !ONE_WORD.test(found));
}

/** Words of two elements that touch each other on the screen. */
const TOUCHING = `(() => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const boxOf = (text, at) => {
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    return range.getBoundingClientRect();
  };
  const isWord = (character) => /[\\p{L}\\p{N}]/u.test(character);
  let last;
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (text.parentElement.closest("svg, script, style, option, noscript, .hidden")) continue;
    const isPart = text.parentElement.closest(".ends, mark, .money");
    if (last && !isPart && isWord(last.data.at(-1)) && isWord(text.data[0])) {
      const [a, b] = [boxOf(last, last.data.length - 1), boxOf(text, 0)];
      const isBeside = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
      const gap = Math.max(a.left - b.right, b.left - a.right);
      if (isBeside && gap < 1 && a.width > 0 && b.width > 0) {
        found.push(last.data.slice(-20) + "|" + text.data.slice(0, 20));
      }
    }
    last = text;
  }
  return found;
})()`;

Deno.test("no two words stick together, neither on the screen nor for whoever is read to", async () => {
  assert.deepEqual(gluedIn("<td><a>above 3000</a><p>A payout</p></td>"), ["3000</a><p>A payout"]);
  assert.deepEqual(gluedIn("<td><a>above 3000</a> <p>A payout</p></td>"), []);
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  await livedIn(world);
  await sweptOn(world);
  const { deps, url, merchant: { accountId } } = world;
  const ids = { ...LIVED_IN_IDS, "accounts.id": String(accountId) };
  const faults: string[] = [];
  for (const login of [await makeLogin(deps), await makeLogin(deps, { accountId })]) {
    const page = await openAs(browser, { url, login });
    for (const path of pathsOf(login.user.role, ids)) {
      const html = await (await dashboardFetch(url, { path, token: login.token })).text();
      const touching = await touchingOn(page, `${url}/dashboard${path}`);
      faults.push(...[...gluedIn(html), ...touching].map((fault) => `${path}: ${fault}`));
    }
  }
  assert.deepEqual(faults, []);
});

async function touchingOn(page: Page, url: string): Promise<string[]> {
  await page.goto(url);
  const found: string[] = [];
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    found.push(...await inPage(page, () => page.evaluate<string[]>(TOUCHING)));
  }
  return found;
}
