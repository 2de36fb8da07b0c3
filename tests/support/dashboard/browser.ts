import assert from "node:assert/strict";
import axe from "axe-core/axe.min.js";
import { type Browser, chromium, type Frame, type Locator, type Page } from "playwright-core";

export interface TestBrowser extends AsyncDisposable {
  /** A page of a fresh visitor: no cookies of others. */
  open(options?: VisitorOptions): Promise<Page>;
}

export interface VisitorOptions {
  readonly isScriptOn?: boolean;
  readonly isDark?: boolean;
  readonly isPhone?: boolean;
}

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const INSTALL = "apt-get update && apt-get install -y --no-install-recommends chromium";
/** Enough for a busy machine. */
const WAIT_MAX_MS = 60_000;
const PHONE = { width: 360, height: 800 };
const DESK = { width: 1280, height: 900 };
/** For whoever wants to look at the pages: drawing them takes longer than checking them. */
const KEEPS_SHOTS = Deno.env.get("CPG_TEST_SCREENSHOTS") === "on";
const SHOTS = new URL("../../../data/screenshots/", import.meta.url).pathname;

/** Scripts run once on each page, so compiling them well costs more than it saves. */
const SCRIPT_FLAGS = "--js-flags=--no-opt --no-maglev";
/** To load a page into a new frame costs a fifth more. The other one is what Playwright enables. */
const FEATURES = "--enable-features=RenderDocument:level/crashed-frame,CDPScreenshotNewSurface";
const PLAIN = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];

interface Tab {
  readonly page: Page;
  readonly isScriptOn: boolean;
}

let shared: Browser | undefined;
/** A new tab costs as much as several pages, so the next test takes one that was left. */
const left: Tab[] = [];

// Starting one costs as much as ten pages, so all tests of a program share it.
Deno.test.beforeAll(async () => void (shared = await launch()));
Deno.test.afterAll(() => shared?.close());

/** Debian's Chromium, with visitors of the test's own. */
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
    executablePath: await findChromium(),
    args: [...PLAIN, FEATURES, SCRIPT_FLAGS],
  });
}

async function findChromium(): Promise<string> {
  for (const path of PATHS) {
    const found = await Deno.stat(path).catch(() => undefined);
    if (found) return path;
  }
  throw new Error(`These tests need a browser, and there is no Chromium here: ${INSTALL}`);
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
  return { page: await context.newPage(), isScriptOn };
}

/** Leaves nothing of the visitor behind. What pages store has their gateway's port for a key. */
async function leave(tab: Tab): Promise<void> {
  const { page } = tab;
  for (const event of ["pageerror", "console"]) page.removeAllListeners(event);
  await page.unrouteAll();
  await page.goto("about:blank");
  await page.context().clearCookies();
  left.push(tab);
}

/** A click may return before the next page is there, so a look right after it would see the old one. */
export async function follow(link: Locator): Promise<void> {
  const page = link.page();
  const predicate = (frame: Frame) => frame === page.mainFrame();
  await Promise.all([page.waitForEvent("framenavigated", { predicate }), link.click()]);
  await page.waitForLoadState();
}

/** All findings of axe, in words. Scripts must be allowed. */
async function axeViolations(page: Page): Promise<string[]> {
  // Through the debugger and not as a script element: the page's policy allows none but its own.
  if (!await page.evaluate("'axe' in window")) await page.evaluate(axe.source);
  const found = await page.evaluate<AxeResult>(`axe.run({ resultTypes: ["violations"] })`);
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help} at ${target} (${failureSummary})`)
  );
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly target: string[]; readonly failureSummary: string }[];
  }[];
}

export async function assertAccessible(page: Page): Promise<void> {
  assert.deepEqual(await axeViolations(page), [], page.url());
}

/** Nothing may extend beyond the right edge at any width. */
export async function assertFits(page: Page): Promise<void> {
  const [wide, room] = await page.evaluate<[number, number]>(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  );
  assert.ok(wide <= room, `${page.url()} is ${wide} px wide and has room for ${room}`);
}

export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (!KEEPS_SHOTS) return;
  const path = `${SHOTS}${name}.jpg`;
  await page.screenshot({ path, fullPage: true, type: "jpeg", quality: 90 });
}
