import type { Clock } from "../../base/clock.ts";
import { refill, type TokenBucket } from "../../base/waiting/token_bucket.ts";
import { isRateLimit, RpcFailure } from "./node_errors.ts";

/** `bulk` leaves part of the budget to `urgent`, so that a long scan doesn't delay payments. */
export type Lane = "urgent" | "bulk";

interface PaceOptions {
  readonly host: string;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Every node can take this. If it never complains and more is needed, it is asked more. */
export const PER_SECOND_AT_FIRST = 200;
export const PER_SECOND_MAX = 5_000;
const PER_SECOND_MIN = 2;
/** Per second in which somebody had to wait. */
const GROWTH = 1.4;
const GROWTH_AFTER_COMPLAINT = 1.02;
/** The share of the rejected rate that is not exceeded again soon. */
const KEPT_AFTER_COMPLAINT = 0.75;
/** Recovery after a complaint: the rate doubles in two seconds, so a single complaint costs little. */
const REGAINED_PER_SECOND = 1.4;
const RESERVED_SHARE = 0.25;
const TRIES_MAX = 3;
const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 5_000;
const RETRY_AFTER_MAX_MS = 60_000;
/** Longer waits fail, so that the caller asks another endpoint. */
const WAIT_MAX_MS = 2_000;
const WAITS_MAX_MS = 15_000;

/** Learns from an endpoint's complaints how fast it may be asked. */
export class Pace {
  readonly #options: PaceOptions;
  readonly #bucket: TokenBucket;
  #ceiling = PER_SECOND_AT_FIRST;
  #growth = GROWTH;
  #grownAtMs: number;
  #loweredTo = PER_SECOND_AT_FIRST;
  #loweredAtMs: number;
  #pausedUntilMs = 0;
  #complaints = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#loweredAtMs = options.clock.nowMs();
    this.#grownAtMs = this.#loweredAtMs;
    this.#bucket = { tokens: PER_SECOND_AT_FIRST, updatedAtMs: this.#loweredAtMs };
  }

  /**
   * Sends once the budget allows it, and again after a pause if the endpoint asks for one. After
   * one attempt the bytes may have been accepted, so only a first attempt fails as `unsent`.
   */
  async run<T>(lane: Lane, send: () => Promise<T>, { triesMax = TRIES_MAX } = {}): Promise<T> {
    for (let tries = 1;; tries++) {
      try {
        await this.#admit(lane);
        const value = await send();
        this.#complaints = 0;
        return value;
      } catch (error) {
        if (tries > 1 && error instanceof RpcFailure && error.kind === "unsent") {
          throw new RpcFailure("connection", error.message, error.retryAfterMs);
        }
        if (!isRateLimit(error)) throw error;
        this.#slowDown(error instanceof RpcFailure ? error.retryAfterMs ?? 0 : 0);
        if (tries === triesMax) throw error;
      }
    }
  }

  /** The endpoint asked for a pause. */
  isPaused(): boolean {
    return this.#options.clock.nowMs() < this.#pausedUntilMs;
  }

  async #admit(lane: Lane): Promise<void> {
    const { host, sleep } = this.#options;
    let waitedMs = 0;
    for (let waitMs = this.#take(lane); waitMs > 0; waitMs = this.#take(lane)) {
      waitedMs += waitMs;
      if (waitMs > WAIT_MAX_MS || waitedMs > WAITS_MAX_MS) {
        const text = `${host} asked for a pause, of which ${waitMs} ms are left`;
        throw new RpcFailure("unsent", text, waitMs);
      }
      await sleep(waitMs);
    }
  }

  /** Takes a token and returns 0, or returns the milliseconds until there is one. */
  #take(lane: Lane): number {
    const nowMs = this.#options.clock.nowMs();
    const capacity = this.#perSecond(nowMs);
    refill(this.#bucket, { capacity, perMs: capacity / 1000, nowMs });
    const needed = lane === "bulk" ? 1 + (capacity - 1) * RESERVED_SHARE : 1;
    const missing = Math.max(0, needed - this.#bucket.tokens);
    if (missing > 0) this.#grow(nowMs);
    const waitMs = Math.max(this.#pausedUntilMs - nowMs, Math.ceil(missing * 1000 / capacity));
    if (waitMs > 0) return waitMs;
    this.#bucket.tokens--;
    return 0;
  }

  #perSecond(nowMs: number): number {
    const regained = REGAINED_PER_SECOND ** ((nowMs - this.#loweredAtMs) / 1000);
    return Math.min(this.#ceiling, this.#loweredTo * regained);
  }

  #grow(nowMs: number): void {
    if (nowMs < this.#grownAtMs + 1_000) return;
    this.#grownAtMs = nowMs;
    this.#ceiling = Math.min(PER_SECOND_MAX, this.#ceiling * this.#growth);
  }

  /** Many complaints at once count as one. */
  #slowDown(retryAfterMs: number): void {
    const nowMs = this.#options.clock.nowMs();
    if (nowMs >= this.#pausedUntilMs) {
      const tooMany = this.#perSecond(nowMs);
      this.#ceiling = Math.max(PER_SECOND_AT_FIRST, KEPT_AFTER_COMPLAINT * tooMany);
      this.#growth = GROWTH_AFTER_COMPLAINT;
      this.#loweredTo = Math.max(PER_SECOND_MIN, tooMany / 2);
      this.#loweredAtMs = nowMs;
      this.#bucket.tokens = Math.min(this.#bucket.tokens, 1);
      this.#complaints++;
    }
    const pauseMs = Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** (this.#complaints - 1));
    const askedMs = Math.min(RETRY_AFTER_MAX_MS, retryAfterMs);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + Math.max(pauseMs, askedMs));
  }
}
