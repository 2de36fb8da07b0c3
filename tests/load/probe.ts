/**
 * Somebody who must not notice the crowd: asks for /healthz and sends a signed ping, again and
 * again, and says how long the longest answer took whenever it is asked.
 */
import { obey } from "../bench/lines.ts";
import type { Credentials } from "../support/api_client.ts";
import { headOf } from "./drive.ts";

export interface ProbeOrder {
  readonly port: number;
  readonly key: Credentials;
}

/** The longest since the last order. */
export interface Waited {
  readonly healthMs: number;
  readonly pingMs: number;
}

const FROM = "203.0.113.8";
const PAUSE_MS = 5;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let longest = nothing();
/** The questions in progress. */
let asking: Promise<unknown> | undefined;

await obey<ProbeOrder>(async (order) => {
  await asking;
  const report: Waited = longest;
  longest = nothing();
  if (!asking) void watch(order);
  return report;
});
Deno.exit();

function nothing() {
  return { healthMs: 0, pingMs: 0 };
}

async function watch({ port, key }: ProbeOrder): Promise<void> {
  const buffer = new Uint8Array(4_096);
  const ask = async (head: string) => {
    const startedAtMs = performance.now();
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(encoder.encode(head));
    let text = "";
    for (let count; (count = await connection.read(buffer)) !== null;) {
      text += decoder.decode(buffer.subarray(0, count));
    }
    if (!text.startsWith("HTTP/1.1 200")) throw new Error(`The probe was answered: ${text}`);
    return performance.now() - startedAtMs;
  };
  const healthz = headOf({ target: "/healthz", from: FROM }, port);
  const askBoth = async () => {
    longest.healthMs = Math.max(longest.healthMs, await ask(healthz));
    const ping = headOf({ target: "/v1/_ping", key, from: FROM }, port);
    longest.pingMs = Math.max(longest.pingMs, await ask(ping));
  };
  for (;;) {
    await (asking = askBoth());
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
