import { present } from "../base/assert.ts";
import type { Permission } from "../domain/permissions.ts";
import { Refused } from "../domain/refusal.ts";
import type { RateLimiter } from "./rate_limiter.ts";
import type { RequestState } from "./request_state.ts";

/** Permission first, then the key's own budget (contract 1, order of checks). */
export function admit(
  state: RequestState,
  { permission, limiter }: { permission: Permission; limiter: RateLimiter },
): void | Promise<void> {
  if (!present(state.key, "The request is authenticated").permissions.includes(permission)) {
    limiter.peek(state);
    throw new Refused("permission_denied", { text: permission });
  }
  return limiter.take(state);
}
