import { WebhookError } from "./errors.ts";
import type { WebhookEvent } from "./events.ts";

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How far the sender's clock may be from ours; 300 seconds by default. */
  readonly toleranceS?: number;
  /** Also accepts sample events, which report no real money. */
  readonly acceptSamples?: boolean;
}

const PREFIX = "whsec_";
const encoder = new TextEncoder();

/**
 * The event of a webhook's request, if it is genuine; throws a WebhookError otherwise. `body` must
 * be the bytes as they came: JSON that was parsed and serialized again doesn't match.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderSource,
  secret: string,
  { toleranceS = 300, acceptSamples = false }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature").split(" ");
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceS)) {
    throw new WebhookError("The webhook is too old, or a clock is wrong");
  }
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const key = await importKey(secret);
  const message = encoder.encode(`${id}.${timestamp}.${text}`);
  const checks = signatures.map(async (signature) => {
    const bytes = signature.startsWith("v1,") ? fromBase64(signature.slice(3)) : undefined;
    return bytes !== undefined && await crypto.subtle.verify("HMAC", key, bytes, message);
  });
  if (!(await Promise.all(checks)).includes(true)) {
    throw new WebhookError("The webhook's signature is wrong");
  }
  const event: WebhookEvent & { readonly sample?: boolean } = JSON.parse(text);
  if (event.sample === true && !acceptSamples) throw new WebhookError("The webhook is a sample");
  return event;
}

function headerOf(headers: HeaderSource, name: string): string {
  const value = headers instanceof Headers
    ? headers.get(name)
    : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof value !== "string") throw new WebhookError(`The header ${name} is missing`);
  return value;
}

function importKey(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : undefined;
  if (!bytes) throw new WebhookError(`A webhook's secret begins with ${PREFIX}`);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "verify",
  ]);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
