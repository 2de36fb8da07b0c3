/** Refills evenly up to its capacity. The caller supplies the time. */
export interface TokenBucket {
  tokens: number;
  updatedAtMs: number;
}

export interface Taken {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** Whole seconds until the bucket is full again. */
  readonly fullInS: number;
  /** Whole seconds until the next token, at least 1. */
  readonly retryAfterS: number;
}

export function fullBucket(perMinute: number, nowMs: number): TokenBucket {
  return { tokens: perMinute, updatedAtMs: nowMs };
}

export function takeToken(bucket: TokenBucket, perMinute: number, nowMs: number): Taken {
  return take(bucket, { perMinute, nowMs, cost: 1 });
}

/** Without taking a token. */
export function peekTokens(bucket: TokenBucket, perMinute: number, nowMs: number): Taken {
  return take(bucket, { perMinute, nowMs, cost: 0 });
}

export function refill(
  bucket: TokenBucket,
  { capacity, perMs, nowMs }: { capacity: number; perMs: number; nowMs: number },
): void {
  const elapsedMs = Math.max(0, nowMs - bucket.updatedAtMs);
  bucket.tokens = Math.min(capacity, bucket.tokens + elapsedMs * perMs);
  bucket.updatedAtMs = nowMs;
}

/** Holds at most one minute's worth. */
function take(
  bucket: TokenBucket,
  { perMinute, nowMs, cost }: { perMinute: number; nowMs: number; cost: 0 | 1 },
): Taken {
  const perMs = perMinute / 60_000;
  refill(bucket, { capacity: perMinute, perMs, nowMs });
  const isAllowed = bucket.tokens >= cost;
  if (isAllowed) bucket.tokens -= cost;
  return {
    isAllowed,
    remaining: Math.floor(bucket.tokens),
    fullInS: Math.ceil((perMinute - bucket.tokens) / perMs / 1000),
    retryAfterS: Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000)),
  };
}
