import { NodeError } from "../faults.ts";

/** The part of protobuf that transactions need: integers and bytes. */
type Field = readonly [number: number, value: bigint | Uint8Array];

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const GROUP = 3;
const GROUP_END = 4;
const FIXED32 = 5;
/** The depth that the chain's own reader allows. */
const GROUPS_DEEP_MAX = 100;
const INT64_MAX = 2n ** 63n - 1n;

/** In the order given. Like every protobuf writer, it omits zero and empty values. */
export function encode(fields: readonly Field[]): Uint8Array {
  const out: number[] = [];
  for (const [number, value] of fields) {
    if (typeof value === "bigint") {
      if (value === 0n) continue;
      writeVarint(out, BigInt(number << 3 | VARINT));
      writeVarint(out, value);
    } else {
      if (value.length === 0) continue;
      writeVarint(out, BigInt(number << 3 | BYTES));
      writeVarint(out, BigInt(value.length));
      for (const byte of value) out.push(byte);
    }
  }
  return Uint8Array.from(out);
}

/**
 * Returns the last value of a field, as protobuf readers do; `all` returns repeated ones. The chain
 * accepts whatever its own reader accepts, so blocks can contain bytes that no writer produces: a
 * field of the wrong type is skipped as unknown.
 */
export class Message {
  readonly #fields: readonly Field[];

  constructor(bytes: Uint8Array) {
    this.#fields = fieldsOf(bytes);
  }

  int(number: number): bigint {
    const isInt = (field: Field): field is readonly [number, bigint] =>
      field[0] === number && typeof field[1] === "bigint";
    return BigInt.asIntN(64, this.#fields.findLast(isInt)?.[1] ?? 0n);
  }

  bytes(number: number): Uint8Array {
    return this.all(number).at(-1) ?? new Uint8Array();
  }

  all(number: number): Uint8Array[] {
    return this.#fields.flatMap(([own, value]) =>
      own === number && value instanceof Uint8Array ? [value] : []
    );
  }
}

function fieldsOf(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  const groups: number[] = [];
  const at = { index: 0 };
  while (at.index < bytes.length) {
    const [number, wire] = readTag(bytes, at);
    const isOutside = groups.length === 0;
    if (wire === VARINT) {
      const value = readVarint(bytes, at);
      if (isOutside) fields.push([number, value]);
    } else if (wire === BYTES) {
      const value = take(bytes, at, readLength(bytes, at));
      if (isOutside) fields.push([number, value]);
    } else if (wire === FIXED64) take(bytes, at, 8);
    else if (wire === FIXED32) take(bytes, at, 4);
    else if (wire === GROUP && groups.length < GROUPS_DEEP_MAX) groups.push(number);
    else if (wire !== GROUP_END || groups.pop() !== number) throw malformed();
  }
  if (groups.length > 0) throw malformed();
  return fields;
}

/** Like the chain's reader, keeps the last 32 bits of a longer tag or length. */
function readTag(bytes: Uint8Array, at: { index: number }): [number: number, wire: number] {
  const tag = Number(BigInt.asUintN(32, readVarint(bytes, at)));
  if (tag >>> 3 === 0) throw malformed();
  return [tag >>> 3, tag & 7];
}

function readLength(bytes: Uint8Array, at: { index: number }): number {
  const length = Number(BigInt.asIntN(32, readVarint(bytes, at)));
  if (length < 0) throw malformed();
  return length;
}

function take(bytes: Uint8Array, at: { index: number }, length: number): Uint8Array {
  const start = at.index;
  at.index += length;
  if (at.index > bytes.length) throw malformed();
  return bytes.subarray(start, at.index);
}

function writeVarint(out: number[], value: bigint): void {
  if (value < 0n || value > INT64_MAX) throw new RangeError(`Not a number of 64 bits: ${value}`);
  let rest = value;
  for (; rest > 127n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
  out.push(Number(rest));
}

function readVarint(bytes: Uint8Array, at: { index: number }): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = bytes[at.index++];
    if (byte === undefined) throw malformed();
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return value;
  }
  throw malformed();
}

function malformed(): NodeError {
  return new NodeError("A transaction's bytes are no protobuf message");
}
