/**
 * Somebody who must not notice the crowd: asks for /healthz and sends a signed ping, again and again,
 * until it is asked what the worst wait was.
 */
import { obey } from "../bench/lines.ts";
import type { Credentials } from "../support/api_client.ts";
import { headOf } from "./drive.ts";

export interface ProbeOrder {
  readonly port: number;
  readonly pid: number;
  readonly key: Credentials;
}

/** The worst since the last order. */
export interface Waited {
  readonly healthMs: number;
  readonly pingMs: number;
  /**
   * What the gateway's own thread computed while somebody waited. Other programs of this machine
   * don't add to it.
   */
  readonly cpuMs: number;
  readonly asked: number;
  readonly peakMb: number;
}

const FROM = "203.0.113.8";
const PAUSE_MS = 5;
const TICK_MS = 10;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let worst = nothing();
/** The questions in progress. */
let asking: Promise<unknown> | undefined;

await obey<ProbeOrder>(async (order) => {
  await asking;
  const report = { ...worst, peakMb: await peakOf(order.pid) };
  worst = nothing();
  if (!asking) void watch(order);
  return report;
});
Deno.exit();

function nothing() {
  return { healthMs: 0, pingMs: 0, cpuMs: 0, asked: 0 };
}

async function watch({ port, pid, key }: ProbeOrder): Promise<void> {
  const buffer = new Uint8Array(4_096);
  const ask = async (head: string) => {
    const before = [performance.now(), await cpuMs(pid)] as const;
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(encoder.encode(head));
    let text = "";
    for (let count; (count = await connection.read(buffer)) !== null;) {
      text += decoder.decode(buffer.subarray(0, count));
    }
    if (!text.startsWith("HTTP/1.1 200")) throw new Error(`The probe was answered: ${text}`);
    worst.asked++;
    worst.cpuMs = Math.max(worst.cpuMs, await cpuMs(pid) - before[1]);
    return performance.now() - before[0];
  };
  const healthz = headOf({ target: "/healthz", from: FROM }, port);
  const askBoth = async () => {
    worst.healthMs = Math.max(worst.healthMs, await ask(healthz));
    const ping = headOf({ target: "/v1/_ping", key, from: FROM }, port);
    worst.pingMs = Math.max(worst.pingMs, await ask(ping));
  };
  for (;;) {
    await (asking = askBoth());
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Of its main thread. */
async function cpuMs(pid: number): Promise<number> {
  const text = await Deno.readTextFile(`/proc/${pid}/task/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** The most memory since the last look. */
async function peakOf(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  await Deno.writeTextFile(`/proc/${pid}/clear_refs`, "5");
  return Number(/VmHWM:\s*(\d+) kB/.exec(status)![1]) / 1_024;
}
