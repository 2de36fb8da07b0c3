import { type Random, seededRandom } from "../domain/random.ts";
import { NO_TEXT } from "../support/nodes/no_text.ts";

export interface FuzzOptions {
  /** The same number, the same inputs in the same order. */
  readonly seed: number;
  /** The most inputs. */
  readonly requests: number;
  /** The longest duration. */
  readonly seconds: number;
  report(line: string): void;
}

/** Something that must never happen, and the smallest input that makes it happen. */
export interface Finding {
  readonly what: string;
  readonly reproduction: string;
}

export interface FuzzReport {
  /** Inputs that were tried. */
  readonly done: number;
  readonly findings: readonly Finding[];
  /** Other findings, a line each. */
  readonly notes: readonly string[];
}

/** One file a part: `http.ts`, `node.ts`, `webhook.ts`. */
export interface FuzzPart {
  run(options: FuzzOptions): Promise<FuzzReport>;
}

/** More of the same kind add nothing. */
export const FINDINGS_MAX = 20;
const TELL_EVERY_MS = 5_000;

/** The progress of a run: reports the speed, and when it is over. */
export interface Course {
  readonly done: number;
  /** Fraction of the run, by inputs or by time, whichever is further. */
  readonly share: number;
  isOver(): boolean;
  step(count?: number): void;
}

export function startCourse({ requests, seconds, report }: FuzzOptions): Course {
  const startedAt = performance.now();
  let [done, loggedAt, loggedDone] = [0, startedAt, 0];
  const shareOf = () =>
    Math.max(done / requests, (performance.now() - startedAt) / (seconds * 1_000));
  return {
    get done() {
      return done;
    },
    get share() {
      return shareOf();
    },
    isOver: () => shareOf() >= 1,
    step: (count = 1) => {
      done += count;
      const now = performance.now();
      if (now - loggedAt < TELL_EVERY_MS) return;
      const rate = Math.round((done - loggedDone) / ((now - loggedAt) / 1_000));
      report(`  ${done.toLocaleString("en")} done, ${rate.toLocaleString("en")}/s`);
      [loggedAt, loggedDone] = [now, done];
    },
  };
}

/** Makes an input smaller for as long as it still `fails`. */
export async function smallest(
  input: string,
  fails: (input: string) => Promise<boolean>,
  triesMax = 400,
): Promise<string> {
  let best = input;
  for (let size = Math.ceil(best.length / 2), tries = 0; size > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length && tries < triesMax; tries++) {
      const shorter = best.slice(0, at) + best.slice(at + size);
      if (await fails(shorter)) best = shorter;
      else at += size;
    }
  }
  return best;
}

const STRANGE = ["", "0", "-1", "1e400", "9".repeat(100), "null", "true", "[]", "{}", '"', "\\"]
  .concat(["\0", "\u2028", "😀", "\ud800", "é", "../", "%00", "%", "%2f", "'", ";", "--", "\r\n"])
  .concat(["<script>", "${x}", "__proto__", "constructor", "NaN", "0x10", "1".repeat(5_000)]);

/** A text that trips programs up. */
export function strangeText(random: Random): string {
  return random.pick(STRANGE);
}

/** The text with a few places changed, doubled, moved or left out. */
export function bent(random: Random, text: string): string {
  let result = text;
  for (let changes = 1 + random.below(3); changes > 0; changes--) {
    const at = random.below(result.length + 1);
    const length = random.below(8);
    const piece = random.pick([
      strangeText(random),
      result.slice(at, at + length),
      String.fromCharCode(random.below(128)),
      "",
    ]);
    result = result.slice(0, at) + piece + result.slice(at + random.below(2) * length);
  }
  return result;
}

/** A JSON value with one of its parts replaced, left out, or put in twice. */
export function bentJson(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.15)) {
    return typeof value === "string" && random.chance(0.5)
      ? bent(random, value)
      : strangeValue(random);
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return [strangeValue(random)];
    const at = random.below(value.length);
    return random.chance(0.3)
      ? value.toSpliced(at, random.below(2), value[at], strangeValue(random))
      : value.with(at, bentJson(random, value[at]));
  }
  const names = Object.keys(value);
  if (names.length === 0) return { [strangeText(random)]: strangeValue(random) };
  const name = random.pick(names);
  const { [name]: part, ...rest } = value as Record<string, unknown>;
  if (random.chance(0.2)) return rest;
  if (random.chance(0.1)) return { ...value, [strangeText(random)]: part };
  return { ...value, [name]: bentJson(random, part) };
}

function strangeValue(random: Random): unknown {
  const numbers = [0, -1, 1.5, 2 ** 53, 1e300];
  const things = [null, true, false, [], {}, [[]], NO_TEXT, strangeText(random)];
  return random.pick<unknown>([...numbers, ...things]);
}

export { type Random, seededRandom };
