import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Role } from "../../src/domain/access/roles.ts";
import { Transactions } from "../../src/store/tables/transactions.ts";
import { allocate } from "../support/views.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { assertFits, keepScreenshot, startBrowser } from "../support/dashboard/browser.ts";
import { makeLogin, openAs } from "../support/dashboard/dashboard.ts";
import { startPayingWorld } from "../support/payouts.ts";
import { noteTest } from "../support/stage.ts";
import type { World } from "../support/world.ts";
import { makeTransaction } from "../store/reads/make_rows.ts";
import { livedIn } from "./lived_in.ts";

const BOTH: readonly Role[] = ["operator", "merchant"];

/** Add a page here: on it, every status and amount must be inside the window at each width. */
const PAGES: readonly (readonly [path: string, roles: readonly Role[]])[] = [
  ["/", BOTH],
  ["/parts", BOTH],
];
const WIDTHS = [1440, 768, 390];

const USERS = ["x".repeat(120), "محمد العربي", "🚀👩‍👩‍👧"];
const AMOUNTS = ["9".repeat(78), "0.000000000000000001", "1234567890.123456789"];

/** Newest payments of customers with extreme names. */
async function addExtremes({ deps, merchant: { api, accountId } }: World): Promise<void> {
  const asset = { network: "ETH", currency: "ETH" };
  const ids: number[] = [];
  for (const user of USERS) {
    await allocate(api, { ...asset, user });
    const [row] = await deps.db.query("SELECT max(id) AS id FROM addresses");
    ids.push(Number(row!.id));
  }
  await deps.db.write({
    reads: [],
    decide: (view) => {
      noteTest(view);
      ids.forEach((addressId, n) => {
        const txHash = `0x${String(n).repeat(64)}`;
        const amount = AMOUNTS[n]!;
        const none = { depositRequestId: null, withdrawalId: null, sweepId: null };
        const place = {
          id: 0,
          accountId,
          addressId,
          position: 0,
          live: 1,
          txHash,
          ...none,
        } as const;
        view.insert(
          Transactions,
          makeTransaction({
            ...{ ...place, ...asset, direction: "deposit", status: "confirmed", amount },
          }),
        );
      });
    },
  });
}

/** Texts of statuses and amounts that aren't wholly inside the window. */
const OUTSIDE = `[...document.querySelectorAll("main .status, main .money")]
  .filter((it) => it.checkVisibility())
  .filter((it) => {
    const boxes = [...it.getClientRects()];
    return boxes.some(({ left, right }) => left < 0 || right > document.documentElement.clientWidth + 1);
  })
  .map((it) => it.textContent)`;

async function assertInside(page: Page, path: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await assertFits(page);
    assert.deepEqual(await page.evaluate(OUTSIDE), [], `${path} at ${width} px`);
    await keepScreenshot(page, `viewport${path.replaceAll("/", "-")}-${width}`);
  }
}

for (const isScriptOn of [true, false]) {
  const how = isScriptOn ? "with scripts" : "without scripts";
  Deno.test(`every status and amount is inside the window, with extreme data, ${how}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    await using browser = await startBrowser();
    const { deps, url, merchant: { accountId } } = world;
    await livedIn(world);
    await addExtremes(world);
    for (const login of [await makeLogin(deps), await makeLogin(deps, { accountId })]) {
      const page = await openAs(browser, { url, login, isScriptOn });
      for (const [path, roles] of PAGES) {
        if (!roles.includes(login.user.role)) continue;
        const answer = await page.goto(`${url}/dashboard${path}`);
        assert.equal(answer?.status(), 200, path);
        await assertInside(page, path);
      }
    }
  });
}
