import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { htmlOf } from "../../src/base/html.ts";
import { StrongEnds } from "../../src/base/strong_ends.tsx";
import { draw, serve } from "../support/checkout/drawn.tsx";
import { COIN } from "../support/checkout/orders.ts";
import { keepScreenshot, startBrowser, type TestBrowser } from "../support/dashboard/browser.ts";

const { address } = COIN.target!;
const SELECTED = "getSelection().toString()";

/** Another page, with a form that takes what was copied. */
async function openForm(browser: TestBrowser): Promise<() => Promise<string>> {
  const page = await browser.open();
  await page.goto("data:text/html,<!doctype html><textarea></textarea>");
  const field = page.locator("textarea");
  return async () => {
    await field.fill("");
    await field.press("Control+V");
    return await field.inputValue();
  };
}

type Gesture = (page: Page, text: Locator) => Promise<void>;

/** Each begins within the text, away from its ends. */
const GESTURES: Readonly<Record<string, Gesture>> = {
  click: async (_, text) => await text.click(),
  "double click": async (_, text) => await text.dblclick(),
  "triple click": async (_, text) => await text.click({ clickCount: 3 }),
  drag: async (page, text) => {
    const { x, y, width, height } = (await text.boundingBox())!;
    // Playwright's own mouse waits for an event of the page's scripts.
    const mouse = await page.context().newCDPSession(page);
    const at = { x: x + width * 0.3, y: y + 8, button: "left", buttons: 1, clickCount: 1 } as const;
    const end = { ...at, x: x + width * 0.6, y: y + height - 8 };
    await mouse.send("Input.dispatchMouseEvent", { ...at, type: "mousePressed" });
    await mouse.send("Input.dispatchMouseEvent", { ...end, type: "mouseMoved" });
    await mouse.send("Input.dispatchMouseEvent", { ...end, type: "mouseReleased" });
    await mouse.detach();
  },
};

for (const isScriptOn of [true, false]) {
  const how = isScriptOn ? "with" : "without";
  Deno.test(`checkout 5: address and amount are copied exactly, ${how} scripts`, async () => {
    await using browser = await startBrowser();
    const pasted = await openForm(browser);
    for (const [isPhone, language] of [[true, "ar"], [true, "en"], [false, "en"]] as const) {
      const page = await browser.open({ isScriptOn, isPhone });
      const show = await serve(page);
      await show(await draw("open", language));
      await keepScreenshot(page, `copying-${isPhone ? "phone" : "desk"}-${language}`);
      for (const [place, exact] of [[".ends", address], [".field .all", "0.01"]] as const) {
        for (const [name, gesture] of Object.entries(GESTURES)) {
          const about = [name, place, language, isPhone ? "phone" : "desk"].join(", ");
          await page.mouse.click(1, 1);
          assert.equal(await page.evaluate(SELECTED), "", about);
          await gesture(page, page.locator(place));
          assert.equal(await page.evaluate(SELECTED), exact, about);
          await page.keyboard.press("Control+C");
          assert.equal(await pasted(), exact, about);
        }
      }
    }
  });
}

Deno.test("checkout 5: a tap on the buttons copies the address and the amount", async () => {
  await using browser = await startBrowser();
  const pasted = await openForm(browser);
  const page = await browser.open({ isPhone: true });
  const show = await serve(page);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const [i, exact] of [address, "0.01"].entries()) {
    await show(await draw("open", "en"));
    await page.locator(".copy").nth(i).click();
    await page.getByText("Copied").waitFor();
    assert.equal(await pasted(), exact);
  }
  await page.context().clearPermissions();
});

Deno.test("checkout 5: a tap on the address or the amount itself copies it", async () => {
  await using browser = await startBrowser();
  const pasted = await openForm(browser);
  const page = await browser.open({ isPhone: true });
  const show = await serve(page);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const [place, exact] of [[".ends", address], [".field .all", "0.01"]] as const) {
    await show(await draw("open", "en"));
    await page.locator(place).click();
    await page.getByText("Copied").waitFor();
    assert.equal(await pasted(), exact);
  }
  await page.context().clearPermissions();
});

Deno.test("checkout 5: an address is one text, whose ends are stronger", async () => {
  await using browser = await startBrowser();
  const page = await browser.open({ isPhone: true });
  const show = await serve(page);
  for (const width of [320, 360, 390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await show(await draw("open", "en"));
    assert.equal(await page.locator(".ends").innerText(), address, `${width} px`);
  }
  assert.deepEqual(await page.locator(".ends b").allTextContents(), ["0x3C44", "4293BC"]);
});

Deno.test("an address of any length loses nothing and gains nothing", async () => {
  for (let length = 0; length <= 64; length++) {
    const text = Array.from({ length }, (_, i) => String.fromCharCode(97 + i % 26)).join("");
    const html = String(await htmlOf(<StrongEnds text={text} />));
    assert.equal(html.replaceAll(/<[^>]*>/g, ""), text);
    const strong = [...html.matchAll(/<b>(.*?)<\/b>/g)].map(([, part]) => part).join("");
    assert.equal(strong, length <= 12 ? text : text.slice(0, 6) + text.slice(-6));
  }
});
