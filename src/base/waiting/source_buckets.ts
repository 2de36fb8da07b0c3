import { Lru } from "../lru.ts";
import { ipSources } from "../net/ip_source.ts";
import { fullBucket, peekTokens, type Taken, takeToken, type TokenBucket } from "./token_bucket.ts";

/** So many a minute from each source of requests, and ten times as many from a whole IPv6 site. */
export class SourceBuckets {
  readonly #buckets: Lru<string, TokenBucket>;

  constructor(readonly perMinute: number, { sourcesMax }: { sourcesMax: number }) {
    this.#buckets = new Lru(sourcesMax);
  }

  /** Takes a token of each source that the address counts as, or of none. */
  take(ip: string, nowMs: number): Taken {
    const all = ipSources(ip).map(({ name, share }) => ({
      perMinute: this.perMinute * share,
      bucket: this.#buckets.getOrMake(name, () => fullBucket(this.perMinute * share, nowMs)),
    }));
    const spent = all.find(({ bucket, perMinute }) =>
      peekTokens(bucket, perMinute, nowMs).remaining < 1
    );
    if (spent) return takeToken(spent.bucket, spent.perMinute, nowMs);
    const [first, ...others] = all;
    for (const { bucket, perMinute } of others) takeToken(bucket, perMinute, nowMs);
    return takeToken(first!.bucket, first!.perMinute, nowMs);
  }
}
