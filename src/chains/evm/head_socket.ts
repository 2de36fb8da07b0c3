import { openTextSocket, SocketFault, type TextSocket } from "../../base/net/text_socket.ts";
import { NodeError } from "../faults.ts";
import type { HeadSocket, HeadSocketOptions, PushedHead } from "../head_socket.ts";
import type { PushHealth } from "../health.ts";
import { withoutSecrets } from "../pool/secrets.ts";
import { asText, shown } from "../shown.ts";
import { hash32, type Json, quantity, record, safeNumber } from "./decode.ts";

/** A header has a few kilobytes at most. */
const MESSAGE_BYTES_MAX = 64 * 1024;
const MESSAGES_PER_SECOND_MAX = 50;
const OPENED_WITHIN_MS = 10_000;
/** Blocks that may be missing before a socket counts as silent. */
const SILENT_BLOCKS = 2;
const SILENT_MIN_MS = 1_000;
/** While nobody knows yet how fast the chain is. */
const SILENT_MAX_MS = 120_000;
const PAUSE_MIN_MS = 1_000;
const PAUSE_MAX_MS = 300_000;
/** After so long a good time, pauses begin small again. */
const FORGIVEN_AFTER_MS = 60_000;
/** A program that waits to be woken up must not be kept awake by its sockets. */
const UNWATCHED_MAX_MS = 60_000;

const CHAIN_QUESTION = 1;
const SUBSCRIPTION = 2;

export class EvmHeadSocket implements HeadSocket {
  readonly #options: HeadSocketOptions;
  #connection: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  #subscription: string | undefined;
  #openedAtMs = 0;
  #heardAtMs = 0;
  #hasPushed = false;
  #watchedAtMs = 0;
  #failures = 0;
  #failedAtMs = 0;
  #pauseMs = 0;
  #error: string | null = null;
  #isClosed = false;

  constructor(options: HeadSocketOptions) {
    this.#options = options;
  }

  look({ blockMs }: { blockMs: number | null }): void {
    if (this.#isClosed) return;
    const nowMs = this.#watchedAtMs = this.#options.clock.nowMs();
    if (!this.#connection) {
      if (isPast(this.#failedAtMs, { ms: this.#pauseMs, nowMs })) this.#connect(nowMs);
      return;
    }
    const ms = this.#subscription === undefined ? OPENED_WITHIN_MS : silentAfterMs(blockMs);
    if (!isPast(this.#heardAtMs, { ms, nowMs })) return;
    const what = this.#subscription === undefined ? "did not answer" : "pushed no head";
    this.#connection.stop.abort(new SocketFault(`it ${what} for ${ms} ms`));
  }

  isLive(): boolean {
    return this.#hasPushed && !this.#connection?.stop.signal.aborted;
  }

  health(): PushHealth {
    return { isPushing: this.isLive(), pushError: this.isLive() ? null : this.#error };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#connection?.stop.abort(new SocketFault("it was closed"));
    await this.#connection?.ended;
  }

  #connect(nowMs: number): void {
    this.#openedAtMs = this.#heardAtMs = nowMs;
    const stop = new AbortController();
    const ended = this.#follow(stop.signal).catch((error) => {
      this.#noteFailure(stop.signal.aborted ? stop.signal.reason : error);
    }).finally(() => {
      this.#connection = this.#subscription = undefined;
      this.#hasPushed = false;
    });
    this.#connection = { stop, ended };
  }

  async #follow(signal: AbortSignal): Promise<never> {
    const { url, clock } = this.#options;
    const socket = await openTextSocket(url, {
      clock,
      signal,
      bytesMax: MESSAGE_BYTES_MAX,
      perSecondMax: MESSAGES_PER_SECOND_MAX,
    });
    try {
      await ask(socket, { id: CHAIN_QUESTION, method: "eth_chainId", params: [] });
      await ask(socket, { id: SUBSCRIPTION, method: "eth_subscribe", params: ["newHeads"] });
      for (;;) {
        const text = await socket.receive();
        if (text === null) throw new SocketFault("it closed the connection");
        if (signal.aborted) throw signal.reason;
        this.#hear(text);
      }
    } finally {
      socket.close();
    }
  }

  #hear(text: string): void {
    const message = record(parsed(text), "a message");
    if (message.method === "eth_subscription") return this.#hearHead(message.params);
    const { id, result, error } = message;
    if (error !== undefined && error !== null) {
      throw new SocketFault(`it refused a question: ${asText(record(error, "an error").message)}`);
    }
    if (id === CHAIN_QUESTION) {
      const chainId = quantity(result, "a chain id").toString();
      if (chainId === this.#options.chainId) return;
      throw new SocketFault(`it is on chain ${chainId}, not ${this.#options.chainId}`);
    }
    const isSubscribed = this.#subscription === undefined && id === SUBSCRIPTION &&
      typeof result === "string";
    if (!isSubscribed) throw new NodeError(`it sent what nobody asked for: ${shown(message)}`);
    this.#subscription = result;
    this.#heardAtMs = this.#options.clock.nowMs();
    this.#options.onTried?.();
  }

  #hearHead(params: unknown): void {
    const { subscription, result } = record(params, "a notification");
    if (this.#subscription === undefined || subscription !== this.#subscription) {
      throw new NodeError("it pushed for a subscription that there is not");
    }
    const header = record(result, "a head");
    const head = {
      height: safeNumber(header.number, "a head's number"),
      hash: hash32(header.hash, "a head's hash"),
      ...hintsIn(header),
    };
    const nowMs = this.#heardAtMs = this.#options.clock.nowMs();
    if (isPast(this.#watchedAtMs, { ms: UNWATCHED_MAX_MS, nowMs })) {
      throw new SocketFault("nobody follows the chain any more");
    }
    this.#hasPushed = true;
    if (isPast(this.#openedAtMs, { ms: FORGIVEN_AFTER_MS, nowMs })) this.#failures = 0;
    this.#options.onHead(head);
  }

  /** Whatever it was: the node is asked as usual, and the socket is tried again. */
  #noteFailure(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#error = withoutSecrets(text, this.#options.url);
    this.#failedAtMs = this.#options.clock.nowMs();
    this.#pauseMs = Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** this.#failures);
    this.#failures++;
    this.#options.onTried?.();
  }
}

function hintsIn({ parentHash, logsBloom: bloom, gasUsed }: Json): Partial<PushedHead> {
  return {
    ...typeof parentHash === "string" ? { parentHash } : {},
    ...typeof bloom === "string" && /^0x[\da-f]{512}$/.test(bloom) ? { bloom } : {},
    ...typeof gasUsed === "string" && gasUsed !== "0x0" ? { hasUsedGas: true } : {},
  };
}

async function ask(
  socket: TextSocket,
  question: { id: number; method: string; params: readonly unknown[] },
): Promise<void> {
  await socket.send(JSON.stringify({ jsonrpc: "2.0", ...question }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NodeError("it sends what is no JSON", { cause });
  }
}

function silentAfterMs(blockMs: number | null): number {
  if (blockMs === null) return SILENT_MAX_MS;
  return Math.min(SILENT_MAX_MS, Math.max(SILENT_MIN_MS, Math.ceil(SILENT_BLOCKS * blockMs)));
}

/** Also after the clock was set back. */
function isPast(sinceMs: number, { ms, nowMs }: { ms: number; nowMs: number }): boolean {
  return nowMs < sinceMs || nowMs - sinceMs > ms;
}
