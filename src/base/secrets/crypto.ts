import { hash, timingSafeEqual } from "node:crypto";
import { type Bytes, randomBytes, toHex, utf8 } from "../bytes.ts";

const HMAC = { name: "HMAC", hash: "SHA-256" };
const NONCE_BYTES = 12;
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const SIGNATURE_BYTES = new Uint8Array(32);
const MESSAGE_BYTES = new Uint8Array(8 * 1024);
const encoder = new TextEncoder();

/** At once: it is a few kilobytes, and handing them to another thread takes longer. */
export function sha256Hex(content: Bytes | string): string {
  return content.length === 0 ? EMPTY_SHA256 : hash("sha256", content);
}

/** In constant time, whatever the lengths. */
export function isSameSecret(given: string, expected: string): boolean {
  const hashed = (text: string) => utf8(hash("sha256", text));
  return timingSafeEqual(hashed(given), hashed(expected));
}

export function importHmacKey(secret: Bytes): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", secret, HMAC, false, ["sign", "verify"]);
}

export async function hmacHex(key: CryptoKey, message: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(message))));
}

interface Signed {
  readonly key: CryptoKey;
  readonly signature: string;
  readonly message: string;
}

interface Asked extends Signed {
  resolve(isRight: boolean): void;
  reject(error: unknown): void;
}

/** Web Crypto wakes a thread per call; verified together, only the first of many pays for that. */
export class Signatures {
  #asked: Asked[] = [];

  isRight({ key, signature, message }: Signed): Promise<boolean> {
    if (this.#asked.length === 0) setImmediate(() => void this.#verifyAll());
    return new Promise((resolve, reject) =>
      this.#asked.push({ key, signature, message, resolve, reject })
    );
  }

  /** Answered together too, so that what follows is asked of the database together. */
  async #verifyAll(): Promise<void> {
    const all = this.#asked;
    this.#asked = [];
    try {
      const answers = await Promise.all(all.map(verify));
      all.forEach(({ resolve }, i) => resolve(answers[i]!));
    } catch (error) {
      for (const { reject } of all) reject(error);
    }
  }
}

/** Compares in constant time. A malformed signature takes as long as a wrong one. */
function verify({ key, signature, message }: Signed): Promise<boolean> {
  const isWhole = signature.length === SIGNATURE_BYTES.length * 2 &&
    isHexInto(SIGNATURE_BYTES, signature);
  const isRight = crypto.subtle.verify("HMAC", key, SIGNATURE_BYTES, messageBytes(message));
  return isWhole ? isRight : isRight.then(() => false);
}

/** Web Crypto copies its input before it returns, so one buffer serves all calls. */
function messageBytes(message: string): Bytes {
  if (message.length * 3 > MESSAGE_BYTES.length) return utf8(message);
  return MESSAGE_BYTES.subarray(0, encoder.encodeInto(message, MESSAGE_BYTES).written);
}

function isHexInto(bytes: Bytes, hex: string): boolean {
  try {
    bytes.setFromHex(hex);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** A key for one purpose, so that a text sealed for one use can't be opened as another. */
export async function deriveSealingKey(masterKey: Bytes, purpose: string): Promise<CryptoKey> {
  const root = await crypto.subtle.importKey("raw", masterKey, "HKDF", false, ["deriveKey"]);
  return await crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8(purpose) },
    root,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

/** AES-256-GCM. `context` is authenticated, so a sealed text opens only in its own row. */
export async function seal(key: CryptoKey, plain: Bytes, context: string): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES);
  const sealed = await crypto.subtle.encrypt(gcm(nonce, context), key, plain);
  return `v1.${nonce.toBase64()}.${new Uint8Array(sealed).toBase64()}`;
}

/** Undefined if key or context differ or the text was changed. */
export async function unseal(
  key: CryptoKey,
  text: string,
  context: string,
): Promise<Bytes | undefined> {
  const [version, nonce, sealed, ...rest] = text.split(".");
  if (version !== "v1" || !nonce || !sealed || rest.length > 0) return undefined;
  try {
    const params = gcm(Uint8Array.fromBase64(nonce), context);
    return new Uint8Array(await crypto.subtle.decrypt(params, key, Uint8Array.fromBase64(sealed)));
  } catch (error) {
    if (error instanceof DOMException || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function gcm(nonce: Bytes, context: string): AesGcmParams {
  return { name: "AES-GCM", iv: nonce, additionalData: utf8(context) };
}
