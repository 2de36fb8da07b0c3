import { joined, utf8 } from "../../base/bytes.ts";
import { AnswerReader, type HttpAnswer } from "./_answer.ts";
import { closeQuietly } from "../../base/net/close_quietly.ts";
import { Connections, type Held } from "./_connections.ts";

export interface WebhookRequest {
  readonly url: string;
  /** The account whose webhook it is. */
  readonly owner: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Of the answer. */
  readonly bodyBytesMax?: number;
}

/** Shared by all requests to one target. */
export interface AllowedTarget {
  readonly url: URL;
  readonly head: string;
}

const BODY_BYTES_MAX = 16 * 1024;

/** The most bytes that one UTF-16 unit takes. */
const UTF8_BYTES_MAX = 3;

const encoder = new TextEncoder();

/** One request and its answer. Retries once if a kept connection turns out to be closed. */
export class Exchange {
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
      const { bodyBytesMax = BODY_BYTES_MAX } = this.request;
      const answer = await reader.read({ bodyBytesMax, onStatus });
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
  const length = body.length > 0 ? `content-length: ${body.length}\r\n` : "";
  const head = `${target.head}${length}${linesOf(headers)}\r\n`;
  if (head.length * UTF8_BYTES_MAX + body.length > buffer.length) return joined([utf8(head), body]);
  const { written } = encoder.encodeInto(head, buffer);
  buffer.set(body, written);
  return buffer.subarray(0, written + body.length);
}

export function linesOf(fields: Readonly<Record<string, string>>): string {
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
