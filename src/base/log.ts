import type { Clock } from "./clock.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = typeof LOG_LEVELS[number];

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Builds a line's text later: in bulk that costs half as much. */
export type Line = () => string;

interface LogOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Alarms must not wait, nor anything written before them. */
  write(line: Line, isAlarm: boolean): void;
}

/** One JSON object per line. */
export function createLog({ level, clock, write }: LogOptions): Log {
  const timeNow = timeFormatter(clock);
  const at = (lineLevel: LogLevel) => {
    const rank = LOG_LEVELS.indexOf(lineLevel);
    const isOn = rank >= LOG_LEVELS.indexOf(level);
    const isAlarm = rank >= LOG_LEVELS.indexOf("warn");
    return (message: string, fields: LogFields = {}) => {
      if (!isOn) return;
      const time = timeNow();
      write(() => jsonLine({ time, level: lineLevel, message }, fields), isAlarm);
    };
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Formats each millisecond once: that costs as much as the rest of a line. */
function timeFormatter(clock: Clock): () => string {
  let formattedMs = NaN;
  let text = "";
  return () => {
    const nowMs = clock.nowMs();
    if (nowMs !== formattedMs) text = new Date(formattedMs = nowMs).toISOString();
    return text;
  };
}

/**
 * A busy program logs thousands of lines a second; writing each separately would cost more than
 * everything else.
 */
const LINES_WAIT_MS = 2;
const encoder = new TextEncoder();
const bytes = new Uint8Array(64 * 1024);
let waiting: Line[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

export function writeToStderr(line: Line, isAlarm: boolean): void {
  waiting.push(line);
  if (isAlarm) flushStderr();
  else timer ??= setTimeout(flushStderr, LINES_WAIT_MS);
}

/** Call this before the program ends. */
export function flushStderr(): void {
  clearTimeout(timer);
  timer = undefined;
  const lines = waiting;
  // Cleared first, so that a line that fails, or logs another one, isn't written again and again.
  waiting = [];
  let rest = lines.map((line) => line()).join("");
  try {
    while (rest !== "") {
      const { read, written } = encoder.encodeInto(rest, bytes);
      for (let at = 0; at < written;) at += Deno.stderr.writeSync(bytes.subarray(at, written));
      rest = rest.slice(read);
    }
  } catch {
    // The disk is full or nobody reads any more. Moving money goes on, and there is nobody to tell.
  }
}

interface Own {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
}

/** The line's own fields come first and can't be overwritten. */
function jsonLine({ time, level, message }: Own, fields: LogFields): string {
  const own = `"time":"${time}","level":"${level}","message":${JSON.stringify(message)}`;
  try {
    const text = isPlain(fields)
      ? JSON.stringify(fields)
      : JSON.stringify(withoutOwn(fields), plain);
    return text === "{}" ? `{${own}}\n` : `{${own},${text.slice(1)}\n`;
  } catch (error) {
    return `{${own},"unwritable":${JSON.stringify(String(error))}}\n`;
  }
}

function withoutOwn({ time: _time, level: _level, message: _message, ...others }: LogFields) {
  return others;
}

/**
 * True if JSON.stringify alone keeps every field as it is. A replacer costs ten times as much as
 * the rest.
 */
function isPlain(fields: LogFields): boolean {
  for (const name in fields) {
    if (name === "time" || name === "level" || name === "message") return false;
    const kind = typeof fields[name];
    if (kind === "object" || kind === "bigint") return false;
  }
  return true;
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Error) {
    const { name, message, stack, cause } = value;
    return { name, message, stack, cause };
  }
  return value;
}
