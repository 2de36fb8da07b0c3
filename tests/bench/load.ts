/**
 * A load generator in a process of its own: raw TCP, each request signed freshly, most of them just
 * before the clock starts, so that signing takes nothing from the server that is measured.
 */
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { obey } from "./lines.ts";

export interface LoadOrder {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Ends early after this many. */
  readonly requests?: number;
  readonly method: "GET" | "POST";
  readonly target: string;
  /** `#` becomes a different text in each request. */
  readonly body?: string;
  readonly cookie?: string;
  readonly key?: { readonly keyId: string; readonly secret: string };
  /**
   * Sends the same signed requests again and again, to a server that doesn't check signatures and
   * answers faster than we sign.
   */
  readonly isRepeated?: boolean;
}

export interface LoadReport {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers with another status than 200. */
  readonly failed: number;
}

const SIGNED_AHEAD_PER_SECOND = 40_000;
const SIGNED_AHEAD_MAX = 100_000;
const REQUESTS_PER_BUFFER = 1_000;
const EMPTY = sha256(new Uint8Array()).toHex();
const HEAD_END = "\r\n\r\n";
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const run = crypto.randomUUID().slice(0, 8);
const begun = new Map<string, ReturnType<typeof hmac.create>>();
let sent = 0;

if (import.meta.main) await obey(load);

async function load(order: LoadOrder): Promise<LoadReport> {
  const latencies: number[] = [];
  const ready = requestsAhead(order);
  let sentAgain = 0;
  const nextRequest = order.isRepeated
    ? () => ready[sentAgain++ % ready.length]!
    : () => ready.pop() ?? encoder.encode(request(order));
  let failed = 0;
  const startedAt = performance.now();
  const endAt = startedAt + order.seconds * 1_000;
  let left = order.requests ?? Infinity;
  await Promise.all(Array.from({ length: order.connections }, async () => {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: order.port });
    connection.setNoDelay(true);
    const buffer = new Uint8Array(65_536);
    while (performance.now() < endAt && left-- > 0) {
      const askedAt = performance.now();
      await writeAll(connection, nextRequest());
      const status = await readAnswer(connection, buffer);
      latencies.push(performance.now() - askedAt);
      if (status !== "200") failed++;
    }
  }));
  const seconds = (performance.now() - startedAt) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (part: number) => latencies[Math.floor((latencies.length - 1) * part)] ?? 0;
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    failed,
  };
}

function aheadOf({ seconds, requests = Infinity }: LoadOrder): number {
  return Math.min(requests, seconds * SIGNED_AHEAD_PER_SECOND, SIGNED_AHEAD_MAX);
}

/** Views of a few large buffers: freeing one for each would take a fifth of this program's time. */
function requestsAhead(order: LoadOrder): Uint8Array[] {
  const ready: Uint8Array[] = [];
  for (let left = aheadOf(order); left > 0; left -= REQUESTS_PER_BUFFER) {
    const texts = Array.from({ length: Math.min(left, REQUESTS_PER_BUFFER) }, () => request(order));
    const bytes = encoder.encode(texts.join(""));
    // ASCII, so its length is its number of bytes.
    let at = 0;
    for (const { length } of texts) ready.push(bytes.subarray(at, at += length));
  }
  return ready;
}

function request({ port, method, target, body: pattern, cookie, key }: LoadOrder): string {
  const body = pattern?.replaceAll("#", `${run}-${sent++}`) ?? "";
  let head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
  if (key) {
    const timestamp = Math.floor(Date.now() / 1_000);
    const mark = target.indexOf("?");
    const path = mark < 0 ? target : target.slice(0, mark);
    const query = mark < 0 ? "" : target.slice(mark + 1);
    const hash = body === "" ? EMPTY : sha256(encoder.encode(body)).toHex();
    const signed = `${timestamp}\n${method}\n${path}\n${query}\n${hash}`;
    const signature = keyed(key.secret).update(encoder.encode(signed)).digest().toHex();
    head += `X-CPG-Key: ${key.keyId}\r\nX-CPG-Timestamp: ${timestamp}\r\n` +
      `X-CPG-Signature: ${signature}\r\n`;
  }
  if (cookie !== undefined) head += `Cookie: ${cookie}\r\n`;
  if (body !== "") head += `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `${head}\r\n${body}`;
}

/** The key is imported once: time that the generator needs is lost to the server. */
function keyed(secret: string) {
  let start = begun.get(secret);
  if (!start) begun.set(secret, start = hmac.create(sha256, encoder.encode(secret)));
  return start.clone();
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** The status of an answer that has a Content-Length, once all of it has arrived. */
async function readAnswer(connection: Deno.Conn, buffer: Uint8Array): Promise<string> {
  let text = "";
  let received = 0;
  for (;;) {
    const count = await connection.read(buffer);
    if (count === null) throw new Error(`The server hung up after: ${text}`);
    received += count;
    // The head is ASCII, so its length is its number of bytes.
    text += decoder.decode(buffer.subarray(0, count));
    const end = text.indexOf(HEAD_END);
    if (end < 0) continue;
    const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
    if (length === undefined) throw new Error(`An answer without its length: ${text}`);
    if (received >= end + HEAD_END.length + Number(length)) return text.slice(9, 12);
  }
}
