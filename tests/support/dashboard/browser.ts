import assert from "node:assert/strict";
import axe from "axe-core/axe.min.js";
import {
  type Browser,
  type CDPSession,
  chromium,
  type Frame,
  type Locator,
  type Page,
} from "playwright-core";
import { present } from "../../../src/base/assert.ts";
import { findProgram } from "../programs/needed.ts";

export interface TestBrowser extends AsyncDisposable {
  /** A page for a new visitor, without cookies. */
  open(options?: VisitorOptions): Promise<Page>;
}

export interface VisitorOptions {
  readonly isScriptOn?: boolean;
  readonly isDark?: boolean;
  readonly isPhone?: boolean;
}

/** Long enough for a busy machine. */
const WAIT_MAX_MS = 60_000;
const PHONE = { width: 360, height: 800 };
const DESK = { width: 1280, height: 900 };
/** Off by default: drawing pages takes longer than checking them. */
const KEEPS_SHOTS = Deno.env.get("CPG_TEST_SCREENSHOTS") === "on";
const SHOTS = new URL("../../../data/screenshots/", import.meta.url).pathname;
/** How a page looks doesn't depend on the kind of database. */
const CHECKS_LOOKS = Deno.env.get("CPG_TEST_DATABASE") !== "sqld";

/** Each page runs its scripts once, so optimising them doesn't pay. */
const SCRIPT_FLAGS = "--js-flags=--no-opt --no-maglev";
/** Reusing the frame makes page loads a fifth cheaper. The second one is from Playwright's list. */
const FEATURES = "--enable-features=RenderDocument:level/crashed-frame,CDPScreenshotNewSurface";
const PLAIN = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];

interface Tab {
  readonly page: Page;
  readonly isScriptOn: boolean;
}

let shared: Browser | undefined;
/** A new tab costs as much as several page loads, so tests reuse the tabs of earlier ones. */
const left: Tab[] = [];
/** Tabs in which every page begins with axe: to send it for each page costs more than the page. */
const examined = new Map<Page, CDPSession>();

// Starting one costs as much as ten page loads, so all tests of a worker share it.
Deno.test.beforeAll(async () => void (shared = await launch()));
Deno.test.afterAll(() => shared?.close());

/** Chromium, with new visitors for each test. */
export async function startBrowser(): Promise<TestBrowser> {
  const browser = shared ?? await launch();
  const tabs: Tab[] = [];
  return {
    open: async (options) => {
      const tab = await openTab(browser, options);
      tabs.push(tab);
      return tab.page;
    },
    [Symbol.asyncDispose]: async () => {
      if (browser === shared) await Promise.all(tabs.map(leave));
      else await browser.close();
    },
  };
}

async function launch(): Promise<Browser> {
  return await chromium.launch({
    executablePath: present(await findProgram("Chromium"), "run.ts leaves these tests out"),
    args: [...PLAIN, FEATURES, SCRIPT_FLAGS],
  });
}

async function openTab(
  browser: Browser,
  { isScriptOn = true, isDark = false, isPhone = false }: VisitorOptions = {},
): Promise<Tab> {
  const at = left.findIndex((tab) => tab.isScriptOn === isScriptOn);
  const [tab = await makeTab(browser, isScriptOn)] = at < 0 ? [] : left.splice(at, 1);
  await tab.page.emulateMedia({ colorScheme: isDark ? "dark" : "light" });
  await tab.page.setViewportSize(isPhone ? PHONE : DESK);
  return tab;
}

async function makeTab(browser: Browser, isScriptOn: boolean): Promise<Tab> {
  const context = await browser.newContext({ javaScriptEnabled: isScriptOn });
  context.setDefaultTimeout(WAIT_MAX_MS);
  const page = await context.newPage();
  const goto = page.goto.bind(page);
  page.goto = (url, options) => inPage(page, () => goto(url, options));
  return { page, isScriptOn };
}

/** Clears what the next visitor could see. Storage belongs to one gateway's port. */
async function leave(tab: Tab): Promise<void> {
  const { page } = tab;
  for (const event of ["pageerror", "console"]) page.removeAllListeners(event);
  await page.unrouteAll();
  await examined.get(page)?.detach();
  examined.delete(page);
  await page.goto("about:blank");
  await page.context().clearCookies();
  left.push(tab);
}

/** A click may return while the old page is still shown, so this waits for the new one. */
export async function follow(link: Locator, how: "click" | "Enter" = "click"): Promise<void> {
  const page = link.page();
  const predicate = (frame: Frame) => frame === page.mainFrame();
  const act = how === "click" ? link.click() : link.press(how);
  await Promise.all([page.waitForEvent("framenavigated", { predicate }), act]);
  await page.waitForLoadState();
}

const REPLACED = /Execution context was destroyed|is interrupted by another navigation/;
const REPLACED_TIMES_MAX = 5;

/** Some pages load themselves again as soon as something has changed: then it is done again. */
export async function inPage<T>(page: Page, work: () => Promise<T>): Promise<T> {
  for (let times = 1;; times++) {
    try {
      return await work();
    } catch (error) {
      const isReplaced = error instanceof Error && REPLACED.test(error.message);
      if (!isReplaced || times === REPLACED_TIMES_MAX) throw error;
      await page.waitForLoadState();
    }
  }
}

/** What else it tells takes a tenth of its time; no rule that is on reads style sheets. */
const RUN_AXE = `axe.run({ resultTypes: ["violations"], preload: { assets: ["media"] } })
  .then(({ violations }) => ({ violations }))`;

/** What axe finds. Scripts must be on. */
async function axeViolations(page: Page): Promise<string[]> {
  if (!examined.has(page)) await bringAxe(page);
  const found = await page.evaluate<AxeResult>(RUN_AXE);
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help} at ${target} (${failureSummary})`)
  );
}

/** Through the debugger, because the page's policy allows no other scripts than its own. */
async function bringAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  examined.set(page, session);
  await session.send("Page.enable");
  const script = { source: axe.source, runImmediately: true };
  await session.send("Page.addScriptToEvaluateOnNewDocument", script);
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly target: string[]; readonly failureSummary: string }[];
  }[];
}

export async function assertAccessible(page: Page): Promise<void> {
  if (!CHECKS_LOOKS) return;
  assert.deepEqual(await inPage(page, () => axeViolations(page)), [], page.url());
}

const WIDTHS = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]";

const BEYOND = `[...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => one.outerHTML.slice(0, 120)).slice(0, 8).join("\\n")`;

/** Nothing may extend beyond the right edge. */
export async function assertFits(page: Page): Promise<void> {
  if (!CHECKS_LOOKS) return;
  const [wide, room] = await inPage(page, () => page.evaluate<[number, number]>(WIDTHS));
  if (wide <= room) return;
  const beyond = await inPage(page, () => page.evaluate<string>(BEYOND));
  assert.fail(`${page.url()} is ${wide} px wide and has room for ${room}:\n${beyond}`);
}

export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (!KEEPS_SHOTS) return;
  const path = `${SHOTS}${name}.jpg`;
  await page.screenshot({ path, fullPage: true, type: "jpeg", quality: 90 });
}
