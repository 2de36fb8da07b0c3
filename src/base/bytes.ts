const encoder = new TextEncoder();
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Bytes over a plain buffer, as Web Crypto wants them. */
export type Bytes = Uint8Array<ArrayBuffer>;

export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** Undefined unless the text is whole hex bytes. */
export function fromHex(text: string): Bytes | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

export function toBase64(bytes: Uint8Array): string {
  return bytes.toBase64();
}

/** Undefined unless the text is base64. */
export function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** URL-safe letters and digits with `bytes` bytes of randomness. */
export function randomToken(bytes: number): string {
  return randomBytes(bytes).toBase64({ alphabet: "base64url", omitPadding: true });
}
