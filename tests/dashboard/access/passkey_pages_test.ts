import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Deps } from "../../../src/deps/deps.ts";
import { passkeysOf } from "../../../src/access/rules/second_factors.ts";
import { Users } from "../../../src/access/tables/users.ts";
import {
  assertAccessible,
  assertFits,
  follow,
  keepScreenshot,
  startBrowser,
} from "../../support/dashboard/browser.ts";
import {
  forgetProof,
  makeSession,
  makeUser,
  openAs,
  PASSWORD,
} from "../../support/dashboard/dashboard.ts";
import { addAuthenticator } from "../../support/dashboard/virtual_authenticator.ts";
import { startGateway } from "../../support/gateway.ts";

const EMAIL = "ann@example.com";
const press = (page: Page, name: string) => follow(page.getByRole("button", { name, exact: true }));
const go = (page: Page, name: string) => follow(page.getByRole("link", { name, exact: true }));

async function makeAnn(deps: Deps) {
  const order = { email: EMAIL, role: "operator", accountId: null, actor: "test" } as const;
  const user = await makeUser(deps, order);
  return { user, token: await makeSession(deps, user) };
}

const LOOKS = [
  { colorScheme: "dark", width: 390 },
  { colorScheme: "light", width: 1440 },
] as const;

async function assertGood(page: Page, name: string): Promise<void> {
  for (const { colorScheme, width } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    await assertFits(page);
    await assertAccessible(page);
    await keepScreenshot(page, `${name}-${colorScheme}-${width}`);
  }
}

Deno.test("a passkey is added, signs in after the password, proves who somebody is, and is removed", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  await using browser = await startBrowser();
  const { deps } = gateway;
  const url = gateway.url.replace("127.0.0.1", "localhost");
  const login = await makeAnn(deps);
  const page = await openAs(browser, { url, login });
  await using _authenticator = await addAuthenticator(page);
  const at = () => new URL(page.url()).pathname.replace("/dashboard", "");

  await page.goto(`${url}/dashboard/profile`);
  await assertGood(page, "profile-without-factor");
  await go(page, "Add a passkey");
  await assertGood(page, "passkey-new");
  await page.getByLabel("Name").fill("Ann's phone");
  await press(page, "Create passkey");
  assert.equal(await page.locator(".codes li").count(), 10);
  await go(page, "I have saved them");
  await page.getByText("Ann's phone").waitFor();
  await assertGood(page, "profile-with-passkey");

  await page.context().clearCookies();
  await page.goto(`${url}/dashboard/alerts`);
  await page.getByLabel("Email").fill(EMAIL);
  await page.getByLabel("Password").fill(PASSWORD);
  await press(page, "Sign in");
  await assertGood(page, "sign-in-passkey");
  await press(page, "Use a passkey");
  assert.equal(at(), "/alerts");
  const used = passkeysOf(await deps.db.get(Users, [login.user.id]));
  assert.ok(used[0]!.usedAtMs !== null);

  await page.goto(`${url}/dashboard/profile`);
  await forgetProof(deps, login);
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await follow(page.getByRole("dialog").getByRole("button", { name: "Remove" }));
  assert.equal(at(), "/prove");
  await assertGood(page, "prove-passkey");
  await press(page, "Use a passkey");
  await page.getByText("Passkey removed").waitFor();
  assert.deepEqual(passkeysOf(await deps.db.get(Users, [login.user.id])), []);
});

Deno.test("without scripts, or at another address, pages say what passkeys need, and codes do", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  await using browser = await startBrowser();
  const login = await makeAnn(gateway.deps);
  const note = (page: Page) => page.locator("[data-passkey-note]").textContent();
  const { url } = gateway;
  const elsewhere = await openAs(browser, { url, login });
  await elsewhere.goto(`${url}/dashboard/profile/passkeys/new`);
  assert.equal(
    await note(elsewhere),
    `Passkeys only work at ${url.replace("127.0.0.1", "localhost")}`,
  );
  const plain = await openAs(browser, { url, login, isScriptOn: false });
  await plain.goto(`${url}/dashboard/profile/passkeys/new`);
  assert.equal(await note(plain), "Passkeys need JavaScript, and a browser that supports them.");
  assert.equal(await plain.locator("[data-passkey]").isVisible(), false);
  await go(plain, "an authenticator app");
  await plain.getByLabel("Code", { exact: true }).waitFor();
});
