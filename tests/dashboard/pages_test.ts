import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { startAnvil } from "../support/nodes/anvil.ts";
import {
  assertAccessible,
  assertFits,
  keepScreenshot,
  startBrowser,
} from "../support/dashboard/browser.ts";
import { makeLogin, openAs } from "../support/dashboard/dashboard.ts";
import { startPayingWorld } from "../support/payouts.ts";
import { livedIn, sweptOn } from "./lived_in.ts";
import { LIVED_IN_IDS, pathsOf } from "./looks/paths_of.ts";

Deno.test("every page of both roles is accessible, fits a phone and shows no error", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  await livedIn(world);
  await sweptOn(world);
  const { deps, url, merchant: { accountId } } = world;
  const ids = { ...LIVED_IN_IDS, "accounts.id": String(accountId) };
  const logins = [await makeLogin(deps), await makeLogin(deps, { accountId })];
  await Promise.all(logins.map(async (login) => {
    const page = await openAs(browser, { url, login });
    await visitAll(page, {
      role: login.user.role,
      base: `${url}/dashboard`,
      paths: pathsOf(login.user.role, ids),
    });
  }));
});

const LOOKS = {
  wide: { width: 1280, height: 900, colorScheme: "light" },
  phone: { width: 360, height: 800, colorScheme: "dark" },
} as const;

async function visitAll(
  page: Page,
  { role, base, paths }: { role: string; base: string; paths: readonly string[] },
): Promise<void> {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (line) => line.type() === "error" && faults.push(line.text()));
  for (const path of paths) {
    const answer = await page.goto(`${base}${path}`);
    assert.equal(answer?.status(), 200, path);
    // A step that is done leads to the next one.
    const isThere = path.startsWith("/begin")
      ? page.url().startsWith(`${base}/begin/`)
      : page.url().replace(/\/$/, "") === `${base}${path}`.replace(/\/$/, "");
    assert.ok(isThere, `${path} leads to ${page.url()}`);
    const name = path.replaceAll("/", "-").replace(/^-/, "") || "overview";
    for (const [look, { colorScheme, ...size }] of Object.entries(LOOKS)) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      await assertAccessible(page);
      await assertFits(page);
      await keepScreenshot(page, `${role}-${name}-${look}`);
    }
  }
  assert.deepEqual(faults, []);
}
