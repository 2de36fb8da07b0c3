import { fullBucket, refill, type TokenBucket } from "../base/waiting/token_bucket.ts";
import { type RateBucketRow, RateBuckets } from "../upkeep/table.ts";
import { read } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";

interface RateGrant {
  readonly granted: number;
  /** What is left for all instances. */
  readonly left: TokenBucket;
}

const MICRO = 1_000_000;

/** Takes up to `wanted` requests out of the bucket that all instances share. */
export async function takeRateTokens(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { keyId, perMinute, wanted }: { keyId: string; perMinute: number; wanted: number },
): Promise<RateGrant> {
  return await db.write({
    reads: [read(RateBuckets, [keyId])],
    decide: (view) => {
      const nowMs = clock.nowMs();
      const row = view.find(RateBuckets, [keyId]);
      const bucket = row ? bucketOf(row) : fullBucket(perMinute, nowMs);
      // If another instance's clock is ahead, its time must not be refilled twice.
      const atMs = Math.max(nowMs, bucket.updatedAtMs);
      refill(bucket, { capacity: perMinute, perMs: perMinute / 60_000, nowMs: atMs });
      const granted = Math.min(wanted, Math.floor(bucket.tokens));
      if (granted === 0) return { granted, left: bucket };
      const next = {
        tokensMicro: Math.floor((bucket.tokens - granted) * MICRO),
        updatedAtMs: atMs,
      };
      if (row) view.update(RateBuckets, row, next);
      else view.insertKeyed(RateBuckets, { keyId, ...next });
      return { granted, left: bucketOf(next) };
    },
  });
}

function bucketOf({ tokensMicro, updatedAtMs }: Omit<RateBucketRow, "keyId">): TokenBucket {
  return { tokens: tokensMicro / MICRO, updatedAtMs };
}
