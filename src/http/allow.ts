import type { MiddlewareHandler } from "hono";
import { present } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import { Lru } from "../base/lru.ts";
import {
  fullBucket,
  peekTokens,
  type Taken,
  takeToken,
  type TokenBucket,
} from "../base/token_bucket.ts";
import type { Permission } from "../domain/permissions.ts";
import { Refused } from "../domain/refusal.ts";
import type { HttpEnv, RequestState } from "./request_state.ts";

const KEYS_REMEMBERED_MAX = 100_000;

/** Permission first, then the key's own budget (contract 1, order of checks). */
export type Allow = (permission: Permission) => MiddlewareHandler<HttpEnv>;

export interface RateLimiter {
  take(state: RequestState): void;
  /** Notes what is left for the answer's headers. */
  peek(state: RequestState): void;
}

export function createRateLimiter(clock: Clock): RateLimiter {
  const buckets = new Lru<string, TokenBucket>(KEYS_REMEMBERED_MAX);

  function count(state: RequestState, by: typeof takeToken): Taken {
    const { keyId, rateLimit } = present(state.key, "The request is authenticated");
    const nowMs = clock.nowMs();
    const bucket = buckets.get(keyId) ?? fullBucket(rateLimit, nowMs);
    buckets.set(keyId, bucket);
    const taken = by(bucket, rateLimit, nowMs);
    state.limit = { perMinute: rateLimit, taken };
    return taken;
  }

  return {
    take: (state) => {
      const { isAllowed, retryAfterS } = count(state, takeToken);
      if (!isAllowed) throw new Refused("rate_limited", { retryAfterS });
    },
    peek: (state) => void count(state, peekTokens),
  };
}

export function allowWith(limiter: RateLimiter): Allow {
  return (permission) =>
    async function allow(c, next) {
      const state = c.get("state");
      if (!present(state.key, "The request is authenticated").permissions.includes(permission)) {
        limiter.peek(state);
        throw new Refused("permission_denied", { text: permission });
      }
      limiter.take(state);
      await next();
    };
}
