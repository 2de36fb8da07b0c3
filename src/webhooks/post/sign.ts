import { type Bytes, fromBase64, randomBytes, toBase64, utf8 } from "../../base/bytes.ts";
import { importHmacKey } from "../../base/secrets/crypto.ts";
import { present } from "../../base/assert.ts";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

interface Message {
  /** ASCII only. */
  readonly id: string;
  readonly body: string;
}

export function newSecret(): string {
  return PREFIX + toBase64(randomBytes(SECRET_BYTES));
}

export function signingKey(secret: string): Promise<CryptoKey> {
  const bytes: Bytes | undefined = fromBase64(secret.slice(PREFIX.length));
  return importHmacKey(present(bytes, "A webhook secret is base64"));
}

/** The three headers of Standard Webhooks, and the body they sign. With two keys, either verifies. */
export async function signed(
  { id, body: text }: Message,
  { keys, atMs }: { keys: readonly CryptoKey[]; atMs: number },
): Promise<{ headers: Record<string, string>; body: Bytes }> {
  const timestamp = String(Math.floor(atMs / 1000));
  const before = `${id}.${timestamp}.`;
  // Encoded once: the signed message ends with the body.
  const message = utf8(before + text);
  const all = await Promise.all(keys.map((key) => crypto.subtle.sign("HMAC", key, message)));
  const signatures = all.map((signature) => `v1,${toBase64(new Uint8Array(signature))}`);
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
  return { headers, body: message.subarray(before.length) };
}
