import { signedHeaders } from "../../support/api_client.ts";
import type { ApiReply, Credentials, SignedCall } from "../../support/api_client.ts";

interface RawRequest {
  readonly method: string;
  /** Sent as it is. */
  readonly target: string;
  /** Header lines in the order and the case in which they are sent. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | Uint8Array;
}

/** Speaks HTTP itself: nothing is normalised, encoded or reordered on the way. */
export async function rawRequest(url: string, request: RawRequest): Promise<ApiReply> {
  const { hostname, port, host } = new URL(url);
  const { method, target, headers, body } = request;
  const hasHost = headers.some(([name]) => name.toLowerCase() === "host");
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...hasHost ? [] : [`Host: ${host}`],
    "Connection: close",
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await writeAll(connection, new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`));
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  if (bytes) await writeAll(connection, bytes);
  return await readReply(connection, { hasBody: method !== "HEAD" });
}

export async function rawSigned(
  url: string,
  { credentials, call, signedTarget = call.target, extra = [] }: {
    credentials: Credentials;
    call: SignedCall;
    /** The target that is signed, if another one is sent. */
    signedTarget?: string;
    extra?: readonly (readonly [string, string])[];
  },
): Promise<ApiReply> {
  const { method, target, body } = call;
  const length = body === undefined ? [] : [["Content-Length", String(byteLength(body))] as const];
  const headers = [
    ...Object.entries(signedHeaders(credentials, { ...call, target: signedTarget })),
    ...length,
    ...extra,
  ];
  return await rawRequest(url, {
    method,
    target,
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === "string" ? new TextEncoder().encode(body).length : body.length;
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** Reads up to the reply's Content-Length: the server need not close the connection. */
async function readReply(
  connection: Deno.Conn,
  { hasBody }: { hasBody: boolean },
): Promise<ApiReply> {
  const chunk = new Uint8Array(65_536);
  let text = "";
  for (;;) {
    const reply = parseReply(text, hasBody);
    if (reply) return reply;
    const count = await connection.read(chunk);
    if (count === null) throw new Error(`The connection ended after: ${JSON.stringify(text)}`);
    // Every reply of the gateway is ASCII, so bytes are characters here.
    text += String.fromCharCode(...chunk.subarray(0, count));
  }
}

function parseReply(text: string, hasBody: boolean): ApiReply | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Headers(lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  }));
  const body = text.slice(end + 4);
  const length = hasBody ? Number(headers.get("content-length") ?? 0) : 0;
  if (body.length < length) return undefined;
  const isJson = hasBody && headers.get("content-type") === "application/json";
  return {
    status: Number(statusLine.split(" ")[1]),
    body: isJson ? JSON.parse(body) : body,
    headers,
  };
}
