import { type Bytes, fromBase64, joined, randomBytes, toBase64, utf8 } from "../base/bytes.ts";
import { importHmacKey } from "../base/crypto.ts";
import { present } from "../base/assert.ts";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

export interface Message {
  readonly id: string;
  readonly body: Bytes;
}

export function newSecret(): string {
  return PREFIX + toBase64(randomBytes(SECRET_BYTES));
}

export function signingKey(secret: string): Promise<CryptoKey> {
  const bytes: Bytes | undefined = fromBase64(secret.slice(PREFIX.length));
  return importHmacKey(present(bytes, "A webhook secret is base64"));
}

/** The three headers of Standard Webhooks; with two keys, either verifies. */
export async function signedHeaders(
  { id, body }: Message,
  { keys, atMs }: { keys: readonly CryptoKey[]; atMs: number },
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1000));
  const message = joined(utf8(`${id}.${timestamp}.`), body);
  const all = await Promise.all(keys.map((key) => crypto.subtle.sign("HMAC", key, message)));
  const signatures = all.map((signature) => `v1,${toBase64(new Uint8Array(signature))}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
