import { createHmac } from "node:crypto";
import { base32nopad } from "@scure/base";
import { randomBytes } from "../bytes.ts";

/** RFC 6238 as authenticator apps implement it: SHA-1, six digits, half a minute. */
export const STEP_MS = 30_000;
const DIGITS = 6;
const SECRET_BYTES = 20;
/** A clock may be one step off. */
const DRIFT_STEPS = 1;

/** In base32, which apps expect. */
export function newTotpSecret(): string {
  return base32nopad.encode(randomBytes(SECRET_BYTES));
}

export function totpAt(secret: string, step: number): string {
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const mac = createHmac("sha1", base32nopad.decode(secret)).update(counter).digest();
  const number = mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** The code's time step if it is later than `after`; undefined if none matches. */
export function totpStep(
  code: string,
  { secret, nowMs, after }: { secret: string; nowMs: number; after: number },
): number | undefined {
  const now = Math.floor(nowMs / STEP_MS);
  for (let step = now - DRIFT_STEPS; step <= now + DRIFT_STEPS; step++) {
    if (step > after && totpAt(secret, step) === code) return step;
  }
  return undefined;
}

/** The content of the QR code for the app. */
export function totpUri(
  { secret, user, issuer }: { secret: string; user: string; issuer: string },
) {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(user)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}
