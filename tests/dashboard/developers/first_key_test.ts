import assert from "node:assert/strict";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { apiKeys } from "../../../src/store/reads/pages/lists.ts";
import {
  assertAccessible,
  assertFits,
  follow,
  keepScreenshot,
  startBrowser,
} from "../../support/dashboard/browser.ts";
import { makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { startGateway } from "../../support/gateway.ts";

Deno.test("a new key's page has its first signed call, which works as it is", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  await using browser = await startBrowser();
  const { deps, url } = gateway;
  const { id } = await createAccount(deps, { name: "Acme", actor: "test" });
  const login = await makeLogin(deps, { accountId: id });
  const page = await openAs(browser, { url, login });
  // Three clicks from Home, and one that copies the call.
  await page.goto(`${url}/dashboard`);
  await follow(page.getByRole("link", { name: "Developers" }));
  await follow(page.getByRole("link", { name: "New key" }));
  await page.getByLabel("Label").fill("shop");
  await follow(page.getByRole("button", { name: "Create key" }));
  const [key] = await apiKeys(deps.db, id);
  assert.ok(key!.permissions.includes("request_deposit_address"));
  assert.ok(!key!.permissions.includes("withdraw"));
  await assertAccessible(page);
  await assertFits(page);
  await keepScreenshot(page, "first-call");
  const shell = await page.locator("#first-curl").innerText();
  const ran = new Deno.Command("bash", {
    args: ["-c", shell.replace(/^CPG_URL=.*/, `CPG_URL='${url}'`)],
  });
  const { stdout } = await ran.output();
  assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)).data, { key_id: key!.keyId });
  const sdk = await page.locator("#first-sdk").innerText();
  assert.ok(sdk.includes(`keyId: "${key!.keyId}"`) && sdk.includes("cpg.ping()"));
});
