import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { confirmSecondFactor, offerSecondFactor } from "../../src/access/manage_second_factor.ts";
import { userLink } from "../../src/access/manage_links.ts";
import { totpAt } from "../../src/base/secrets/totp.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import {
  assertAccessible,
  assertFits,
  follow,
  keepScreenshot,
  startBrowser,
} from "../support/dashboard/browser.ts";
import { makeLogin, makeUser, openAs, PASSWORD } from "../support/dashboard/dashboard.ts";
import { STRANGER } from "../support/payers.ts";
import { startPayingWorld } from "../support/payouts.ts";
import { startReceiver } from "../support/programs/receiver.ts";
import { livedIn } from "./lived_in.ts";

const WIDTHS = [360, 1280];
const SCHEMES = ["light", "dark"] as const;

/** Checks the open page without loading it: what a POST shows once can't be loaded again. */
async function assertLooks(page: Page, name: string): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await assertFits(page);
      await assertAccessible(page);
      await keepScreenshot(page, `${name}-${colorScheme}-${width}`);
    }
  }
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { name, level: 1 }).waitFor();

/** Returns once the answer is loaded, even if it looks like the page before. */
const send = (page: Page, name: string) => follow(page.getByRole("button", { name, exact: true }));

async function spoilToken(page: Page): Promise<void> {
  await page.locator("input[name=csrf]").last().evaluate((field: { value: string }) => {
    field.value = "spoilt";
  });
}

Deno.test("what a visitor sees is accessible and fits a phone in light and dark", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url } = world;
  const email = "ann@example.com";
  const order = { email, role: "operator", accountId: null, actor: "test" } as const;
  const user = await makeUser(deps, order);
  const { sealed, secret } = await offerSecondFactor(deps, user);
  const code = totpAt(secret, Math.floor(Date.now() / 30_000));
  await confirmSecondFactor(deps, { user, sealed, code, actor: "test" });
  const page = await browser.open();
  const signIn = async (password: string) => {
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(password);
    await send(page, "Sign in");
  };

  const absent = await page.goto(`${url}/dashboard/nowhere`);
  assert.equal(absent?.status(), 404);
  await assertLooks(page, "absent");
  await page.goto(`${url}/dashboard/sign-in`);
  await assertLooks(page, "sign-in");
  await spoilToken(page);
  await signIn(PASSWORD);
  await heading(page, "Please try again");
  await assertLooks(page, "forged");
  await page.goto(`${url}/dashboard/sign-in`);
  await page.context().clearCookies();
  await signIn(PASSWORD);
  await heading(page, "Please try again");
  await assertLooks(page, "expired-form");
  await page.goto(`${url}/dashboard/sign-in`);
  await signIn(PASSWORD);
  await heading(page, "One more step");
  await assertLooks(page, "code");
  await page.getByLabel("Code").fill("000000");
  await press(page, "Sign in");
  await page.getByRole("alert").waitFor();
  await assertLooks(page, "code-wrong");
  await page.goto(`${url}/dashboard/sign-in`);
  for (let tries = 0; tries < 6; tries++) await signIn(`wrong ${tries} ${PASSWORD}`);
  await page.getByText("Too many attempts").waitFor();
  await assertLooks(page, "throttled");
  await page.goto(`${url}/dashboard/set-up/${"x".repeat(43)}`);
  await heading(page, "This link doesn't work");
  await assertLooks(page, "link-used");
  const link = await userLink(deps, { user, actor: "test" });
  await page.goto(`${url}/dashboard/set-up/${link}`);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Repeat password").fill(`${PASSWORD}!`);
  await press(page, "Continue");
  await page.getByText("The passwords don't match").waitFor();
  await assertLooks(page, "set-up-fault");
});

Deno.test("one-time secrets, confirmations and errors are accessible and fit a phone in light and dark", async () => {
  await using anvil = await startAnvil();
  const env = { CPG_WEBHOOK_ALLOW_PRIVATE: "true" };
  await using world = await startPayingWorld({ anvil, env });
  await using receiver = startReceiver();
  await using browser = await startBrowser();
  await livedIn(world);
  const { deps, url, merchant: { accountId } } = world;
  const page = await openAs(browser, { url, login: await makeLogin(deps) });
  const open = (path: string) => page.goto(`${url}/dashboard${path}`);

  await open("/profile/second-factor");
  const secret = (await page.locator("code.whole").innerText()).replaceAll(" ", "");
  const code = totpAt(secret, Math.floor(Date.now() / 30_000));
  await page.getByLabel("Code", { exact: true }).fill(code);
  await press(page, "Turn on");
  await heading(page, "Your recovery codes");
  await assertLooks(page, "recovery-codes");
  await open("/prove");
  await assertLooks(page, "prove-code");
  await open(`/keys/new?account=${accountId}`);
  await page.getByLabel("Label").fill("shop");
  await page.getByLabel("Allowed IP addresses").fill("nowhere");
  await press(page, "Create key");
  await page.getByText("Check the highlighted fields").waitFor();
  await assertLooks(page, "key-faults");
  await page.getByLabel("Allowed IP addresses").fill("");
  await page.getByRole("checkbox").first().check();
  await press(page, "Create key");
  await heading(page, "API key created");
  await assertLooks(page, "key-secret");
  await open(`/webhooks/new?account=${accountId}`);
  await page.getByLabel("URL").fill(receiver.url);
  await press(page, "Add webhook");
  await page.locator("#secret").waitFor();
  await assertLooks(page, "webhook-secret");
  await page.getByRole("link", { name: "I have saved it" }).click();
  await press(page, "Send a test event");
  await heading(page, "Test result");
  await assertLooks(page, "webhook-test");
  await open("/users/new");
  await page.getByLabel("Email").fill("bo@example.com");
  await page.getByLabel(/^Account/).selectOption(String(accountId));
  await press(page, "Create user");
  await heading(page, "One-time link");
  await assertLooks(page, "user-link");
  await open(`/wallets/receiving?account=${accountId}&network=ETH`);
  await page.getByLabel("Address").fill(STRANGER);
  await press(page, "Review");
  await page.getByLabel("Last 6 characters of the new address").waitFor();
  await assertLooks(page, "receiving-confirm");
  await open(`/withdrawals/new?account=${accountId}`);
  await page.getByLabel("To address").fill(STRANGER);
  await page.getByLabel("Amount").fill("1");
  await press(page, "Pay out");
  await page.getByRole("dialog").waitFor();
  await assertLooks(page, "dialog");
});

/** How the focused element looks. Null if there is none, or if a walk has come round to it. */
interface Focused {
  readonly name: string;
  readonly isSeen: boolean;
  readonly hasOutline: boolean;
}

const IS_SAME = `document.activeElement !== document.body &&
  document.activeElement === window.lastByTest`;

function focused(page: Page, isWalk = false): Promise<Focused | null> {
  return page.evaluate<Focused | null>(`((isWalk) => {
  const it = document.activeElement;
  const seen = window.seenByTest ??= new Set();
  if (!it || it === document.body || isWalk && seen.has(it)) return null;
  seen.add(it);
  window.lastByTest = it;
  const box = it.getBoundingClientRect();
  const style = getComputedStyle(it);
  const isOutlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  return {
    name: (it.getAttribute("aria-label") || it.textContent || it.name || it.tagName).trim(),
    isSeen: box.width > 0 && box.height > 0 && box.right > 0 && box.bottom > 0 &&
      box.left < innerWidth && box.top < innerHeight,
    hasOutline: isOutlined,
  };
})(${isWalk})`);
}

Deno.test("everything works with the keyboard alone, and the focus is visible", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  await livedIn(world);
  const { deps, url, merchant: { accountId } } = world;
  const email = "ann@example.com";
  const order = { email, role: "merchant", accountId, actor: "test" } as const;
  await makeUser(deps, order);
  const page = await browser.open();
  const { keyboard } = page;
  await page.goto(`${url}/dashboard/sign-in`);
  await page.locator("input[name=email]:focus").waitFor();
  await keyboard.type(email);
  await keyboard.press("Tab");
  await keyboard.type(PASSWORD);
  await keyboard.press("Enter");
  await heading(page, "Home");
  await keyboard.press("Tab");
  assert.equal((await focused(page))?.name, "Skip to content");
  await keyboard.press("Enter");
  assert.equal(await page.evaluate("document.activeElement.id"), "main");

  for (const path of ["", "/deposits", "/withdrawals/new", "/keys", "/webhooks/deliveries"]) {
    await page.goto(`${url}/dashboard${path}`);
    await page.evaluate("document.activeElement.blur()");
    const seen: Focused[] = [];
    const isOver = (it: Focused | null) => it === null || seen.length > 200;
    for (let it = await next(); !isOver(it); it = await next()) seen.push(it!);
    const all = Number(
      await page.evaluate(`[...document.querySelectorAll(
  "a[href], button:not([hidden]), input:not([type=hidden]), select, summary, .scroll")]
  .filter((it) => it.checkVisibility()).length`),
    );
    assert.equal(seen.length, all, `${path}: ${seen.map(({ name }) => name).join(", ")}`);
    assert.deepEqual(seen.filter((it) => !it.isSeen || !it.hasOutline), [], path);
  }
  async function next(): Promise<Focused | null> {
    // A date is one field, but day, month and year take a Tab each.
    do await keyboard.press("Tab"); while (await page.evaluate(IS_SAME));
    return await focused(page, true);
  }

  await page.goto(`${url}/dashboard/withdrawals/new`);
  await page.getByLabel("To address").focus();
  await keyboard.type(STRANGER);
  await keyboard.press("Tab");
  await keyboard.type("1.5");
  await keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Pay out" }).focus();
  await keyboard.press("Enter");
  await dialog.waitFor();
  assert.equal((await focused(page))?.name, "Go back");
  await keyboard.press("Tab");
  assert.equal((await focused(page))?.name, "Pay out");
  await keyboard.press("Enter");
  await page.getByText("The payout is on its way").waitFor();
});
