const TOKENS_PER_DRAW = 256;
const encoder = new TextEncoder();

/** Bytes over a plain buffer, which Web Crypto requires. */
export type Bytes = Uint8Array<ArrayBuffer>;

export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

export function joined(parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * Each part costs as much as some kilobytes, so beyond the first ones they must have this size on
 * average.
 */
const SMALL_PARTS_MAX = 512;
const PART_BYTES_MIN = 512;

/** Everything, or undefined once it exceeds the limit or comes in too many tiny parts. */
export async function readAtMost(
  stream: ReadableStream<Bytes>,
  bytesMax: number,
): Promise<Bytes | undefined> {
  const parts: Bytes[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > bytesMax || parts.length >= SMALL_PARTS_MAX + size / PART_BYTES_MIN) {
      return undefined;
    }
    // Decompressed parts are small views of large buffers.
    parts.push(2 * part.length < part.buffer.byteLength ? part.slice() : part);
  }
  return joined(parts);
}

export function toHex(bytes: Uint8Array): string {
  return bytes.toHex();
}

/** Undefined unless the text is whole hex bytes. */
export function fromHex(text: string): Bytes | undefined {
  return decoded(() => Uint8Array.fromHex(text));
}

export function toBase64(bytes: Uint8Array): string {
  return bytes.toBase64();
}

/** Undefined unless the text is base64. */
export function fromBase64(text: string): Bytes | undefined {
  return decoded(() => Uint8Array.fromBase64(text));
}

function decoded(decode: () => Bytes): Bytes | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function toBase64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Undefined unless the text is base64url. */
export function fromBase64Url(text: string): Bytes | undefined {
  return decoded(() => Uint8Array.fromBase64(text, { alphabet: "base64url" }));
}

export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** URL-safe letters and digits with `bytes` bytes of randomness. */
export function randomToken(bytes: number): string {
  return toBase64Url(randomBytes(bytes));
}

/**
 * For tokens that only need to be unique. Draws for many at once, because drawing is the expensive
 * part.
 */
export function tokenSource(bytes: number): () => string {
  const length = Math.ceil(bytes * 8 / 6);
  let drawn = "";
  let used = 0;
  return () => {
    if (used + length > drawn.length) {
      drawn = randomToken(bytes * TOKENS_PER_DRAW);
      used = 0;
    }
    return drawn.slice(used, used += length);
  };
}
