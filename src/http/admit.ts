import type { Permission } from "../access/rules/permissions.ts";
import { Refused } from "../domain/refusal.ts";
import type { RateLimiter } from "./rate_limiter.ts";
import type { RequestState } from "./request_state.ts";

/** Whoever tries their credentials can have any key. */
const PING = "/v1/_ping";

/** Permission first, then the key's own budget (contract 1, order of checks). */
export function admit(
  state: RequestState,
  { path, permissions, limiter }: {
    path: string;
    permissions: readonly Permission[];
    limiter: RateLimiter;
  },
): void | Promise<void> {
  // Keys with a role have no permissions.
  if (state.roleKey && path === PING) return limiter.take(state);
  const granted = state.key?.permissions ?? [];
  const missing = permissions.find((one) => !granted.includes(one));
  if (missing) {
    limiter.peek(state);
    throw new Refused("permission_denied", { text: missing });
  }
  return limiter.take(state);
}
