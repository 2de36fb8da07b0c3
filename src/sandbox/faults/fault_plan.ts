import { at, keysOf } from "../../base/lists.ts";
import { present } from "../../base/assert.ts";
import { canHit, type FaultKind } from "./fault_kinds.ts";
import type { RpcCall } from "./rpc_proxy.ts";

/** The faults between gateway and node: the same seed gives the same faults. */
export interface FaultPlan extends FaultMix {
  /** A whole number. */
  readonly seed: number;
  /** Disturbs only this many requests, from the first. */
  readonly until?: number;
  /** Disturbs only requests with one of these methods. */
  readonly methods?: readonly string[];
  /** For requests with this method, instead of the mix above. */
  readonly overrides?: Readonly<Record<string, FaultMix>>;
}

interface FaultMix {
  /** The share of requests that is disturbed, such as 0.15. */
  readonly rate: number;
  /** The weight of each kind. */
  readonly kinds: Weights;
}

type Weights = Readonly<Partial<Record<FaultKind, number>>>;

export interface Decision {
  readonly kind: FaultKind;
  /** The call of the request that the fault hits, if it hits only one. */
  readonly at: number;
  /** From 0 to below 1; decides how long, how much or which one. */
  readonly dice: number;
}

export type Decide = (calls: readonly RpcCall[]) => Decision | undefined;

/**
 * Each kind of request draws its own series, so that others in between don't change its faults: a
 * gateway asks several things at once, in random order.
 */
export function deciderOf(plan: FaultPlan): Decide {
  const seen = new Map<string, number>();
  let requests = 0;
  return (calls) => {
    const sort = [...new Set(calls.map(({ method }) => method))].join("+");
    const nth = seen.get(sort) ?? 0;
    seen.set(sort, nth + 1);
    if (requests++ >= (plan.until ?? Infinity)) return undefined;
    const { mix, isTarget } = mixFor(plan, calls);
    const draw = lots(`${plan.seed} ${sort} ${nth}`);
    if (draw() >= mix.rate) return undefined;
    return decisionOf(mix.kinds, { calls, isTarget, draw });
  };
}

export function evenly(kinds: readonly FaultKind[]): Weights {
  return Object.fromEntries(kinds.map((kind) => [kind, 1]));
}

interface Aim {
  readonly mix: FaultMix;
  isTarget(call: RpcCall): boolean;
}

const NOTHING: FaultMix = { rate: 0, kinds: {} };

function mixFor(plan: FaultPlan, calls: readonly RpcCall[]): Aim {
  for (const [method, mix] of Object.entries(plan.overrides ?? {})) {
    const isTarget = (call: RpcCall) => call.method === method;
    if (calls.some(isTarget)) return { mix, isTarget };
  }
  const isTarget = ({ method }: RpcCall) => plan.methods?.includes(method) ?? true;
  return { mix: calls.some(isTarget) ? plan : NOTHING, isTarget };
}

/**
 * Draws only from the faults that suit this request, so that the rate holds for every kind of
 * request.
 */
function decisionOf(
  kinds: Weights,
  { calls, isTarget, draw }: {
    calls: readonly RpcCall[];
    isTarget: Aim["isTarget"];
    draw: () => number;
  },
): Decision | undefined {
  const options = keysOf(kinds).flatMap((kind) => {
    const weight = kinds[kind] ?? 0;
    const places = calls.flatMap((call, at) =>
      isTarget(call) && canHit(kind, call, calls.length) ? [at] : []
    );
    return weight > 0 && places.length > 0 ? [{ kind, weight, places }] : [];
  });
  if (options.length === 0) return undefined;
  let left = draw() * options.reduce((sum, { weight }) => sum + weight, 0);
  const found = options.find(({ weight }) => (left -= weight) < 0);
  const { kind, places } = found ?? present(options.at(-1), "There are options");
  return { kind, at: at(places, Math.floor(draw() * places.length)), dice: draw() };
}

/** Random numbers from 0 to below 1 that depend only on the text (FNV-1a, then mulberry32). */
function lots(text: string): () => number {
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01000193);
  return () => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
}
