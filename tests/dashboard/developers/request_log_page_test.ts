import assert from "node:assert/strict";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { NOBODY, RequestCounts, RequestLog } from "../../../src/request_log/table.ts";
import {
  assertAccessible,
  assertFits,
  follow,
  keepScreenshot,
  startBrowser,
} from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { startGateway } from "../../support/gateway.ts";
import { makeRejected } from "../../store/reads/make_requests.ts";

const HOUR_MS = 3_600_000;
const SCRIPT = `<script>document.documentElement.id="taken"</script>`;

async function makeLog({ db, clock }: Deps, accountId: number): Promise<void> {
  const nowMs = clock.nowMs();
  const hourMs = nowMs - nowMs % HOUR_MS;
  const counted = { accountId, hourMs, keyId: "k1", route: "GET /v1/_ping" };
  await db.write({
    reads: [],
    decide: (view) => {
      view.insertKeyed(RequestCounts, { ...counted, succeeded: 41, rejected: 2 });
      view.insertKeyed(RequestCounts, {
        ...{ accountId: NOBODY, hourMs, keyId: "", route: "", succeeded: 0, rejected: 7 },
      });
      const { id: _, ...bad } = makeRejected({ id: 0, accountId });
      view.insert(RequestLog, {
        ...bad,
        atMs: nowMs - 1_000,
        canonical: "1767225600\nPOST\n/v1/withdrawals\na=1\n" + "0".repeat(64),
        method: "POST",
        path: "/v1/withdrawals",
        body: SCRIPT,
        bodyBytes: 5_000,
      });
      view.insert(RequestLog, {
        ...{ ...bad, atMs: nowMs - 2 * HOUR_MS, keyId: "k2", code: "not_found", status: 404 },
        ...{ reason: "not_found", message: "Not found", path: `/v1/${"x".repeat(190)}` },
      });
    },
  });
}

async function start() {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const { id } = await createAccount(deps, { name: "Acme", actor: "test" });
  await makeLog(deps, id);
  return { gateway, deps, id, url: gateway.url };
}

Deno.test("a rejected request is found by time, path, code and key, with the lines to compare", async () => {
  const { gateway, deps, id, url } = await start();
  await using _ = gateway;
  await using browser = await startBrowser();
  const login = await makeLogin(deps, { accountId: id });
  const page = await openAs(browser, { url, login });
  await page.goto(`${url}/dashboard/requests`);
  const rows = page.locator("section", { hasText: "Rejected requests" }).locator("tbody tr");
  await page.getByText("41 succeeded, 2 rejected").waitFor();
  assert.equal(await rows.count(), 2);
  await page.setViewportSize({ width: 390, height: 844 });
  await assertFits(page);
  await keepScreenshot(page, "requests-phone");
  await page.setViewportSize({ width: 1440, height: 900 });
  await assertAccessible(page);
  await keepScreenshot(page, "requests");
  await follow(page.getByRole("link", { name: "Last hour" }));
  assert.equal(await rows.count(), 1);
  await follow(page.getByRole("link", { name: "7 days" }));
  await page.getByLabel("Path contains").fill("/v1/xx");
  await page.getByLabel("Code").selectOption("not_found");
  await follow(page.getByRole("button", { name: "Show" }));
  assert.equal(await rows.count(), 1);
  await page.goto(`${url}/dashboard/requests?key=k1`);
  assert.equal(await rows.count(), 1);
  await follow(page.getByRole("link", { name: "POST /v1/withdrawals" }));
  const lines = page.locator("#canonical code");
  assert.deepEqual(await lines.allInnerTexts(), [
    ...["1767225600", "POST", "/v1/withdrawals", "a=1"],
    "0".repeat(64),
  ]);
  await page.getByText(SCRIPT).waitFor();
  await page.getByText("The first 2 KiB of 5000 bytes").waitFor();
  await assertAccessible(page);
  await keepScreenshot(page, "request");
});

Deno.test("a merchant sees no other account's requests, and nobody but operators sees strangers'", async () => {
  const { gateway, deps, id, url } = await start();
  await using _ = gateway;
  const other = await createAccount(deps, { name: "Other", actor: "test" });
  const merchant = await makeLogin(deps, { accountId: other.id });
  const operator = await makeLogin(deps);
  const get = async (token: string, query = "") => {
    const answer = await dashboardFetch(url, { path: `/requests${query}`, token });
    return { status: answer.status, text: await answer.text() };
  };
  assert.equal((await get(merchant.token, "?show=1")).status, 404);
  assert.equal((await get(merchant.token, "?show=99")).status, 404);
  const theirs = await get(merchant.token, `?account=${id}`);
  assert.ok(!theirs.text.includes("/v1/withdrawals") && !theirs.text.includes("belong to no"));
  assert.match((await get(operator.token)).text, /7 requests with unknown keys/);
  assert.match((await get(operator.token, `?account=${id}&show=1`)).text, /0{64}/);
  for (const query of ["?from=soon", "?cursor=x", "?show=x", "?last=x&until=2026-01-01T00:00"]) {
    assert.ok([200, 404].includes((await get(merchant.token, query)).status), query);
  }
});
