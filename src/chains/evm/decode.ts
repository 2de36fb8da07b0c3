import type { Hex } from "viem";
import { invariant } from "../../base/assert.ts";
import { NodeError } from "../faults.ts";
import { shown } from "../shown.ts";

export type Json = Readonly<Record<string, unknown>>;

/** Only hex text is accepted: a JSON number may already have lost digits. */
export function quantity(value: unknown, what: string): bigint {
  if (typeof value !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(value)) throw malformed(value, what);
  return BigInt(value);
}

export function safeNumber(value: unknown, what: string): number {
  const number = Number(quantity(value, what));
  if (!Number.isSafeInteger(number)) throw malformed(value, what);
  return number;
}

export function hex32(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

export function hash32(value: unknown, what: string): string {
  if (typeof value !== "string" || !/^0x[0-9a-f]{64}$/i.test(value)) throw malformed(value, what);
  return value.toLowerCase();
}

/** Nodes usually write hashes as we do, and comparing costs a tenth of parsing. */
export function isHash(value: unknown, { hash, what }: { hash: string; what: string }): boolean {
  return value === hash || hash32(value, what) === hash;
}

export function hexBytes(value: unknown, what: string): string {
  if (typeof value !== "string" || !/^0x(?:[0-9a-f]{2})*$/i.test(value)) {
    throw malformed(value, what);
  }
  return value.toLowerCase();
}

export function word(value: unknown, what: string): bigint {
  const bytes = hexBytes(value, what);
  if (bytes.length !== 66) throw malformed(value, what);
  return BigInt(bytes);
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

/** For viem, whose type says that the prefix is there. */
export function asHex(text: string): Hex {
  invariant(text.startsWith("0x"), () => `Not hex with a prefix: ${shown(text)}`);
  return `0x${text.slice(2)}`;
}

export function hexOf(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

function malformed(value: unknown, what: string): NodeError {
  return new NodeError(`Cannot read ${what} from a node's answer: ${shown(value)}`);
}
