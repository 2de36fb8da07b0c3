import type { Page } from "playwright-core";
import { inPage } from "./browser.ts";

interface FirstPaint {
  /** When the page was asked for. */
  readonly askedAtMs: number;
  readonly tookMs: number;
}

const FIRST_PAINT = `new Promise((done) =>
  new PerformanceObserver((list, observer) => {
    const [found] = list.getEntriesByName("first-contentful-paint");
    if (!found) return;
    observer.disconnect();
    done({ askedAtMs: performance.timeOrigin, tookMs: found.startTime });
  }).observe({ type: "paint", buffered: true }))`;

/** When the browser first drew something of this page. */
export function firstPaint(page: Page): Promise<FirstPaint> {
  return inPage(page, () => page.evaluate<FirstPaint>(FIRST_PAINT));
}
