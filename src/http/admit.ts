import { present } from "../base/assert.ts";
import type { Permission } from "../domain/permissions.ts";
import { Refused } from "../domain/refusal.ts";
import type { RateLimiter } from "./rate_limiter.ts";
import type { RequestState } from "./request_state.ts";

/** Permission first, then the key's own budget (contract 1, order of checks). */
export function admit(
  state: RequestState,
  { permissions, limiter }: { permissions: readonly Permission[]; limiter: RateLimiter },
): void | Promise<void> {
  const { permissions: granted } = present(state.key, "The request is authenticated");
  const missing = permissions.find((one) => !granted.includes(one));
  if (missing) {
    limiter.peek(state);
    throw new Refused("permission_denied", { text: missing });
  }
  return limiter.take(state);
}
