import { Buffer } from "node:buffer";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export interface Access {
  readonly url: string;
  readonly key: string;
  readonly secret: string;
}

export interface Answer {
  readonly status: number;
  readonly success: boolean;
  // deno-lint-ignore no-explicit-any -- docs/api.md describes it for each endpoint
  readonly data: any;
  readonly message?: string;
  readonly error?: { readonly code: string; readonly request_id: string };
}

/** Signs a request and sends it. */
export async function callCpg(
  { url, key, secret }: Access,
  { method, target, body }: { method: "GET" | "POST"; target: string; body?: unknown },
): Promise<Answer> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const timestamp = Math.floor(Date.now() / 1000).toString();
  const [path, ...query] = target.split("?");
  const hash = createHash("sha256").update(text).digest("hex");
  const lines = [timestamp, method, path, query.join("?"), hash].join("\n");
  const response = await fetch(url + target, {
    method,
    headers: {
      "Content-Type": "application/json",
      "X-CPG-Key": key,
      "X-CPG-Timestamp": timestamp,
      "X-CPG-Signature": createHmac("sha256", secret).update(lines).digest("hex"),
    },
    ...text === "" ? {} : { body: text },
  });
  return { status: response.status, ...await response.json() };
}

export interface WithdrawalOrder {
  readonly network: string;
  readonly currency: string;
  readonly to_address: string;
  readonly amount: string;
  readonly client_reference: string;
}

const UNCLEAR = [429, 500, 503];
const TRIES_MAX = 5;

/** Safe to repeat: the same client_reference is never paid twice. */
export async function withdraw(access: Access, order: WithdrawalOrder): Promise<Answer> {
  const request = { method: "POST", target: "/v1/withdrawals", body: order } as const;
  for (let tries = 1;; tries++) {
    try {
      const answer = await callCpg(access, request);
      if (!UNCLEAR.includes(answer.status) || tries === TRIES_MAX) return answer;
    } catch (error) {
      // Nobody knows whether the request arrived: ask again with the same reference.
      if (tries === TRIES_MAX) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** tries));
  }
}

const TOLERANCE_S = 300;

/** `body` must be the raw bytes as received: JSON that was parsed and printed again doesn't match. */
export function isGenuineWebhook(
  secret: string,
  { headers, body }: { headers: Record<string, string | undefined>; body: string },
): boolean {
  const timestamp = headers["webhook-timestamp"];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < TOLERANCE_S)) return false;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  if (key.length === 0) return false;
  const text = `${headers["webhook-id"]}.${timestamp}.${body}`;
  const expected = createHmac("sha256", key).update(text).digest();
  return (headers["webhook-signature"] ?? "").split(" ").some((part) => {
    const given = Buffer.from(part.replace(/^v1,/, ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
