import { joined, utf8 } from "../base/bytes.ts";
import { Lru } from "../base/lru.ts";
import { Waits } from "../base/waiting/waits.ts";
import { AnswerReader, type HttpAnswer } from "./_answer.ts";
import { closeQuietly, Connections, type Held } from "./_connections.ts";
import { boundedLookups, type Resolve } from "./_lookups.ts";
import { ALLOWED_BY, malformedUrl, refusedUrl } from "./allowed_target.ts";

interface WebhookRequest {
  readonly url: string;
  /** The account whose webhook it is. */
  readonly owner: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Attempt {
  /** Null if no answer came. */
  readonly status: number | null;
  /** Why it doesn't count as delivered; null if it does. */
  readonly error: string | null;
  /** The beginning of the answer's body. */
  readonly response: string | null;
  readonly retryAfter: string | null;
  readonly latencyMs: number;
}

export interface WebhookSender {
  /** Why nothing may be sent there; undefined if it may, as far as the URL shows. */
  refusalOf(url: string): string | undefined;
  /** Never throws: failures are in the attempt's error. */
  send(request: WebhookRequest): Promise<Attempt>;
  close(): void;
}

export interface SenderOptions {
  readonly isPrivateAllowed: boolean;
  readonly resolve?: Resolve;
  readonly caCerts?: readonly string[];
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const BODY_BYTES_MAX = 16 * 1024;
const RESPONSE_BYTES_KEPT = 1024;
const TARGETS_REMEMBERED = 1_000;
/** The most bytes that one UTF-16 unit takes. */
const UTF8_BYTES_MAX = 3;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** POSTs with a limit on everything: target, time, and bytes read. */
export function createSender(options: SenderOptions): WebhookSender {
  const { isPrivateAllowed, caCerts = [] } = options;
  const resolve = boundedLookups(options.resolve);
  const connections = new Connections({ isPrivateAllowed, resolve, caCerts });
  const running = new Set<Exchange>();
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const waits = new Waits(timeoutMs);
  const targets = new Lru<string, Target>(TARGETS_REMEMBERED);
  const refusalOf = (url: string) => refusedUrl(url, { isPrivateAllowed });
  const targetOf = (url: string): Target => {
    const known = targets.get(url);
    if (known) return known;
    const target = makeTarget(url, refusalOf(url));
    targets.set(url, target);
    return target;
  };
  return {
    refusalOf,
    send: async (request) => {
      const startedAtMs = performance.now();
      const target = targetOf(request.url);
      const attempt = "refusal" in target
        ? failed(null, `not sent: ${target.refusal}`)
        : await sendOne(new Exchange(target, request, connections), { timeoutMs, waits, running });
      return { ...attempt, latencyMs: Math.round(performance.now() - startedAtMs) };
    },
    close: () => {
      for (const exchange of running) exchange.abort("the program ends");
      connections.close();
    },
  };
}

/** Shared by all requests to one target. */
interface AllowedTarget {
  readonly url: URL;
  readonly head: string;
}

type Target = AllowedTarget | { readonly refusal: string };

function makeTarget(text: string, refusal: string | undefined): Target {
  if (refusal !== undefined) {
    return { refusal: malformedUrl(text) === undefined ? `${refusal} (${ALLOWED_BY})` : refusal };
  }
  const url = new URL(text);
  const fields = {
    host: url.host,
    "content-type": "application/json",
    "user-agent": "CPG-Webhooks/1",
    accept: "*/*",
  };
  return { url, head: `POST ${url.pathname}${url.search} HTTP/1.1\r\n${linesOf(fields)}` };
}

interface Sending {
  readonly timeoutMs: number;
  readonly waits: Waits;
  readonly running: Set<Exchange>;
}

async function sendOne(
  exchange: Exchange,
  { timeoutMs, waits, running }: Sending,
): Promise<Omit<Attempt, "latencyMs">> {
  running.add(exchange);
  const giveUp = waits.start(() => exchange.abort(`no whole answer within ${timeoutMs / 1000} s`));
  try {
    const { status, body, retryAfter } = await Promise.race([exchange.run(), exchange.aborted]);
    const isDelivered = status >= 200 && status < 300;
    return {
      status,
      error: isDelivered ? null : `HTTP ${status}`,
      response: decoder.decode(body.subarray(0, RESPONSE_BYTES_KEPT)),
      retryAfter,
    };
  } catch (error) {
    exchange.abort("it failed");
    return failed(exchange.status, messageOf(error));
  } finally {
    running.delete(exchange);
    giveUp();
  }
}

/** One request and its answer. Retries once if a kept connection turns out to be closed. */
class Exchange {
  readonly #aborting = Promise.withResolvers<never>();
  #reason: Error | undefined;
  #opening: AbortController | undefined;
  #held: Held | undefined;
  /** Set once an answer has begun. */
  status: number | null = null;

  constructor(
    readonly target: AllowedTarget,
    readonly request: WebhookRequest,
    readonly connections: Connections,
  ) {
    this.#aborting.promise.catch(() => {});
  }

  /** Rejects when the exchange is aborted, whatever it is doing. */
  get aborted(): Promise<never> {
    return this.#aborting.promise;
  }

  abort(reason: string): void {
    this.#reason ??= new Error(reason);
    this.#aborting.reject(this.#reason);
    this.#opening?.abort(this.#reason);
    if (this.#held) closeQuietly(this.#held.connection);
  }

  async run(): Promise<HttpAnswer> {
    const { url } = this.target;
    const kept = this.connections.reuse(url);
    const answer = kept && await this.#over(kept);
    if (answer) return answer;
    this.#opening = new AbortController();
    const { signal } = this.#opening;
    const fresh = await this.connections.open(url, { owner: this.request.owner, signal });
    return (await this.#over(fresh))!;
  }

  /** Undefined if a kept connection turned out to be closed. */
  async #over(held: Held): Promise<HttpAnswer | undefined> {
    this.#held = held;
    const reader = new AnswerReader(held.connection, held.buffer);
    try {
      if (this.#reason) throw this.#reason;
      await writeAll(held.connection, requestBytes(held.buffer, this));
      const onStatus = (status: number) => void (this.status = status);
      const answer = await reader.read({ bodyBytesMax: BODY_BYTES_MAX, onStatus });
      this.#held = undefined;
      if (answer.isReusable) this.connections.keep(this.target.url, held);
      else closeQuietly(held.connection);
      return answer;
    } catch (error) {
      closeQuietly(held.connection);
      if (held.isUsed && !reader.hasBegun && !this.#reason) return undefined;
      throw error;
    }
  }
}

/** Uses the connection's own buffer, which is free until something is read. */
function requestBytes(
  buffer: Uint8Array,
  { target, request: { headers, body } }: Pick<Exchange, "target" | "request">,
): Uint8Array {
  const head = `${target.head}content-length: ${body.length}\r\n${linesOf(headers)}\r\n`;
  if (head.length * UTF8_BYTES_MAX + body.length > buffer.length) return joined([utf8(head), body]);
  const { written } = encoder.encodeInto(head, buffer);
  buffer.set(body, written);
  return buffer.subarray(0, written + body.length);
}

function linesOf(fields: Readonly<Record<string, string>>): string {
  let lines = "";
  for (const name in fields) lines += `${name}: ${fields[name]}\r\n`;
  return lines;
}

async function writeAll(
  connection: { write(bytes: Uint8Array): Promise<number> },
  bytes: Uint8Array,
): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

function failed(status: number | null, error: string): Omit<Attempt, "latencyMs"> {
  return { status, error, response: null, retryAfter: null };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
