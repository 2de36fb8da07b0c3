/**
 * The whole program. For each line on its input it reports the most that its thread computed since
 * the last one while a request went through it, how much memory it took at most, and whether it ever
 * said that somebody else follows a network.
 */
import { threadTimeMs } from "../support/programs/thread_time.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { serve } from "../../src/app/serve.ts";
import { nextTurn } from "../../src/base/waiting/next_turn.ts";
import { sleep, systemClock } from "../../src/base/clock.ts";
import { createLog, type Line } from "../../src/base/log.ts";
import { TextLineStream } from "../bench/lines.ts";

export interface Computed {
  /** Other programs of this machine don't add to it. */
  readonly spanMs: number;
  readonly peakMb: number;
  readonly isUnfollowed: boolean;
}

const NOT_FOLLOWED = "network is not followed";
let isUnfollowed = false;
const write = (line: Line) => void (isUnfollowed ||= line().includes(NOT_FOLLOWED));
const config = readConfig(Deno.env.toObject());
const log = createLog({ level: config.logLevel, clock: systemClock, write });
const { url } = await serve({ ...config, log });
// deno-lint-ignore no-console -- tells whoever started it where it listens
console.log(url);

/** Of the event loop, from a request's connection to its answer. */
const TURNS = 8;
let spanMs = 0;

async function watch(): Promise<void> {
  for (;;) {
    const before = threadTimeMs();
    for (let i = 0; i < TURNS; i++) await nextTurn();
    spanMs = Math.max(spanMs, threadTimeMs() - before);
    await sleep(1);
  }
}

void watch();

const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream())
  .pipeThrough(new TextLineStream());
for await (const _ of lines) {
  const status = await Deno.readTextFile("/proc/self/status");
  // From now on it counts anew.
  await Deno.writeTextFile("/proc/self/clear_refs", "5");
  const peakMb = Number(/VmHWM:\s*(\d+) kB/.exec(status)![1]) / 1_024;
  const report: Computed = { spanMs, peakMb, isUnfollowed };
  // deno-lint-ignore no-console -- the report of this program
  console.log(JSON.stringify(report));
  spanMs = 0;
}
Deno.exit();
