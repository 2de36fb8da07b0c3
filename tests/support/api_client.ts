import { createHash, createHmac } from "node:crypto";
import { assertDescribed } from "./api/described.ts";

export interface ApiReply {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
  readonly headers: Headers;
}

export interface ApiClient {
  get(target: string): Promise<ApiReply>;
  post(target: string, body: unknown): Promise<ApiReply>;
  send(request: SignedCall): Promise<ApiReply>;
}

export interface SignedCall {
  readonly method: string;
  readonly target: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly timestamp?: string;
  readonly headers?: Record<string, string>;
}

export interface Credentials {
  readonly keyId: string;
  readonly secret: string;
}

/** Signs as in the spec's section 5, with a different library than the gateway. */
export function apiClient(baseUrl: string, credentials: Credentials): ApiClient {
  const signedAt = new Map<string, number>();
  /** In the same second, an equal write would have an equal signature, and be refused as a copy. */
  const newTimestamp = ({ method, target, body }: SignedCall): string => {
    const same = `${method} ${target} ${body}`;
    const at = Math.max(Math.floor(Date.now() / 1000), (signedAt.get(same) ?? 0) + 1);
    if (method !== "GET") signedAt.set(same, at);
    return String(at);
  };
  const send = async (asked: SignedCall): Promise<ApiReply> => {
    const call = { ...asked, timestamp: asked.timestamp ?? newTimestamp(asked) };
    const reply = await fetch(`${baseUrl}${call.target}`, {
      method: call.method,
      headers: { ...signedHeaders(credentials, call), ...call.headers },
      ...(call.body === undefined ? {} : { body: call.body }),
      redirect: "manual",
    });
    const text = await reply.text();
    const { status, headers } = reply;
    const body = text === "" ? undefined : JSON.parse(text);
    if (call.target.startsWith("/v1/")) assertDescribed({ ...call, status, body });
    return { status, body, headers };
  };
  return {
    send,
    get: (target) => send({ method: "GET", target }),
    post: (target, body) =>
      send({
        method: "POST",
        target,
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
  };
}

export function signedHeaders(
  { keyId, secret }: Credentials,
  { method, target, body = "", timestamp = String(Math.floor(Date.now() / 1000)) }: SignedCall,
): Record<string, string> {
  const [path, ...query] = target.split("?");
  const hash = createHash("sha256").update(body).digest("hex");
  const canonical = [timestamp, method, path, query.join("?"), hash].join("\n");
  return {
    "X-CPG-Key": keyId,
    "X-CPG-Timestamp": timestamp,
    "X-CPG-Signature": createHmac("sha256", secret).update(canonical).digest("hex"),
  };
}
