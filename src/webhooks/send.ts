import { lookup } from "node:dns/promises";
import { utf8 } from "../base/bytes.ts";
import { deadlineIn, OutOfTime } from "../base/deadline.ts";
import { AnswerReader, type HttpAnswer } from "./_answer.ts";
import { closeQuietly, Connections, type Held, type Resolve } from "./_connections.ts";
import { refusedUrl } from "./allowed_target.ts";

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Attempt {
  /** Null where no answer came. */
  readonly status: number | null;
  /** Why it does not count as delivered; null: it does. */
  readonly error: string | null;
  /** The beginning of the answer's body. */
  readonly response: string | null;
  readonly retryAfter: string | null;
  readonly latencyMs: number;
}

export interface WebhookSender {
  /** Why nothing may be sent there; undefined: it may, if its address is allowed then. */
  refusalOf(url: string): string | undefined;
  /** Never throws: what went wrong is the attempt's error. */
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

/** POSTs with a limit on everything: who is asked, how long it takes, how much is read. */
export function createSender(options: SenderOptions): WebhookSender {
  const { isPrivateAllowed, resolve = resolveBySystem, caCerts = [] } = options;
  const connections = new Connections({ isPrivateAllowed, resolve, caCerts });
  const running = new Set<Exchange>();
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const refusalOf = (url: string) => refusedUrl(url, { isPrivateAllowed });
  return {
    refusalOf,
    send: async (request) => {
      const startedAtMs = performance.now();
      const attempt = await sendWithin(timeoutMs, { request, connections, refusalOf, running });
      return { ...attempt, latencyMs: Math.round(performance.now() - startedAtMs) };
    },
    close: () => {
      for (const exchange of running) exchange.abort();
      connections.close();
    },
  };
}

interface Sending {
  readonly running: Set<Exchange>;
  readonly request: WebhookRequest;
  readonly connections: Connections;
  refusalOf(url: string): string | undefined;
}

async function sendWithin(
  timeoutMs: number,
  { request, connections, refusalOf, running }: Sending,
): Promise<Omit<Attempt, "latencyMs">> {
  const refusal = refusalOf(request.url);
  if (refusal !== undefined) return failed(null, `not sent: ${refusal}`);
  const exchange = new Exchange(request, connections);
  running.add(exchange);
  const deadline = deadlineIn(timeoutMs);
  try {
    const { status, body, retryAfter } = await deadline.race(exchange.run());
    const isDelivered = status >= 200 && status < 300;
    return {
      status,
      error: isDelivered ? null : `HTTP ${status}`,
      response: new TextDecoder().decode(body.subarray(0, RESPONSE_BYTES_KEPT)),
      retryAfter,
    };
  } catch (error) {
    exchange.abort();
    const text = error instanceof OutOfTime ? `no whole answer within ${timeoutMs / 1000} s` : "";
    return failed(exchange.status, text || messageOf(error));
  } finally {
    running.delete(exchange);
    deadline.cancel();
  }
}

/** One request and its answer; a connection that was kept open too long is replaced once. */
class Exchange {
  readonly #url: URL;
  readonly #aborting = new AbortController();
  #held: Held | undefined;
  /** Of an answer that has begun. */
  status: number | null = null;

  constructor(readonly request: WebhookRequest, readonly connections: Connections) {
    this.#url = new URL(request.url);
  }

  abort(): void {
    this.#aborting.abort(new Error("it took too long"));
    if (this.#held) closeQuietly(this.#held.connection);
  }

  async run(): Promise<HttpAnswer> {
    const kept = this.connections.reuse(this.#url);
    const answer = kept && await this.#over(kept);
    if (answer) return answer;
    const fresh = await this.connections.open(this.#url, this.#aborting.signal);
    return (await this.#over(fresh))!;
  }

  /** Undefined: a connection that was kept open turned out to be closed. */
  async #over(held: Held): Promise<HttpAnswer | undefined> {
    this.#held = held;
    const reader = new AnswerReader(held.connection);
    try {
      if (this.#aborting.signal.aborted) throw this.#aborting.signal.reason;
      await writeAll(held.connection, requestBytes(this.#url, this.request));
      const onStatus = (status: number) => void (this.status = status);
      const answer = await reader.read({ bodyBytesMax: BODY_BYTES_MAX, onStatus });
      this.#held = undefined;
      if (answer.isReusable) this.connections.keep(this.#url, held);
      else closeQuietly(held.connection);
      return answer;
    } catch (error) {
      closeQuietly(held.connection);
      if (held.isUsed && !reader.hasBegun && !this.#aborting.signal.aborted) return undefined;
      throw error;
    }
  }
}

function requestBytes(url: URL, { headers, body }: WebhookRequest): Uint8Array {
  const bytes = utf8(body);
  const fields = {
    host: url.host,
    "content-type": "application/json",
    "content-length": String(bytes.length),
    "user-agent": "CPG-Webhooks/1",
    accept: "*/*",
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = utf8(`POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines}\r\n`);
  const all = new Uint8Array(head.length + bytes.length);
  all.set(head);
  all.set(bytes, head.length);
  return all;
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

async function resolveBySystem(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
