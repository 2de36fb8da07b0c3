import { type Bytes, randomBytes } from "../bytes.ts";

/** RFC 6238 as every authenticator app has it: SHA-1, six digits, half a minute. */
const STEP_MS = 30_000;
const DIGITS = 6;
const SECRET_BYTES = 20;
/** A clock may be one step off. */
const DRIFT_STEPS = 1;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** In base32, as apps take it. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(SECRET_BYTES));
}

export async function totpAt(secret: string, step: number): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    fromBase32(secret),
    { name: "HMAC", hash: "SHA-1" },
    false,
    ["sign"],
  );
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, counter));
  const number = mac.getUint32(mac.getUint8(19) & 15) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** The time step that the code is of, only later ones than `after`; undefined: none. */
export async function totpStep(
  code: string,
  { secret, nowMs, after }: { secret: string; nowMs: number; after: number },
): Promise<number | undefined> {
  const now = Math.floor(nowMs / STEP_MS);
  for (let step = now - DRIFT_STEPS; step <= now + DRIFT_STEPS; step++) {
    if (step > after && await totpAt(secret, step) === code) return step;
  }
  return undefined;
}

/** What an app reads from the QR code. */
export function totpUri(
  { secret, user, issuer }: { secret: string; user: string; issuer: string },
) {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(user)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

export function toBase32(bytes: Uint8Array): string {
  let [text, bits, held] = ["", 0, 0];
  for (const byte of bytes) {
    held = held << 8 | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[held >> bits - 5 & 31];
    held &= 0xff;
  }
  return bits === 0 ? text : text + ALPHABET[held << 5 - bits & 31];
}

export function fromBase32(text: string): Bytes {
  const bytes: number[] = [];
  let [bits, held] = [0, 0];
  for (const letter of text) {
    held = (held << 5 | ALPHABET.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(held >> bits & 0xff);
  }
  return new Uint8Array(bytes);
}
