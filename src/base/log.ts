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

export interface LogOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  write(line: string): void;
}

/** One JSON object a line. */
export function createLog({ level, clock, write }: LogOptions): Log {
  const at = (lineLevel: LogLevel) => {
    const isOn = LOG_LEVELS.indexOf(lineLevel) >= LOG_LEVELS.indexOf(level);
    return (message: string, fields: LogFields = {}) => {
      if (!isOn) return;
      const own = { time: new Date(clock.nowMs()).toISOString(), level: lineLevel, message };
      write(`${jsonLine(own, fields)}\n`);
    };
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

const encoder = new TextEncoder();

export function writeToStderr(line: string): void {
  Deno.stderr.writeSync(encoder.encode(line));
}

/** The line's own words stand first and are never a field's. */
function jsonLine(own: LogFields, fields: LogFields): string {
  try {
    return JSON.stringify({ ...own, ...fields, ...own }, plain);
  } catch (error) {
    return JSON.stringify({ ...own, unwritable: String(error) });
  }
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Error) {
    const { name, message, stack, cause } = value;
    return { name, message, stack, cause };
  }
  return value;
}
