import type { MiddlewareHandler } from "hono";
import { present } from "../base/assert.ts";
import type { Permission } from "../domain/permissions.ts";
import { Refused } from "../domain/refusal.ts";
import type { RateLimiter } from "./rate_limiter.ts";
import type { HttpEnv } from "./request_state.ts";

/** Permission first, then the key's own budget (contract 1, order of checks). */
export type Allow = (permission: Permission) => MiddlewareHandler<HttpEnv>;

export function allowWith(limiter: RateLimiter): Allow {
  return (permission) =>
    async function allow(c, next) {
      const state = c.get("state");
      if (!present(state.key, "The request is authenticated").permissions.includes(permission)) {
        limiter.peek(state);
        throw new Refused("permission_denied", { text: permission });
      }
      await limiter.take(state);
      await next();
    };
}
