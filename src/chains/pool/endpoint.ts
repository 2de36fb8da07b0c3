import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { NodeError, UnfitNode } from "../faults.ts";
import type { Head } from "./head.ts";
import { type Lane, Pace } from "./pace.ts";
import { RpcFailure, RpcReplyError } from "./node_errors.ts";
import type { EndpointHealth } from "../health.ts";
import { withoutSecrets } from "./secrets.ts";
import type { Line, Named, Protocol } from "./protocol.ts";
import { checkIdentity, type ExpectedIdentity } from "./shown_identity.ts";

export interface EndpointOptions {
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly log: Pick<Log, "warn" | "info">;
  /** Undefined while a network is being added. */
  readonly expected: ExpectedIdentity | undefined;
  /** Hears how many calls a node has answered. */
  readonly answered?: ((host: string, calls: number) => void) | undefined;
}

export type Ask<N, T> = (node: N) => Promise<T>;

interface Use {
  readonly lane?: Lane;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Never repeated: a second answer about a payment says nothing about the first. */
  readonly isSentOnce?: boolean;
}

/** What the followed tip has done while an endpoint's head stayed the same. */
interface Stillness {
  readonly hash: string;
  readonly tipHeight: number;
  /** How often the tip was seen to have grown. */
  readonly moves: number;
  /** The first of these times. */
  readonly sinceMs: number;
}

/** Kept by those who compare endpoints. */
interface Seen {
  head?: Head;
  headSeenAtMs: number;
  /** When the question was asked to which that head is the answer. */
  headAskedAtMs: number;
  /** The first poll since its last answer; null if it has answered each. */
  silentSinceMs: number | null;
  still?: Stillness;
  /** Warnings already given to the operator that still hold. */
  readonly notes: Set<string>;
  /** Its answers come too late to wait for. */
  isSlow: boolean;
  isBeingAsked: boolean;
  /** Until then it isn't believed alone, because others were seen on another chain. */
  contradictedUntilMs: number;
  /** Until then its head doesn't lead, because it couldn't serve blocks that it had announced. */
  claimDoubtedUntilMs: number;
  /** Until then others are asked for blocks first, because it kept some for too long. */
  lateUntilMs: number;
  /** Until then it is asked last, because a quorum read blocks otherwise than it did. */
  outvotedUntilMs: number;
}

/** The node behind the same URL may be repaired meanwhile. */
const UNFIT_FOR_MS = 10_000;

/** After this a small question tells whether the first was large or nobody is there. */
const PATIENCE_MS = 500;
const PROBE_TIMEOUT_MS = 700;
/** Everything else waits for this, even after the endpoint is back. */
const SHOW_TIMEOUT_MS = 5_000;

export class Endpoint<N extends Named> {
  readonly host: string;
  readonly seen: Seen = {
    headSeenAtMs: 0,
    headAskedAtMs: 0,
    silentSinceMs: null,
    notes: new Set(),
    isSlow: false,
    isBeingAsked: false,
    contradictedUntilMs: 0,
    claimDoubtedUntilMs: 0,
    lateUntilMs: 0,
    outvotedUntilMs: 0,
  };
  readonly #options: EndpointOptions & { protocol: Protocol<N> };
  readonly #pace: Pace;
  readonly #connect: (line: Line) => N;
  readonly #answered: (calls: number) => void;
  #isAnswering: Promise<boolean> | undefined;
  #hasShownChain: boolean;
  #showing: Promise<void> | undefined;
  #unfit: { error: UnfitNode; untilMs: number } | undefined;
  #failures = 0;
  #lastError: string | null = null;
  #failedAtMs: number | null = null;
  #answeredAtMs: number | null = null;

  constructor(readonly url: string, options: EndpointOptions & { protocol: Protocol<N> }) {
    this.host = new URL(url).host;
    this.#connect = options.protocol.open(url);
    this.#answered = (calls) => options.answered?.(this.host, calls);
    this.#options = options;
    this.#pace = new Pace({ host: this.host, ...options });
    this.#hasShownChain = options.expected === undefined;
  }

  /** Checks first that the endpoint is on the right chain. */
  async ask<T>(question: Ask<N, T>, use: Use = {}): Promise<T> {
    try {
      return await this.#askRight(question, use);
    } catch (error) {
      if (!use.signal?.aborted && error instanceof NodeError) this.#remember(error);
      throw error;
    }
  }

  /** For people; asks nothing. */
  health(): Omit<EndpointHealth, "isTracing"> {
    const { head } = this.seen;
    return {
      host: this.host,
      isReachable: this.#answeredAtMs !== null && this.isHealthy() && !this.unfitness(),
      height: head?.height ?? null,
      finalizedHeight: head?.finalized?.height ?? null,
      lastError: this.#lastError,
      failedAtMs: this.#failedAtMs,
      answeredAtMs: this.#answeredAtMs,
    };
  }

  #remember({ message }: NodeError): void {
    this.#lastError = withoutSecrets(message, this.url);
    this.#failedAtMs = this.#options.clock.nowMs();
  }

  async #askRight<T>(question: Ask<N, T>, use: Use): Promise<T> {
    await this.#mustBeRight(use);
    try {
      const value = await question(this.#node(use));
      this.#failures = 0;
      this.#answeredAtMs = this.#options.clock.nowMs();
      return value;
    } catch (error) {
      if (error instanceof UnfitNode) this.#putOut(error);
      if (!use.signal?.aborted) this.#noteFailure(error);
      throw error;
    }
  }

  /** Without checking its chain. */
  async askStranger<T>(question: Ask<N, T>): Promise<T> {
    return await question(this.#node({}));
  }

  /** Resolves once it has left a question open for a while and a small one after it too. */
  async untilSilent(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#options.sleep(PATIENCE_MS, signal);
      if (signal.aborted || !await this.#looksAlive()) return;
    }
  }

  /** Concurrent waiters share one probe. */
  async #looksAlive(): Promise<boolean> {
    this.#isAnswering ??= this.#probe().finally(() => this.#isAnswering = undefined);
    return await this.#isAnswering;
  }

  async #probe(): Promise<boolean> {
    if (this.#pace.isPaused()) return false;
    const { fetch, protocol } = this.#options;
    const gate = <T>(send: () => Promise<T>) => send();
    try {
      const line = { fetch, gate, timeoutMs: PROBE_TIMEOUT_MS, answered: this.#answered };
      await protocol.refOn(this.#connect(line), 0);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      if (error instanceof RpcFailure && error.kind === "timeout") {
        this.seen.isSlow = true;
        this.#remember(error);
        return false;
      }
    }
    return true;
  }

  /** It answered its last question in time. */
  isHealthy(): boolean {
    return this.#failures === 0 && !this.seen.isSlow;
  }

  get hasShownChain(): boolean {
    return this.#hasShownChain;
  }

  /** Undefined while it may be used. */
  unfitness(): UnfitNode | undefined {
    const isOut = this.#unfit && this.#options.clock.nowMs() < this.#unfit.untilMs;
    return isOut ? this.#unfit?.error : undefined;
  }

  #node(use: Use): N {
    const { lane = "urgent", signal, timeoutMs = this.#options.timeoutMs, isSentOnce } = use;
    const tries = isSentOnce ? { triesMax: 1 } : {};
    const gate = <T>(send: () => Promise<T>) => this.#pace.run(lane, send, tries);
    const { fetch } = this.#options;
    return this.#connect({ fetch, timeoutMs, signal, gate, answered: this.#answered });
  }

  /** Concurrent questions share one check. If it fails, none of them was sent. */
  async #mustBeRight(use: Use): Promise<void> {
    const { expected } = this.#options;
    if (this.#hasShownChain || !expected) return;
    const unfit = this.unfitness();
    if (unfit) throw unfit;
    this.#showing ??= this.#show(expected, use).finally(() => this.#showing = undefined);
    try {
      await this.#showing;
    } catch (error) {
      this.#failures++;
      if (error instanceof UnfitNode || !(error instanceof NodeError)) throw error;
      throw new RpcFailure("unsent", error.message);
    }
  }

  async #show(
    expected: ExpectedIdentity,
    { timeoutMs = this.#options.timeoutMs }: Use,
  ): Promise<void> {
    const { log, protocol } = this.#options;
    const node = this.#node({ timeoutMs: Math.min(timeoutMs, SHOW_TIMEOUT_MS) });
    try {
      checkIdentity(this.host, await protocol.identityOn(node), expected);
      await protocol.checkNode?.(node);
      const fields = { network: expected.code, host: this.host };
      if (this.#unfit) log.info("endpoint is of use again", fields);
      this.#unfit = undefined;
      this.#hasShownChain = true;
    } catch (error) {
      if (error instanceof UnfitNode) this.#putOut(error);
      throw error;
    }
  }

  #putOut(error: UnfitNode): void {
    const { clock, log, expected } = this.#options;
    const fields = { network: expected?.code, error: error.message };
    if (!this.#unfit) log.warn("endpoint is out of use", fields);
    this.#unfit = { error, untilMs: clock.nowMs() + UNFIT_FOR_MS };
  }

  /** A refused call is an answer. After any other failure, another node may be behind the URL. */
  #noteFailure(error: unknown): void {
    if (!(error instanceof NodeError) || error instanceof RpcReplyError) return;
    this.#failures++;
    const isLimited = error instanceof RpcFailure &&
      (error.kind === "rate_limited" || error.retryAfterMs !== undefined);
    if (!isLimited) this.#hasShownChain = this.#options.expected === undefined;
  }
}
