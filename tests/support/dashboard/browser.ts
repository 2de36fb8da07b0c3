import assert from "node:assert/strict";
import axe from "axe-core/axe.min.js";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Frame,
  type Locator,
  type Page,
} from "playwright-core";

export interface TestBrowser extends AsyncDisposable {
  /** A page of a fresh visitor: no cookies of others. */
  open(options?: VisitorOptions): Promise<Page>;
}

export interface VisitorOptions {
  readonly isScriptOn?: boolean;
  readonly isDark?: boolean;
  readonly isPhone?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const INSTALL = "apt-get update && apt-get install -y --no-install-recommends chromium";
/** No test takes that long where the machine has something else to do as well. */
const WAIT_MAX_MS = 60_000;
/** Kept as output of the tests: to be looked at. */
const SHOTS = new URL("../../../data/screenshots/", import.meta.url).pathname;

let shared: Browser | undefined;

// To start one costs as much as ten pages, so that all tests of a program share it.
Deno.test.beforeAll(async () => void (shared = await launch()));
Deno.test.afterAll(() => shared?.close());

/** Debian's Chromium, with visitors of the test's own. */
export async function startBrowser(): Promise<TestBrowser> {
  const browser = shared ?? await launch();
  const contexts: BrowserContext[] = [];
  return {
    open: async (options) => {
      const page = await openPage(browser, options);
      contexts.push(page.context());
      return page;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(contexts.map((context) => context.close()));
      if (browser !== shared) await browser.close();
    },
  };
}

async function launch(): Promise<Browser> {
  return await chromium.launch({
    executablePath: await findChromium(),
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  });
}

async function findChromium(): Promise<string> {
  for (const path of PATHS) {
    const found = await Deno.stat(path).catch(() => undefined);
    if (found) return path;
  }
  throw new Error(`These tests need a browser, and there is no Chromium here: ${INSTALL}`);
}

async function openPage(
  browser: Browser,
  { isScriptOn = true, isDark = false, isPhone = false, headers = {} }: VisitorOptions = {},
): Promise<Page> {
  const context = await browser.newContext({
    javaScriptEnabled: isScriptOn,
    colorScheme: isDark ? "dark" : "light",
    viewport: isPhone ? { width: 360, height: 800 } : { width: 1280, height: 900 },
    extraHTTPHeaders: { ...headers },
  });
  context.setDefaultTimeout(WAIT_MAX_MS);
  return await context.newPage();
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
  const found = await page.evaluate<AxeResult>(
    `${axe.source}; axe.run({ resultTypes: ["violations"] })`,
  );
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
  const path = `${SHOTS}${name}.jpg`;
  await page.screenshot({ path, fullPage: true, type: "jpeg", quality: 90 });
}
