import type { Deps } from "../deps/deps.ts";
import { ipSource } from "../base/net/ip_source.ts";
import type { Place } from "../base/waiting/shares.ts";
import { SourceBuckets } from "../base/waiting/source_buckets.ts";
import { Refused } from "../domain/refusal.ts";
import { sourceShares, updateShares } from "../domain/shares.ts";

const STARTS_A_MINUTE = 60;
const PAGES_A_MINUTE = 600;
/** As often as pages, which show it. */
const LOGOS_A_MINUTE = 600;
/** A hundred open pages, each of which asks once a second. */
const UPDATES_A_MINUTE = 6_000;
export const RETRY_AFTER_S = 60;
const SOURCES_MAX = 20_000;

export type PayLimits = ReturnType<typeof createPayLimits>;

/** Nobody can drain the pool of addresses, or fill a table, for free. */
export function createPayLimits({ clock, memory }: Pick<Deps, "clock" | "memory">) {
  const bucketsOf = (perMinute: number) => {
    const buckets = new SourceBuckets(perMinute, { sourcesMax: SOURCES_MAX });
    return (ip: string) => buckets.take(ip, clock.nowMs()).isAllowed;
  };
  const takePage = bucketsOf(PAGES_A_MINUTE);
  return {
    takeStart: bucketsOf(STARTS_A_MINUTE),
    takePage,
    takeLogo: bucketsOf(LOGOS_A_MINUTE),
    takeUpdate: bucketsOf(UPDATES_A_MINUTE),
    /** Whatever makes a page does it when it is this address's turn. */
    page: <T>(ip: string, work: (place: Place) => Promise<T>): Promise<T> =>
      memory.shares.run(sourceShares(ipSource(ip)), work),
    update: <T>(ip: string, work: (place: Place) => Promise<T>): Promise<T> =>
      memory.shares.run(updateShares(ipSource(ip)), work),
    /** A page's updates and pictures don't count, but a token that doesn't exist is a page. */
    guessed: (ip: string) => takePage(ip) ? new Refused("not_found") : tooOften(),
    tooOften,
  };
}

function tooOften(): Refused {
  return new Refused("rate_limited", { retryAfterS: RETRY_AFTER_S });
}
