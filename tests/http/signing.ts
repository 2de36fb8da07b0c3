import { createHash, createHmac } from "node:crypto";

export const EMPTY_BODY_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

export function sha256Hex(body: string | Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}

export function hmacHex(secret: string | Uint8Array, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}
