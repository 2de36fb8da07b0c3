import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { NodeError, WrongChain } from "../chain.ts";
import type { Head } from "./head.ts";
import { type Lane, Pace } from "./_pace.ts";
import { RpcFailure, RpcReplyError } from "./node_errors.ts";
import type { Line, Named, Protocol } from "./protocol.ts";
import { checkIdentity, type ExpectedIdentity } from "./shown_identity.ts";

export interface EndpointOptions {
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly log: Pick<Log, "warn" | "info">;
  /** Undefined for a network that is about to be added. */
  readonly expected: ExpectedIdentity | undefined;
}

export type Ask<N, T> = (node: N) => Promise<T>;

export interface Use {
  readonly lane?: Lane;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** What the polls have seen of it; kept by those who compare endpoints. */
export interface Seen {
  head?: Head;
  /** Its answers come too late to be waited for. */
  isSlow: boolean;
  isBeingAsked: boolean;
  /** Until then it is not believed alone: others were seen to have another chain. */
  contradictedUntilMs: number;
  /** Until then its head does not lead the others: it could not give blocks that it told of. */
  claimDoubtedUntilMs: number;
}

/** A node on another chain may be repaired behind the same URL. */
const WRONG_CHAIN_FOR_MS = 10_000;

/** One URL and what is known of it. */
export class Endpoint<N extends Named> {
  readonly host: string;
  readonly seen: Seen = {
    isSlow: false,
    isBeingAsked: false,
    contradictedUntilMs: 0,
    claimDoubtedUntilMs: 0,
  };
  readonly #options: EndpointOptions & { protocol: Protocol<N> };
  readonly #pace: Pace;
  readonly #connect: (line: Line) => N;
  #hasShownChain: boolean;
  #showing: Promise<void> | undefined;
  #wrong: { error: WrongChain; untilMs: number } | undefined;
  #failures = 0;

  constructor(url: string, options: EndpointOptions & { protocol: Protocol<N> }) {
    this.host = new URL(url).host;
    this.#connect = options.protocol.open(url);
    this.#options = options;
    this.#pace = new Pace({ host: this.host, ...options });
    this.#hasShownChain = options.expected === undefined;
  }

  /** Asks only once it has shown that it is on the right chain. */
  async ask<T>(question: Ask<N, T>, use: Use = {}): Promise<T> {
    await this.#mustBeRight(use);
    try {
      const value = await question(this.#node(use));
      this.#failures = 0;
      return value;
    } catch (error) {
      if (!use.signal?.aborted) this.#noteFailure(error);
      throw error;
    }
  }

  /** As it comes, whatever chain it may be on. */
  async askStranger<T>(question: Ask<N, T>): Promise<T> {
    return await question(this.#node({}));
  }

  /** Answered its last question, and in time. */
  isWell(): boolean {
    return this.#failures === 0 && !this.seen.isSlow;
  }

  get hasShownChain(): boolean {
    return this.#hasShownChain;
  }

  /** Out of use, and why. */
  wrongChain(): WrongChain | undefined {
    const isOut = this.#wrong && this.#options.clock.nowMs() < this.#wrong.untilMs;
    return isOut ? this.#wrong?.error : undefined;
  }

  #node({ lane = "urgent", signal, timeoutMs = this.#options.timeoutMs }: Use): N {
    const gate = <T>(send: () => Promise<T>) => this.#pace.run(lane, send);
    const { fetch } = this.#options;
    return this.#connect({ fetch, timeoutMs, signal, gate });
  }

  /** Many questions at once wait for one proof; nothing of them was sent when it fails. */
  async #mustBeRight(use: Use): Promise<void> {
    const { expected } = this.#options;
    if (this.#hasShownChain || !expected) return;
    const wrong = this.wrongChain();
    if (wrong) throw wrong;
    this.#showing ??= this.#show(expected, use).finally(() => this.#showing = undefined);
    try {
      await this.#showing;
    } catch (error) {
      this.#failures++;
      if (error instanceof WrongChain || !(error instanceof NodeError)) throw error;
      throw new RpcFailure("unsent", error.message);
    }
  }

  async #show(expected: ExpectedIdentity, { timeoutMs }: Use): Promise<void> {
    const { clock, log, protocol } = this.#options;
    const network = expected.code;
    try {
      const identity = await protocol.identityOn(
        this.#node(timeoutMs === undefined ? {} : { timeoutMs }),
      );
      checkIdentity(this.host, identity, expected);
      if (this.#wrong) log.info("endpoint is on its chain again", { network, host: this.host });
      this.#wrong = undefined;
      this.#hasShownChain = true;
    } catch (error) {
      if (!(error instanceof WrongChain)) throw error;
      if (!this.#wrong) log.warn("endpoint is out of use", { network, error: error.message });
      this.#wrong = { error, untilMs: clock.nowMs() + WRONG_CHAIN_FOR_MS };
      throw error;
    }
  }

  /** A call that was refused is an answer. After any other failure somebody else may answer there. */
  #noteFailure(error: unknown): void {
    if (!(error instanceof NodeError) || error instanceof RpcReplyError) return;
    this.#failures++;
    const isLimited = error instanceof RpcFailure &&
      (error.kind === "rate_limited" || error.retryAfterMs !== undefined);
    if (!isLimited) this.#hasShownChain = this.#options.expected === undefined;
  }
}
