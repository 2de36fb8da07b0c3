import { present } from "../../base/assert.ts";

export const DELIVERY_STATES = ["pending", "delivered", "dead"] as const;

export type DeliveryState = typeof DELIVERY_STATES[number];

export function deliveryState(stored: unknown): DeliveryState {
  return present(DELIVERY_STATES.find((state) => state === stored), "It is one of these");
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The pause after each failed attempt; none follows the last. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
];

const JITTER = 0.2;
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

interface FailedAttempt {
  /** This one included. */
  readonly attempts: number;
  readonly atMs: number;
  /** The answer's header. */
  readonly retryAfter: string | null;
  /** From 0 to 1. */
  readonly chance: number;
}

/** When to try again; undefined: never. The receiver may ask for later, not for sooner. */
export function nextTryAtMs(failed: FailedAttempt): number | undefined {
  const delayMs = RETRY_DELAYS_MS[failed.attempts - 1];
  if (delayMs === undefined) return undefined;
  const scheduledMs = Math.round(delayMs * (1 - JITTER + 2 * JITTER * failed.chance));
  const askedMs = retryAfterMs(failed.retryAfter, failed.atMs) ?? 0;
  return failed.atMs + Math.max(scheduledMs, Math.min(askedMs, RETRY_AFTER_MAX_MS));
}

/** Whole seconds or a date (RFC 9110 10.2.3). */
function retryAfterMs(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,12}$/.test(text)) return Number(text) * SECOND_MS;
  const atMs = /^[A-Z][a-z]{2},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(atMs) ? undefined : atMs - nowMs;
}

/** After this many failures in a row an endpoint is paused. */
export const FAILURES_TO_PAUSE = 20;
const PAUSE_MIN_MS = 5 * SECOND_MS;
const PAUSE_MAX_MS = 5 * MINUTE_MS;

/** 0 if no pause is due. After a pause, one attempt shows whether the endpoint is back. */
export function pauseMs(failures: number): number {
  const over = failures - FAILURES_TO_PAUSE;
  return over < 0 ? 0 : Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** Math.min(over, 16));
}
