import { NodeError } from "../faults.ts";
import { shown } from "../shown.ts";

export type Json = Readonly<Record<string, unknown>>;

/** Nodes omit zeros. */
export function integer(value: unknown, what: string): bigint {
  if (value === undefined) return 0n;
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  throw malformed(value, what);
}

export function amount(value: unknown, what: string): bigint {
  const read = integer(value, what);
  if (read < 0n) throw malformed(value, what);
  return read;
}

export function safeNumber(value: unknown, what: string): number {
  const read = Number(amount(value, what));
  if (!Number.isSafeInteger(read)) throw malformed(value, what);
  return read;
}

export function hash32(value: unknown, what: string): string {
  if (typeof value !== "string" || !/^[0-9a-f]{64}$/i.test(value)) throw malformed(value, what);
  return value.toLowerCase();
}

/** Hex without a prefix; a missing value is empty. */
export function hexBytes(value: unknown, what: string): string {
  if (value === undefined) return "";
  if (typeof value !== "string" || !/^(?:[0-9a-f]{2})*$/i.test(value)) {
    throw malformed(value, what);
  }
  return value.toLowerCase();
}

export function record(value: unknown, what: string): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw malformed(value, what);
  }
  return value as Json;
}

export function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(value, what);
  return value;
}

export function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    Object.keys(value).length === 0;
}

function malformed(value: unknown, what: string): NodeError {
  return new NodeError(`Cannot read ${what} from a node's answer: ${shown(value)}`);
}
