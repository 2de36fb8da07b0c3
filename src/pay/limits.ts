import type { Clock } from "../base/clock.ts";
import { Lru } from "../base/lru.ts";
import { ipSource } from "../base/net/ip_source.ts";
import { Refused } from "../domain/refusal.ts";
import { fullBucket, takeToken, type TokenBucket } from "../base/waiting/token_bucket.ts";

const STARTS_A_MINUTE = 60;
const PAGES_A_MINUTE = 600;
const RETRY_AFTER_S = 60;
const SOURCES_MAX = 20_000;

export type PayLimits = ReturnType<typeof createPayLimits>;

/** Nobody can drain the pool of addresses, or fill a table, for free. */
export function createPayLimits({ clock }: { clock: Clock }) {
  const starts = new Lru<string, TokenBucket>(SOURCES_MAX);
  const pages = new Lru<string, TokenBucket>(SOURCES_MAX);

  function take(buckets: Lru<string, TokenBucket>, ip: string, perMinute: number): boolean {
    const source = ipSource(ip);
    const nowMs = clock.nowMs();
    let bucket = buckets.get(source);
    if (!bucket) buckets.set(source, bucket = fullBucket(perMinute, nowMs));
    return takeToken(bucket, perMinute, nowMs).isAllowed;
  }

  const takePage = (ip: string) => take(pages, ip, PAGES_A_MINUTE);
  return {
    takeStart: (ip: string) => take(starts, ip, STARTS_A_MINUTE),
    takePage,
    /** A page's updates and pictures don't count, but a token that doesn't exist is a page. */
    guessed: (ip: string) =>
      takePage(ip)
        ? new Refused("not_found")
        : new Refused("rate_limited", { retryAfterS: RETRY_AFTER_S }),
  };
}
