/** A crowd in a process of its own: many requests at once, each on a connection of its own. */
import { createHash, createHmac } from "node:crypto";
import { obey } from "../bench/lines.ts";
import type { Credentials } from "../support/api_client.ts";

export interface Volley {
  readonly port: number;
  /** Each is sent once, all at the same time. */
  readonly requests: readonly Asked[];
  /** Answers that take longer are given up, and streams end then. */
  readonly seconds: number;
}

export interface Asked {
  readonly target: string;
  readonly accept?: string;
  readonly cookie?: string;
  readonly key?: Credentials;
  /** Of a POST. */
  readonly body?: string;
  /** Where it comes from, says the proxy. */
  readonly from?: string;
}

export interface Answers {
  /** How many there were, by their status; 0: cut off. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly bytes: number;
  readonly ms: number;
}

const CROWD = "203.0.113.7";
const BUFFER_BYTES = 65_536;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

if (import.meta.main) await obey(send);

async function send({ port, requests, seconds }: Volley): Promise<Answers> {
  const heads = requests.map((asked) => encoder.encode(headOf(asked, port)));
  const open = new Set<Deno.Conn>();
  const statuses: Record<string, number> = {};
  let bytes = 0;
  const startedAt = performance.now();
  const timer = setTimeout(() => {
    for (const connection of open) connection.close();
  }, seconds * 1_000);
  await Promise.all(heads.map(async (head) => {
    let status = "0";
    try {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port });
      open.add(connection);
      const buffer = new Uint8Array(BUFFER_BYTES);
      await connection.write(head);
      for (let count; (count = await connection.read(buffer)) !== null; bytes += count) {
        if (status === "0") status = decoder.decode(buffer.subarray(9, 12));
      }
      open.delete(connection);
      connection.close();
    } catch {
      // It was given up, or its connection was refused.
    }
    statuses[status] = (statuses[status] ?? 0) + 1;
  }));
  clearTimeout(timer);
  return { statuses, bytes, ms: performance.now() - startedAt };
}

/** With its body, if it has one. */
export function headOf(
  { target, accept, cookie, key, body, from = CROWD }: Asked,
  port: number,
): string {
  const method = body === undefined ? "GET" : "POST";
  const lines = [`${method} ${target} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Connection: close"];
  lines.push(`X-Forwarded-For: ${from}`);
  if (body !== undefined) lines.push(`Content-Length: ${encoder.encode(body).length}`);
  if (accept !== undefined) lines.push(`Accept: ${accept}`);
  if (cookie !== undefined) lines.push(`Cookie: ${cookie}`);
  if (key) {
    const timestamp = Math.floor(Date.now() / 1_000);
    const [path, ...query] = target.split("?");
    const hash = createHash("sha256").update(body ?? "").digest("hex");
    const signed = [timestamp, method, path, query.join("?"), hash].join("\n");
    const signature = createHmac("sha256", key.secret).update(signed).digest("hex");
    lines.push(`X-CPG-Key: ${key.keyId}`, `X-CPG-Timestamp: ${timestamp}`);
    lines.push(`X-CPG-Signature: ${signature}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n${body ?? ""}`;
}
