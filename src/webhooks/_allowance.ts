import { TooManyTries } from "../domain/refusal.ts";
import { peekTokens } from "../base/waiting/token_bucket.ts";
import { takeRateTokens } from "../access/take_rate_tokens.ts";
import type { Deps } from "../deps/deps.ts";

/** Each waits for its answer, for up to ten seconds. */
const TESTS_PER_MINUTE = 20;
/** Each goes to every webhook of the account, and starts its attempts over. */
const REDELIVERIES_PER_MINUTE = 60;

/** Each may be of thousands of events. */
const BULKS_PER_MINUTE = 6;

/** Nobody can flood somebody else's server, or the gateway, by asking for deliveries. */
export async function takeTest(deps: Deps, accountId: number | undefined): Promise<void> {
  await take(deps, { what: "test", accountId, perMinute: TESTS_PER_MINUTE });
}

export async function takeRedelivery(deps: Deps, accountId: number | undefined): Promise<void> {
  await take(deps, { what: "redeliver", accountId, perMinute: REDELIVERIES_PER_MINUTE });
}

export async function takeBulkRedelivery(
  deps: Deps,
  accountId: number | undefined,
): Promise<void> {
  await take(deps, { what: "redeliver_all", accountId, perMinute: BULKS_PER_MINUTE });
}

/** By account, whichever of its keys and users asks. Operators may ask as often as they like. */
async function take(
  deps: Deps,
  { what, accountId, perMinute }: {
    what: string;
    accountId: number | undefined;
    perMinute: number;
  },
): Promise<void> {
  if (accountId === undefined) return;
  const keyId = `webhooks.${what}:${accountId}`;
  const { granted, left } = await takeRateTokens(deps, { keyId, perMinute, wanted: 1 });
  if (granted > 0) return;
  throw new TooManyTries(peekTokens(left, perMinute, deps.clock.nowMs()).retryAfterS);
}
