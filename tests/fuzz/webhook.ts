import { createSender, type WebhookSender } from "../../src/webhooks/post/send.ts";
import { startRawReceiver } from "../support/programs/receiver.ts";
import {
  bent,
  type Finding,
  FINDINGS_MAX,
  type FuzzOptions,
  type FuzzReport,
  type Random,
  seededRandom,
  startCourse,
} from "./fuzz.ts";
import { isTooMuch, watchMemory } from "./memory.ts";

const TOGETHER = 64;
const TIMEOUT_MS = 200;
/** The machine may be busy, so an attempt that was late is tried again. */
const LATE = "It took";
const TRIES = 4;
const LATE_MAX_MS = TIMEOUT_MS + 1_000;
const WRITTEN_MAX = 4_000_000;
const BODY = { owner: 1, headers: { "webhook-id": "evt_1" }, body: new TextEncoder().encode("{}") };
const encoder = new TextEncoder();

/** The bytes that a receiver writes to its socket; an end says how it continues. */
interface Talk {
  readonly parts: readonly string[];
  readonly end: "close" | "silence" | "endless";
}

const HEADS = [
  "HTTP/1.1 200 OK\r\n",
  "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\n",
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n",
  "HTTP/1.0 200\r\n",
  "HTTP/1.1 429 Slow\r\nretry-after: 5\r\n",
  "HTTP/2 200 OK\r\n",
  "HTTP/1.1 999 \r\n",
  "HTTP/1.1 204 No Content\r\n",
];
const BODIES = [
  "content-length: 2\r\n\r\nok",
  "content-length: 99999999999999\r\n\r\nx",
  "content-length: -1\r\n\r\n",
  "transfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
  "transfer-encoding: chunked\r\n\r\nffffffff\r\nx",
  "transfer-encoding: chunked\r\n\r\n1;x=y\r\nx\r\n",
  "transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n0\r\na: b\r\n",
  "content-encoding: gzip\r\ncontent-length: 20\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\x03",
  "\r\nto the end",
  `x: ${"y".repeat(5_000)}\r\n`,
];

function talkOf(random: Random): Talk {
  const whole = random.pick(HEADS) + random.pick(BODIES);
  const text = random.chance(0.5) ? bent(random, whole) : whole;
  const cut = random.below(text.length + 1);
  const parts = random.chance(0.3) ? [text.slice(0, cut), text.slice(cut)] : [text];
  const ends: readonly Talk["end"][] = ["close", "close", "endless"];
  return { parts, end: random.chance(0.03) ? "silence" : random.pick(ends) };
}

/** Possible answers of receivers: each attempt ends in time, and nothing of the answer is kept. */
export async function run(options: FuzzOptions): Promise<FuzzReport> {
  const random = seededRandom(options.seed);
  const course = startCourse(options);
  const memory = watchMemory();
  const findings: Finding[] = [];
  const talks = new Map<string, Talk>();
  await using receiver = startRawReceiver((conn) => speak(conn, talks));
  const sender = createSender({ isPrivateAllowed: true, timeoutMs: TIMEOUT_MS });
  for (let number = 0; !course.isOver() && findings.length < FINDINGS_MAX;) {
    const urls = Array.from({ length: TOGETHER }, () => {
      const path = `/${number++ % 512}`;
      talks.set(path, talkOf(random));
      return new URL(path, receiver.url).href;
    });
    const found = await Promise.all(urls.map((url) => tryOne(sender, url)));
    for (const [i, what] of found.entries()) {
      if (what?.startsWith(LATE)) found[i] = await tryAlone(sender, urls[i]!);
    }
    for (const [i, what] of found.entries()) {
      const talk = talks.get(new URL(urls[i]!).pathname);
      if (what) findings.push({ what, reproduction: JSON.stringify(talk) });
    }
    course.step(TOGETHER);
    memory.look(course);
  }
  sender.close();
  const growth = memory.growthMib();
  if (growth && isTooMuch(growth)) {
    findings.push({ what: `${growth.heap} MiB more`, reproduction: `--seed ${options.seed}` });
  }
  const notes = growth ? [`${growth.heap} MiB heap more than warm`] : [];
  return { done: course.done, findings, notes };
}

/** Others use this machine too: only what is late every time is really late. */
async function tryAlone(sender: WebhookSender, url: string): Promise<string | undefined> {
  let what: string | undefined;
  for (let tries = 0; tries < TRIES; tries++) {
    what = await tryOne(sender, url);
    if (!what?.startsWith(LATE)) return what;
  }
  return what;
}

async function tryOne(sender: WebhookSender, url: string): Promise<string | undefined> {
  const startedAt = performance.now();
  try {
    const { status, error, response } = await sender.send({ url, ...BODY });
    const tookMs = performance.now() - startedAt;
    if (tookMs > LATE_MAX_MS) return `${LATE} ${Math.round(tookMs)} ms`;
    if ((response?.length ?? 0) > 1_024) return `${response!.length} characters were kept`;
    const isTaken = error === null;
    const isTakenRightly = status !== null && status >= 200 && status < 300;
    return isTaken && !isTakenRightly ? `Delivered by the status ${status}` : undefined;
  } catch (error) {
    return `send threw: ${error instanceof Error ? error.stack : error}`;
  }
}

async function speak(conn: Deno.Conn, talks: ReadonlyMap<string, Talk>): Promise<void> {
  const buffer = new Uint8Array(4_096);
  const count = await conn.read(buffer) ?? 0;
  const [, path = ""] = new TextDecoder().decode(buffer.subarray(0, count)).split(" ");
  const { parts, end } = talks.get(path) ?? { parts: [], end: "close" };
  for (const part of parts) await conn.write(encoder.encode(part));
  if (end === "silence") { while (await conn.read(buffer)); }
  const line = encoder.encode("1\r\nx\r\n".repeat(2_000));
  for (let written = 0; end === "endless" && written < WRITTEN_MAX;) {
    written += await conn.write(line);
  }
}
