/** What the gateway signs and what it is signed with (spec 5.2). */
interface Signed {
  readonly method: string;
  readonly path: string;
  /** Without its question mark, in the order in which it is sent. */
  readonly query: string;
  readonly body: string;
  readonly timestampS: number;
}

const encoder = new TextEncoder();

export function importSecret(secret: string): Promise<CryptoKey> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", encoder.encode(secret), hmac, false, ["sign"]);
}

export async function signatureOf(key: CryptoKey, request: Signed): Promise<string> {
  const { method, path, query, body, timestampS } = request;
  const hash = hex(await crypto.subtle.digest("SHA-256", encoder.encode(body)));
  const canonical = [timestampS, method, path, query, hash].join("\n");
  return hex(await crypto.subtle.sign("HMAC", key, encoder.encode(canonical)));
}

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
