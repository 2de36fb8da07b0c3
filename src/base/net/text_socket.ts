import { createHash } from "node:crypto";
import { joined, randomBytes, toBase64, utf8 } from "../bytes.ts";
import type { Clock } from "../clock.ts";
import { type Connection, connectTls } from "./tls.ts";

/**
 * The text messages of a WebSocket (RFC 6455). By hand, because the runtime's own keeps up to 64 MiB
 * of a message before anybody can refuse it, and the usual package wants to read the environment.
 */
export interface TextSocket {
  send(text: string): Promise<void>;
  /** The next message; null once the other side has closed. */
  receive(): Promise<string | null>;
  close(): void;
}

interface SocketOptions {
  readonly clock: Clock;
  /** Of one message. */
  readonly bytesMax: number;
  /** Of frames, also those that carry no message. */
  readonly perSecondMax: number;
  /** Closes it at any time. */
  readonly signal: AbortSignal;
}

/** The other side broke the protocol, or a limit of ours. */
export class SocketFault extends Error {
  override name = "SocketFault";
}

const HEADERS_BYTES_MAX = 16_384;
const CHUNK_BYTES = 16_384;
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const CONTINUATION = 0;
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const CONTROL_BYTES_MAX = 125;

export async function openTextSocket(url: string, options: SocketOptions): Promise<TextSocket> {
  const target = new URL(url);
  const conn = await dial(target, options.signal);
  const socket = new Socket(conn, options);
  try {
    await socket.upgrade(target);
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}

async function dial({ protocol, hostname, port }: URL, signal: AbortSignal): Promise<Connection> {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol === "ws:") {
    return await Deno.connect({ hostname: host, port: Number(port) || 80, signal });
  }
  const at = { address: host, port: Number(port) || 443, host };
  return await connectTls({ ...at, caCerts: [], signal });
}

interface Frame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly payload: Uint8Array;
}

class Socket implements TextSocket {
  readonly #conn: Connection;
  readonly #options: SocketOptions;
  readonly #close = () => this.close();
  #unread: Uint8Array = new Uint8Array();
  #isClosed = false;
  #second = { startMs: 0, frames: 0 };

  constructor(conn: Connection, options: SocketOptions) {
    this.#conn = conn;
    this.#options = options;
    options.signal.addEventListener("abort", this.#close, { once: true });
    if (options.signal.aborted) this.close();
  }

  async upgrade({ host, pathname, search, username, password }: URL): Promise<void> {
    const key = toBase64(randomBytes(16));
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const lines = [
      `GET ${pathname}${search} HTTP/1.1`,
      `Host: ${host}`,
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Key: ${key}`,
      "Sec-WebSocket-Version: 13",
      ...login === ":" ? [] : [`Authorization: Basic ${toBase64(utf8(login))}`],
    ];
    await this.#write(utf8(`${lines.join("\r\n")}\r\n\r\n`));
    const [status = "", ...headers] = (await this.#headers()).split("\r\n");
    if (!/^HTTP\/1\.1 101(?: |$)/.test(status)) {
      throw new SocketFault(`it opens no socket: ${status.slice(0, 100)}`);
    }
    const accepted = createHash("sha1").update(key + GUID).digest("base64");
    const answer = headers.find((line) => /^sec-websocket-accept:/i.test(line));
    if (answer?.slice(answer.indexOf(":") + 1).trim() !== accepted) {
      throw new SocketFault("it does not speak WebSocket");
    }
    if (headers.some((line) => /^sec-websocket-extensions:/i.test(line))) {
      throw new SocketFault("it uses extensions that it was not offered");
    }
  }

  async send(text: string): Promise<void> {
    await this.#sendFrame(TEXT, utf8(text));
  }

  async receive(): Promise<string | null> {
    const { bytesMax } = this.#options;
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for (;;) {
      const frame = await this.#frame();
      if (frame === null || frame.opcode === CLOSE) return null;
      if (frame.opcode === PING) await this.#sendFrame(PONG, frame.payload);
      if (frame.opcode === PING || frame.opcode === PONG) continue;
      const isNext = frame.opcode === (parts.length === 0 ? TEXT : CONTINUATION);
      if (!isNext) throw new SocketFault("it sends other messages than text");
      bytes += frame.payload.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      parts.push(frame.payload);
      if (frame.isLast) return textOf(joined(parts));
    }
  }

  close(): void {
    this.#options.signal.removeEventListener("abort", this.#close);
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#conn.close();
    } catch (error) {
      // It broke before.
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }

  /** Null at the end, wherever it comes. */
  async #frame(): Promise<Frame | null> {
    const head = await this.#take(2);
    if (!head) return null;
    this.#countFrame();
    const [first = 0, second = 0] = head;
    const opcode = first & 0x0f;
    if ((first & 0x70) !== 0 || (second & 0x80) !== 0) {
      throw new SocketFault("it does not speak WebSocket");
    }
    const isControl = opcode >= CLOSE;
    const isLast = (first & 0x80) !== 0;
    const length = await this.#length(second & 0x7f);
    const bytesMax = isControl ? CONTROL_BYTES_MAX : this.#options.bytesMax;
    if (length === undefined) return null;
    if (length > bytesMax) throw tooLarge(bytesMax);
    const payload = await this.#take(length);
    return payload ? { opcode, isLast, payload } : null;
  }

  async #length(short: number): Promise<number | undefined> {
    if (short < 126) return short;
    const bytes = await this.#take(short === 126 ? 2 : 8);
    if (!bytes) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return short === 126 ? view.getUint16(0) : Number(view.getBigUint64(0));
  }

  #countFrame(): void {
    const nowMs = this.#options.clock.nowMs();
    const isSame = Math.abs(nowMs - this.#second.startMs) < 1_000;
    this.#second = isSame
      ? { ...this.#second, frames: this.#second.frames + 1 }
      : { startMs: nowMs, frames: 1 };
    const { perSecondMax } = this.#options;
    if (this.#second.frames > perSecondMax) {
      throw new SocketFault(`it sends more than ${perSecondMax} messages a second`);
    }
  }

  async #headers(): Promise<string> {
    for (;;) {
      const text = new TextDecoder("latin1").decode(this.#unread);
      const end = text.indexOf("\r\n\r\n");
      if (end >= 0) {
        this.#unread = this.#unread.slice(end + 4);
        return text.slice(0, end);
      }
      if (text.length > HEADERS_BYTES_MAX) throw new SocketFault("its headers are too large");
      if (!await this.#read()) throw new SocketFault("it closed the connection");
    }
  }

  async #take(count: number): Promise<Uint8Array | undefined> {
    while (this.#unread.length < count) if (!await this.#read()) return undefined;
    const taken = this.#unread.slice(0, count);
    this.#unread = this.#unread.slice(count);
    return taken;
  }

  async #read(): Promise<boolean> {
    const chunk = new Uint8Array(CHUNK_BYTES);
    const count = await this.#conn.read(chunk);
    if (count === null) return false;
    this.#unread = joined([this.#unread, chunk.subarray(0, count)]);
    return true;
  }

  async #sendFrame(opcode: number, payload: Uint8Array): Promise<void> {
    const { length } = payload;
    const mask = randomBytes(4);
    const head = length < 126
      ? [0x80 | opcode, 0x80 | length]
      : [0x80 | opcode, 0x80 | 126, length >> 8, length & 0xff];
    const masked = payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0));
    await this.#write(joined([new Uint8Array(head), mask, masked]));
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let sent = 0; sent < bytes.length;) {
      sent += await this.#conn.write(bytes.subarray(sent));
    }
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SocketFault("it sends what is no text", { cause });
  }
}

function tooLarge(bytesMax: number): SocketFault {
  return new SocketFault(`it sends more than ${bytesMax} bytes at once`);
}
