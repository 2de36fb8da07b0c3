/** Reads one HTTP/1.1 answer from a connection, and never more than needed. */
import { joined } from "../../base/bytes.ts";

interface ByteSource {
  read(into: Uint8Array): Promise<number | null>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  /** The body, or its beginning if it is longer than needed. */
  readonly body: Uint8Array;
  /** Its end was announced, and it arrived. */
  readonly isWhole: boolean;
  /** Read to its end, and the other side keeps the connection open. */
  readonly isReusable: boolean;
}

const HEAD_BYTES_MAX = 32 * 1024;
const LINE_BYTES_MAX = 1024;
/** Includes lines between and after chunks, which could be endless. */
const ANSWER_BYTES_MAX = 512 * 1024;
const INTERIM_MAX = 10;
const HEAD_END = new Uint8Array([13, 10, 13, 10]);
const LINE_END = new Uint8Array([13, 10]);
const latin1 = new TextDecoder("latin1");
const CONNECTION = /\r\nconnection:([^\r]*)/i;
const CONTENT_LENGTH = /\r\ncontent-length:([^\r]*)/i;
const RETRY_AFTER = /\r\nretry-after:([^\r]*)/i;
const TRANSFER_ENCODING = /\r\ntransfer-encoding:([^\r]*)/i;
const CLOSED = "the connection was closed before the answer's end";

interface Head {
  readonly status: number;
  readonly isHttp11: boolean;
  readonly text: string;
}

export class AnswerReader {
  #buffer = new Uint8Array(0);
  #searchedTo = 0;
  #bytesRead = 0;

  /** Bytes are read into `chunk` and copied out of it. */
  constructor(readonly source: ByteSource, readonly chunk: Uint8Array<ArrayBuffer>) {}

  /** Part of an answer has arrived. */
  hasBegun = false;

  async read({ bodyBytesMax, onStatus }: {
    bodyBytesMax: number;
    onStatus(status: number): void;
  }): Promise<HttpAnswer> {
    if (!await this.#more()) throw new Error(CLOSED);
    const head = await this.#head();
    onStatus(head.status);
    const body = await this.#body(head, bodyBytesMax);
    const isKept = head.isHttp11 && !/\bclose\b/i.test(fieldOf(head, CONNECTION) ?? "");
    return {
      status: head.status,
      retryAfter: fieldOf(head, RETRY_AFTER),
      body: body.bytes,
      isWhole: body.isWhole,
      isReusable: isKept && body.isWhole && this.#buffer.length === 0,
    };
  }

  async #head(): Promise<Head> {
    for (let interim = 0; interim <= INTERIM_MAX; interim++) {
      const bytes = this.#cut(HEAD_END, HEAD_BYTES_MAX) ??
        await this.#until(HEAD_END, HEAD_BYTES_MAX);
      const text = latin1.decode(bytes);
      const match = /^HTTP\/1\.([01]) (\d{3})(?: |\r|$)/.exec(text);
      if (!match) throw new Error("the answer is not HTTP/1.1");
      const status = Number(match[2]);
      if (status >= 200) return { status, isHttp11: match[1] === "1", text };
    }
    throw new Error("the answer never comes to its point");
  }

  async #body(head: Head, max: number): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
    if (head.status === 204 || head.status === 304) {
      return { bytes: new Uint8Array(0), isWhole: true };
    }
    if (/\bchunked\b/i.test(fieldOf(head, TRANSFER_ENCODING) ?? "")) return await this.#chunks(max);
    const length = fieldOf(head, CONTENT_LENGTH);
    if (length === null) return await this.#toTheEnd(max);
    if (!/^\d{1,15}$/.test(length)) throw new Error("the answer has no sensible length");
    const bytes = await this.#take(Math.min(Number(length), max));
    return { bytes, isWhole: Number(length) <= max };
  }

  async #chunks(max: number) {
    const parts: Uint8Array[] = [];
    let size = 0;
    while (size < max) {
      const line = latin1.decode(await this.#until(LINE_END, LINE_BYTES_MAX));
      const match = /^([0-9a-f]{1,8})\s*(;|$)/i.exec(line);
      if (!match) throw new Error("the answer's chunks are broken");
      const length = parseInt(match[1]!, 16);
      if (length === 0) {
        while ((await this.#until(LINE_END, LINE_BYTES_MAX)).length > 0);
        return { bytes: joined(parts), isWhole: true };
      }
      const wanted = Math.min(length, max - size);
      parts.push(await this.#take(wanted));
      size += wanted;
      if (wanted === length) await this.#until(LINE_END, LINE_BYTES_MAX);
    }
    return { bytes: joined(parts), isWhole: false };
  }

  async #toTheEnd(max: number) {
    while (this.#buffer.length < max && await this.#more());
    return { bytes: this.#buffer.subarray(0, max), isWhole: false };
  }

  async #until(wanted: Uint8Array, max: number): Promise<Uint8Array> {
    for (;;) {
      const found = this.#cut(wanted, max);
      if (found) return found;
      await this.#moreOrThrow();
    }
  }

  /** Everything before `wanted`, if it has arrived. */
  #cut(wanted: Uint8Array, max: number): Uint8Array | undefined {
    const at = indexOf(this.#buffer, { wanted, from: this.#searchedTo });
    if (at < 0) {
      if (this.#buffer.length > max) throw new Error("a line of the answer is too long");
      this.#searchedTo = Math.max(0, this.#buffer.length - wanted.length);
      return undefined;
    }
    this.#searchedTo = 0;
    const found = this.#buffer.subarray(0, at);
    this.#buffer = this.#buffer.subarray(at + wanted.length);
    return found;
  }

  async #take(length: number): Promise<Uint8Array> {
    while (this.#buffer.length < length) await this.#moreOrThrow();
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return taken;
  }

  async #moreOrThrow(): Promise<void> {
    if (!await this.#more()) throw new Error(CLOSED);
  }

  async #more(): Promise<boolean> {
    const count = await this.source.read(this.chunk);
    if (!count) return false;
    this.hasBegun = true;
    this.#bytesRead += count;
    if (this.#bytesRead > ANSWER_BYTES_MAX) throw new Error("the answer does not end");
    const read = this.chunk.subarray(0, count);
    this.#buffer = this.#buffer.length === 0 ? read.slice() : joined([this.#buffer, read]);
    return true;
  }
}

function fieldOf({ text }: Head, field: RegExp): string | null {
  const match = field.exec(text);
  return match?.[1]?.trim() ?? null;
}

function indexOf(
  bytes: Uint8Array,
  { wanted, from }: { wanted: Uint8Array; from: number },
): number {
  for (let at = bytes.indexOf(wanted[0]!, from); at >= 0; at = bytes.indexOf(wanted[0]!, at + 1)) {
    let same = 1;
    while (same < wanted.length && bytes[at + same] === wanted[same]) same++;
    if (same === wanted.length) return at;
  }
  return -1;
}
