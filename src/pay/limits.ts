import type { Clock } from "../base/clock.ts";
import { Refused } from "../domain/refusal.ts";
import { SourceBuckets } from "../base/waiting/source_buckets.ts";

const STARTS_A_MINUTE = 60;
const PAGES_A_MINUTE = 600;
const RETRY_AFTER_S = 60;
const SOURCES_MAX = 20_000;

export type PayLimits = ReturnType<typeof createPayLimits>;

/** Nobody can drain the pool of addresses, or fill a table, for free. */
export function createPayLimits({ clock }: { clock: Clock }) {
  const starts = new SourceBuckets(STARTS_A_MINUTE, { sourcesMax: SOURCES_MAX });
  const pages = new SourceBuckets(PAGES_A_MINUTE, { sourcesMax: SOURCES_MAX });
  const takePage = (ip: string) => pages.take(ip, clock.nowMs()).isAllowed;
  return {
    takeStart: (ip: string) => starts.take(ip, clock.nowMs()).isAllowed,
    takePage,
    /** A page's updates and pictures don't count, but a token that doesn't exist is a page. */
    guessed: (ip: string) =>
      takePage(ip)
        ? new Refused("not_found")
        : new Refused("rate_limited", { retryAfterS: RETRY_AFTER_S }),
  };
}
