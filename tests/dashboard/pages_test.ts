import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { mayUse } from "../../src/dashboard/access.ts";
import { ROUTES } from "../../src/dashboard/pages.ts";
import type { PageRoute } from "../../src/dashboard/routes.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import {
  assertAccessible,
  assertFits,
  keepScreenshot,
  startBrowser,
} from "../support/dashboard/browser.ts";
import { type Login, makeLogin, openAs } from "../support/dashboard/dashboard.ts";
import { startPayingWorld } from "../support/payouts.ts";
import { livedIn, sweptOn } from "./lived_in.ts";

/** All of the role's pages, from the table of routes. */
function pathsOf(login: Login, ids: Readonly<Record<string, string>>): string[] {
  return ROUTES
    .filter((route): route is PageRoute => route.kind === "page")
    .filter((route) => mayUse(login.user.role, route))
    .map(({ path }) =>
      path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => {
        const first = path.split("/")[1]!;
        return ids[`${first}.${name}`] ?? assert.fail(`No ${name} for ${path}`);
      })
    );
}

Deno.test("every page of both roles is accessible, fits a phone and shows no error", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  await livedIn(world);
  await sweptOn(world);
  const { deps, url, merchant: { accountId } } = world;
  const ids = {
    "withdrawals.id": "1",
    "deposits.id": "2",
    "addresses.id": "2",
    "sweeps.id": "1",
    "accounts.id": String(accountId),
    "networks.code": "ETH",
    "networks.symbol": "ETH",
    "batches.id": "1",
    "balances.network": "ETH",
    "balances.symbol": "ETH",
    "webhooks.id": "1",
    "webhooks.event": "1",
  };
  const logins = [await makeLogin(deps), await makeLogin(deps, { accountId })];
  await Promise.all(logins.map(async (login) => {
    const page = await openAs(browser, { url, login });
    await visitAll(page, {
      role: login.user.role,
      base: `${url}/dashboard`,
      paths: pathsOf(login, ids),
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
    assert.equal(page.url().replace(/\/$/, ""), `${base}${path}`.replace(/\/$/, ""));
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
