import assert from "node:assert/strict";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { apiKeys } from "../../../src/store/reads/pages/lists.ts";
import {
  assertAccessible,
  assertFits,
  keepScreenshot,
  startBrowser,
} from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { makeMerchant, startGateway } from "../../support/gateway.ts";

const gateway = await startGateway({ CPG_WORKER: "false" });
Deno.test.afterAll(() => gateway.stop());
const { deps, url } = gateway;
const { accountId } = await makeMerchant(gateway, { name: "Acme" });
const merchant = await makeLogin(deps, { accountId });
const operator = await makeLogin(deps);

async function send(token: string, path: string, fields?: Record<string, string>) {
  const form = fields && { csrf: csrfOf(token), ...fields };
  const answer = await dashboardFetch(url, { path, token, ...form ? { form } : {} });
  return { status: answer.status, text: await answer.text() };
}

const use = (bytes: number) =>
  deps.db.execute([{
    sql: "UPDATE storage_uses SET bytes = ?, day_ms = ? WHERE account_id = ?",
    args: [bytes, deps.clock.nowMs() - deps.clock.nowMs() % 86_400_000, accountId],
  }]);

Deno.test("a merchant reads how much of the quota is used, and from 80 % on, on every page", async () => {
  await setAccount(deps, { id: accountId, change: { quotaMb: 10 }, actor: "cli" });
  await use(2_340_000);
  const log = await send(merchant.token, "/requests");
  assert.match(log.text, /Stored today: 2\.4 of 10 MB, until/);
  assert.doesNotMatch((await send(merchant.token, "/")).text, /Stored today/);
  await use(8_000_000);
  const home = (await send(merchant.token, "/")).text;
  assert.match(home, /Stored today: 8 of 10 MB, until.*An operator can allow more/s);
  assert.doesNotMatch(home, /refused until then/);
  await use(10_000_000);
  assert.match((await send(merchant.token, "/")).text, /New invoices.*refused until then/);
});

Deno.test("with the quota used up, a merchant's forms say so, and what ends something still works", async () => {
  await setAccount(deps, { id: accountId, change: { quotaMb: 10 }, actor: "cli" });
  await use(10_000_000);
  const key = { account: String(accountId), label: "shop", permissions: "read_balance" };
  const made = await send(merchant.token, "/keys/new", { ...key, rate_limit: "60" });
  assert.equal(made.status, 422);
  assert.match(made.text, /Storage quota exceeded: 10 MB a day, until \d{4}-/);
  assert.match(made.text, /name="label"[^>]* value="shop"/);
  const [row] = await apiKeys(deps.db, accountId);
  const revoked = await send(merchant.token, `/keys/${row!.keyId}/revoke`, {});
  assert.equal(revoked.status, 303);
  assert.equal((await send(operator.token, "/keys/new", { ...key, rate_limit: "60" })).status, 200);
});

Deno.test("operators set the quota on the account's page, and merchants can't", async () => {
  const path = `/accounts/${accountId}/settings`;
  const quotaMb = async () => (await deps.db.get(Accounts, [accountId])).quotaMb;
  assert.equal((await send(merchant.token, path, { quota_mb: "999" })).status, 404);
  assert.equal((await send(operator.token, path, { quota_mb: "0" })).status, 422);
  assert.equal((await send(operator.token, path, { quota_mb: "128" })).status, 303);
  assert.equal(await quotaMb(), 128);
  await use(64_000_000);
  const page = (await send(operator.token, `/accounts/${accountId}`)).text;
  assert.match(page, /64 of 128 MB, until/);
  assert.match(page, /name="quota_mb"[^>]* value="128"/);
  assert.equal((await send(operator.token, path, { reporting: "" })).status, 303);
  assert.equal(await quotaMb(), 128);
});

Deno.test("the notice of a used-up quota is accessible and fits a phone", async () => {
  await setAccount(deps, { id: accountId, change: { quotaMb: 10 }, actor: "cli" });
  await use(10_000_000);
  await using browser = await startBrowser();
  for (const isPhone of [false, true]) {
    const page = await openAs(browser, { url, login: merchant, isPhone });
    await page.goto(`${url}/dashboard`);
    await page.getByText("Stored today").waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await keepScreenshot(page, `quota-${isPhone ? "phone" : "desk"}`);
  }
});
