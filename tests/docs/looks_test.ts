import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { allPages } from "../../src/docs/pages.ts";
import {
  assertAccessible,
  assertFits,
  keepScreenshot,
  startBrowser,
} from "../support/dashboard/browser.ts";
import { startGateway } from "../support/gateway.ts";

const STILL = { CPG_WORKER: "false", CPG_DASHBOARD_PORT: "off" };

/** One of each kind; the others are made by the same code. */
const KINDS = [
  "/docs",
  "/docs/signing",
  "/docs/sign",
  "/docs/guides/api",
  "/docs/reference/create-withdrawal",
  "/docs/events",
  "/docs/errors",
];

Deno.test("every page of the documentation fits a phone", async () => {
  await using gateway = await startGateway(STILL);
  await using browser = await startBrowser();
  const page = await browser.open({ isPhone: true });
  for (const { path } of allPages()) {
    await page.goto(gateway.url + path);
    await assertFits(page);
  }
});

Deno.test("the documentation is accessible, in light and dark, on a phone and a desk", async () => {
  await using gateway = await startGateway(STILL);
  await using browser = await startBrowser();
  const page = await browser.open();
  const looks = [["light", 360], ["dark", 1280]] as const;
  for (const path of KINDS) {
    await page.goto(gateway.url + path);
    for (const [colorScheme, width] of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await assertFits(page);
      await assertAccessible(page);
      if (width === 1280) await assertBesideText(page);
      await keepScreenshot(page, `docs${path.replaceAll("/", "-")}-${colorScheme}-${width}`);
    }
  }
});

async function assertBesideText(page: Page): Promise<void> {
  const [menu, text] = await Promise.all(
    ["#menu", "main"].map((name) => page.locator(name).boundingBox()),
  );
  assert.ok(menu && text && menu.x + menu.width <= text.x && text.y < menu.y + 100);
}

Deno.test("on a phone, the menu opens and closes by keyboard without a script", async () => {
  await using gateway = await startGateway(STILL);
  await using browser = await startBrowser();
  const page = await browser.open({ isScriptOn: false, isPhone: true });
  await page.goto(`${gateway.url}/docs`);
  const link = page.getByRole("link", { name: "Signing requests", exact: true });
  assert.equal(await link.isVisible(), false);
  await page.getByRole("button", { name: "Menu" }).press("Enter");
  assert.equal(await link.isVisible(), true);
  await page.keyboard.press("Escape");
  assert.equal(await link.isVisible(), false);
});

Deno.test("without a script, a language is chosen by mouse and keyboard", async () => {
  await using gateway = await startGateway(STILL);
  await using browser = await startBrowser();
  const page = await browser.open({ isScriptOn: false });
  await page.goto(`${gateway.url}/docs/examples`);
  await page.getByText("Python", { exact: true }).click();
  assert.equal(await page.getByText("python3 cpg.py address").isVisible(), true);
  assert.equal(await page.getByText("bash cpg.sh address").isVisible(), false);
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getByText("php cpg.php address").isVisible(), true);
});
