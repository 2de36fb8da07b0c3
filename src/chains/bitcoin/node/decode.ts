import { NodeError } from "../../faults.ts";
import { shown } from "../../shown.ts";

export type Json = Readonly<Record<string, unknown>>;

const PER_COIN = 100_000_000;
/** Above, a double holds them no longer to the last place. Nobody has as much. */
const COINS_MAX = 2 ** 24;

export function record(value: unknown, what: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw malformed(value, what);
}

export function list(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw malformed(value, what);
}

export function hash(value: unknown, what: string): string {
  if (typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) return value;
  throw malformed(value, what);
}

export function hex(value: unknown, what: string): string {
  if (typeof value === "string" && /^(?:[0-9a-f]{2})*$/.test(value)) return value;
  throw malformed(value, what);
}

export function bytes(value: unknown, what: string): Uint8Array {
  if (typeof value !== "string") throw malformed(value, what);
  try {
    return Uint8Array.fromHex(value);
  } catch {
    throw malformed(value, what);
  }
}

export function count(value: unknown, what: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw malformed(value, what);
}

/** Nodes write coins with a point. */
export function amountRaw(value: unknown, what: string): bigint {
  if (typeof value !== "number" || !(value >= 0 && value <= COINS_MAX)) {
    throw malformed(value, what);
  }
  return BigInt(Math.round(value * PER_COIN));
}

export function text(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw malformed(value, what);
}

export function flag(value: unknown, what: string): boolean {
  if (typeof value === "boolean") return value;
  throw malformed(value, what);
}

function malformed(value: unknown, what: string): NodeError {
  return new NodeError(`Cannot read ${what} from a node's answer: ${shown(value)}`);
}
