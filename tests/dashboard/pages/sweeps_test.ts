import assert from "node:assert/strict";
import { parkSweep } from "../../../src/sweeps/steps.ts";
import { assignSweeps } from "../../../src/sweeps/assign.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { depositsOfSweep } from "../../../src/sweeps/reads/sweeps.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import {
  assertAccessible,
  follow,
  keepScreenshot,
  startBrowser,
} from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { ETHER } from "../../support/payers.ts";
import { payIn, RECEIVER, startSweepingWorld, sweepsOf, sweepTo } from "../../support/sweeping.ts";
import { alertsOf, allocate } from "../../support/views.ts";

Deno.test("a parked sweep shows its reason in the list, and is retried from its page to its end", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil, receiver: null });
  await using browser = await startBrowser();
  const { deps, url, merchant: { api, accountId } } = world;
  const { address } = await allocate(api, { user: "customer 7" });
  for (const raw of [ETHER, ETHER / 2n]) await payIn(world, { to: address, raw });
  await world.turn(2);
  await sweepTo(world, RECEIVER);
  const network = (await deps.catalog.current()).network("ETH")!;
  await assignSweeps(deps, network);
  const [sweep] = await sweepsOf(world);
  const deposits = await depositsOfSweep(deps.db, sweep!.id);
  await parkSweep(deps, { sweep: sweep!, deposits }, {
    code: "reverts",
    reason: "the token refuses it",
  });

  const merchant = await makeLogin(deps, { accountId });
  const form = { csrf: csrfOf(merchant.token) };
  const asked = { path: `/sweeps/${sweep!.id}/retry`, token: merchant.token, form };
  const refused = await dashboardFetch(url, asked);
  assert.equal(refused.status, 404);
  await refused.body?.cancel();
  const own = await dashboardFetch(url, { path: "/sweeps", token: merchant.token });
  assert.match(await own.text(), /the token refuses it/);

  const login = await makeLogin(deps);
  const page = await openAs(browser, { url, login });
  await page.goto(`${url}/dashboard/alerts`);
  await page.getByRole("link", { name: "View", exact: true }).click();
  await page.getByRole("heading", { name: `Sweep ${sweep!.id}` }).waitFor();
  await page.goto(`${url}/dashboard/sweeps`);
  const row = page.getByRole("row").nth(1);
  assert.match(await row.innerText(), /1\.5 ETH[^]*parked[^]*the token refuses it/);
  await follow(row.getByRole("link", { name: String(sweep!.id), exact: true }).first());
  await assertAccessible(page);
  await keepScreenshot(page, "operator-sweep-parked");
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText("The sweep will be retried").waitFor();
  assert.deepEqual(await alertsOf(deps), []);
  const actor = `user:${login.user.id}`;
  const rows = await auditPage(deps.db, { actor, subject: null, cursor: null, limit: 9 });
  assert.deepEqual(rows.map(({ action }) => action), ["sweep.retried"]);

  await world.turn(3);
  await page.getByText("Sweep signed").waitFor();
  await page.getByText("done", { exact: true }).first().waitFor();
  const [transfer] = (await deps.db.query("SELECT tx_hash FROM signed_transactions"))!;
  await page.goto(`${url}/dashboard/sweeps?state=done`);
  assert.ok((await page.content()).includes(String(transfer!.tx_hash)));
  assert.match(await page.getByRole("row").nth(1).innerText(), /1\.49\d+ ETH[^]*done/);
});
