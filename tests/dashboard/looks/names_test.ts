import assert from "node:assert/strict";
import { createUser } from "../../../src/access/manage_users.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startBrowser } from "../../support/dashboard/browser.ts";
import { makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { allocate } from "../../support/views.ts";
import { startWorld } from "../../support/world.ts";

const LINES_MAX_PX = 50;
const EMAIL = "developer@example.com";

Deno.test("a long name takes one line of a list, and a short one is whole where there is room", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId, api } } = world;
  for (const user of ["x".repeat(120), "customer-7"]) await allocate(api, { user });
  const order = { role: "developer", accountId, actor: "test" } as const;
  await createUser(deps, { ...order, email: EMAIL }, null);
  const page = await openAs(browser, { url, login: await makeLogin(deps, { accountId }) });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${url}/dashboard/customers`);
  const rows = await page.locator("tbody tr").all();
  assert.equal(rows.length, 2);
  for (const row of rows) {
    const { height } = await row.boundingBox() ?? assert.fail("No row");
    assert.ok(height < LINES_MAX_PX, `${height} px`);
  }
  await page.goto(`${url}/dashboard/users`);
  const email = page.getByText(EMAIL, { exact: true });
  assert.equal(await email.evaluate((it) => it.scrollWidth - it.clientWidth), 0);
});
