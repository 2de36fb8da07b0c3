import type { Deps } from "../deps/deps.ts";
import { takeRateTokens } from "../access/take_rate_tokens.ts";
import { Lru } from "../base/lru.ts";
import {
  fullBucket,
  peekTokens,
  type Taken,
  takeToken,
  type TokenBucket,
} from "../base/waiting/token_bucket.ts";
import { Refused } from "../domain/refusal.ts";
import { type RequestState, signerOf } from "./request_state.ts";

export interface RateLimiter {
  take(state: RequestState): void | Promise<void>;
  /** Notes what is left, for the answer's headers. */
  peek(state: RequestState): void;
  /** A write was refused and has left its signature. */
  refused(state: RequestState): void;
}

interface Budget {
  readonly perMinute: number;
  take(): Taken | Promise<Taken>;
  peek(): Taken;
}

interface BudgetOf {
  readonly deps: Deps;
  readonly keyId: string;
  readonly perMinute: number;
}

const KEYS_REMEMBERED_MAX = 100_000;
/**
 * Of a key's writes that leave their signature, so that no copy is executed later, whatever the
 * key's limit is. What leaves nothing isn't counted, and no key uses up what others have.
 */
const REFUSED_A_MINUTE = 600;
/** Ten instances holding one portion each exceed the limit by a fifth. */
const PORTIONS = 50;
const GRANTS_PER_REQUEST_MAX = 3;

/** A key's bucket: this program's own, or a share of one that all instances of a database use. */
export function createRateLimiter(deps: Deps): RateLimiter {
  const budgets = new Lru<string, Budget>(KEYS_REMEMBERED_MAX);
  const make = deps.exclusiveSinceMs === null ? sharedBudget : ownBudget;

  function budgetOf(state: RequestState): Budget {
    const { keyId, rateLimit: perMinute } = signerOf(state);
    const known = budgets.get(keyId);
    if (known?.perMinute === perMinute) return known;
    const budget = make({ deps, keyId, perMinute });
    budgets.set(keyId, budget);
    return budget;
  }

  function mustNotBeRefusedAllTheTime(state: RequestState): void {
    const left = peekTokens(refusalsOf(state), REFUSED_A_MINUTE, deps.clock.nowMs());
    if (left.remaining < 1) throw new Refused("rate_limited", { retryAfterS: left.retryAfterS });
  }

  const refusals = new Lru<string, TokenBucket>(KEYS_REMEMBERED_MAX);
  function refusalsOf(state: RequestState): TokenBucket {
    const { keyId } = signerOf(state);
    const nowMs = deps.clock.nowMs();
    return refusals.getOrMake(keyId, () => fullBucket(REFUSED_A_MINUTE, nowMs));
  }

  return {
    refused: (state) => {
      takeToken(refusalsOf(state), REFUSED_A_MINUTE, deps.clock.nowMs());
    },
    take: (state) => {
      const budget = budgetOf(state);
      const settle = (taken: Taken) => {
        state.limit = { perMinute: budget.perMinute, taken };
        if (!taken.isAllowed) throw new Refused("rate_limited", { retryAfterS: taken.retryAfterS });
        if (state.isWrite) mustNotBeRefusedAllTheTime(state);
      };
      const taken = budget.take();
      return taken instanceof Promise ? taken.then(settle) : settle(taken);
    },
    peek: (state) => {
      const budget = budgetOf(state);
      state.limit = { perMinute: budget.perMinute, taken: budget.peek() };
    },
  };
}

function ownBudget({ deps: { clock }, perMinute }: BudgetOf): Budget {
  const bucket = fullBucket(perMinute, clock.nowMs());
  return {
    perMinute,
    take: () => takeToken(bucket, perMinute, clock.nowMs()),
    peek: () => peekTokens(bucket, perMinute, clock.nowMs()),
  };
}

function sharedBudget({ deps, keyId, perMinute }: BudgetOf): Budget {
  /** What was left for all instances when last asked. */
  let shared: TokenBucket = fullBucket(perMinute, deps.clock.nowMs());
  /** Granted but not used yet. */
  let inHand = 0;
  let waiting = 0;
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    const wanted = Math.max(1, Math.floor(perMinute / PORTIONS), waiting);
    const { granted, left } = await takeRateTokens(deps, { keyId, perMinute, wanted });
    inHand += granted;
    shared = left;
  }

  /** Asks only if the shared bucket may hold something, and once for everybody who waits. */
  async function takeOne(): Promise<boolean> {
    for (let grants = 0; inHand < 1; grants++) {
      const { remaining } = peekTokens(shared, perMinute, deps.clock.nowMs());
      if (remaining < 1 || grants === GRANTS_PER_REQUEST_MAX) return false;
      await (asking ??= ask().finally(() => asking = undefined));
    }
    inHand--;
    return true;
  }

  async function take(): Promise<Taken> {
    waiting++;
    const isAllowed = await takeOne().finally(() => waiting--);
    return { ...peek(), isAllowed };
  }

  function peek(): Taken {
    const nowMs = deps.clock.nowMs();
    peekTokens(shared, perMinute, nowMs);
    const tokens = Math.min(perMinute, shared.tokens + inHand);
    return peekTokens({ ...shared, tokens }, perMinute, nowMs);
  }

  return { perMinute, peek, take };
}
