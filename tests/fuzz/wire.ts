import { resetAtOnce } from "../support/programs/reset_at_once.ts";
import type { Finding, Random } from "./fuzz.ts";
import { bent, strangeText } from "./fuzz.ts";
import type { ApiFacts } from "./api_requests.ts";
import { apiRecipe } from "./api_requests.ts";
import { signedHeaders } from "../support/api_client.ts";

const ANSWER_WITHIN_MS = 5_000;
/** More in a row than a listener may fail. */
const RESETS = 150;

/** One connection with bytes that may be no HTTP at all; whatever comes back must be no 500. */
export async function knock(
  url: string,
  { random, facts }: { random: Random; facts: ApiFacts },
): Promise<Finding | undefined> {
  const text = bytesFor(random, facts);
  const answer = await send(url, { text, isCut: random.chance(0.2) });
  if (!/^HTTP\/1\.[01] 500\b/m.test(answer)) return undefined;
  return { what: `500 for raw bytes`, reproduction: JSON.stringify(text) };
}

/** As a stranger who wants the listener to fail often does it. */
export async function resetMany(url: string): Promise<void> {
  await Promise.all(Array.from({ length: RESETS }, () => resetAtOnce(new URL(url))));
}

function bytesFor(random: Random, facts: ApiFacts): string {
  const { method, target, headers, body, signedBy } = apiRecipe(random, facts);
  const signed = signedBy ? signedHeaders(signedBy, { method, target, body: body ?? "" }) : {};
  const lines = [
    `${method} ${target} HTTP/${random.pick(["1.1", "1.1", "1.1", "1.0", "2", "0.9"])}`,
    ...(random.chance(0.95) ? ["Host: 127.0.0.1"] : []),
    ...Object.entries({ ...signed, ...headers }).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : [lengthOf(random, body)]),
    "Connection: close",
  ];
  const whole = `${lines.join("\r\n")}\r\n\r\n${body ?? ""}`;
  if (random.chance(0.4)) return whole;
  return random.chance(0.9) ? bent(random, whole) : strangeText(random) + "\r\n\r\n";
}

function lengthOf(random: Random, body: string): string {
  const lengths = [body.length, body.length, body.length + 5, body.length - 1, -1, 1e18, "0x5"];
  return random.chance(0.1)
    ? "Transfer-Encoding: chunked"
    : `Content-Length: ${random.pick(lengths)}`;
}

/** All that comes back, until the other side closes or says nothing more. */
async function send(
  url: string,
  { text, isCut }: { text: string; isCut: boolean },
): Promise<string> {
  const { hostname, port } = new URL(url);
  let answer = "";
  try {
    using connection = await Deno.connect({ hostname, port: Number(port) });
    const timer = setTimeout(() => connection.close(), ANSWER_WITHIN_MS);
    try {
      await writeAll(connection, Uint8Array.from(text, (c) => c.charCodeAt(0) & 0xff));
      await connection.closeWrite();
      const chunk = new Uint8Array(16_384);
      for (;;) {
        const count = isCut ? null : await connection.read(chunk);
        if (count === null) return answer;
        answer += String.fromCharCode(...chunk.subarray(0, count));
      }
    } finally {
      clearTimeout(timer);
    }
  } catch (error) {
    if (!isHungUp(error)) throw error;
    return answer;
  }
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

function isHungUp(error: unknown): boolean {
  const kinds = [
    Deno.errors.ConnectionReset,
    Deno.errors.BrokenPipe,
    Deno.errors.BadResource,
    Deno.errors.Interrupted,
    Deno.errors.ConnectionAborted,
    Deno.errors.NotConnected,
  ];
  return kinds.some((kind) => error instanceof kind);
}
