import assert from "node:assert/strict";
import { present } from "../../src/base/assert.ts";
import { totpAt } from "../../src/base/secrets/totp.ts";
import {
  assertAccessible,
  assertFits,
  follow,
  keepScreenshot,
  startBrowser,
} from "../support/dashboard/browser.ts";
import { makeLogin, openAs } from "../support/dashboard/dashboard.ts";
import { startGateway } from "../support/gateway.ts";

const EMAIL = "ann@example.com";
const PASSWORD = "correct horse battery";
const STEP_MS = 30_000;

for (const isScriptOn of [true, false]) {
  const title = isScriptOn ? "with scripts" : "without scripts";
  Deno.test(`the first operator sets a password and a second factor, and signs out, ${title}`, async () => {
    await using gateway = await startGateway({ CPG_WORKER: "false" });
    await using browser = await startBrowser();
    const page = await browser.open({ isScriptOn });
    const look = async (name: string) => {
      if (isScriptOn) await assertAccessible(page);
      await assertFits(page);
      await keepScreenshot(page, `${name}-${isScriptOn ? "scripts" : "plain"}`);
    };

    await page.goto(present(await gateway.serving.setUpUrl(), "a set-up link"));
    await look("set-up");
    await page.getByLabel("Email").fill(EMAIL);
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByLabel("Repeat password").fill("short");
    await follow(page.getByRole("button", { name: "Continue" }));
    await page.getByText("A password needs at least 12 characters").waitFor();
    assert.equal(await page.getByLabel("Email").inputValue(), EMAIL);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Repeat password").fill(PASSWORD);
    await follow(page.getByRole("button", { name: "Continue" }));
    await page.getByRole("heading", { name: "A second factor for your login" }).waitFor();
    assert.equal(await gateway.serving.setUpUrl(), null);
    await look("second-factor-offered");
    await follow(page.getByRole("link", { name: "Add a second factor" }));
    await look("profile");

    await follow(page.getByRole("link", { name: "Set up" }));
    await look("second-factor");
    const secret = (await page.locator("code.whole").innerText()).replaceAll(" ", "");
    await page.getByLabel("Code", { exact: true }).fill("000000");
    await follow(page.getByRole("button", { name: "Turn on" }));
    await page.getByText("That code is wrong").waitFor();
    const step = () => Math.floor(Date.now() / STEP_MS);
    const usedStep = step();
    await page.getByLabel("Code", { exact: true }).fill(totpAt(secret, usedStep));
    await follow(page.getByRole("button", { name: "Turn on" }));
    await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
    await look("recovery-codes");
    const codes = await page.locator(".codes code").allInnerTexts();
    assert.equal(new Set(codes).size, 10);

    const other = await browser.open({ isScriptOn });
    await other.goto(present(gateway.serving.dashboardUrl, "a dashboard"));
    await other.getByLabel("Email").fill(EMAIL);
    await other.getByLabel("Password").fill(PASSWORD);
    await follow(other.getByRole("button", { name: "Sign in" }));
    await other.getByLabel("Code", { exact: true }).fill(codes[0]!);
    await follow(other.getByRole("button", { name: "Sign in" }));
    await other.getByRole("heading", { name: "Home" }).waitFor();

    await page.getByRole("link", { name: "I have saved them" }).click();
    await page.getByText("9 of 10 recovery codes are unused").waitFor();
    await follow(page.getByRole("button", { name: "End", exact: true }));
    await page.getByText("Session ended").waitFor();
    await other.reload();
    await other.getByRole("heading", { name: "Sign in" }).waitFor();

    await page.locator(".me > summary").click();
    await follow(page.getByRole("button", { name: "Sign out" }));
    await page.getByText("You are signed out").waitFor();
    await look("sign-in");
  });
}

Deno.test("what a visitor sees is in the middle, and on a phone nothing covers the name", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  await using browser = await startBrowser();
  const { url } = gateway;
  const visitor = await browser.open();
  await visitor.goto(`${url}/dashboard/sign-in`);
  const card = present(await visitor.locator("main").boundingBox(), "a card");
  const wide = present(visitor.viewportSize(), "a size").width;
  assert.ok(Math.abs(wide - card.x - (card.x + card.width)) < 2, JSON.stringify(card));
  const page = await openAs(browser, { url, login: await makeLogin(gateway.deps), isPhone: true });
  await page.goto(`${url}/dashboard`);
  const name = present(await page.locator(".brand").boundingBox(), "the name");
  const tool = present(await page.locator(".top .tool").first().boundingBox(), "the first tool");
  assert.ok(tool.x >= name.x + name.width, JSON.stringify({ name, tool }));
});
