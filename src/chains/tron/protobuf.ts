import { NodeError } from "../chain.ts";

/** The little of protobuf that transactions need: integers and bytes. */
type Field = readonly [number: number, value: bigint | Uint8Array];

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
const INT64_MAX = 2n ** 63n - 1n;

/** Fields in the order given; like every protobuf writer it leaves out what is zero or empty. */
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

/** The last value of each field, as readers of protobuf have it; repeated ones are in `all`. */
export class Message {
  readonly #fields: readonly Field[];

  constructor(bytes: Uint8Array) {
    this.#fields = [...fieldsOf(bytes)];
  }

  int(number: number): bigint {
    const value = this.#last(number);
    if (value === undefined) return 0n;
    if (typeof value !== "bigint") throw malformed();
    return BigInt.asIntN(64, value);
  }

  bytes(number: number): Uint8Array {
    const value = this.#last(number);
    if (value === undefined) return new Uint8Array();
    if (typeof value === "bigint") throw malformed();
    return value;
  }

  all(number: number): Uint8Array[] {
    const values = this.#fields.filter(([own]) => own === number).map(([, value]) => value);
    return values.map((value) => {
      if (typeof value === "bigint") throw malformed();
      return value;
    });
  }

  #last(number: number): Field[1] | undefined {
    return this.#fields.findLast(([own]) => own === number)?.[1];
  }
}

function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  const at = { index: 0 };
  while (at.index < bytes.length) {
    const key = Number(readVarint(bytes, at));
    const wire = key & 7;
    const number = key >>> 3;
    if (wire === VARINT) yield [number, readVarint(bytes, at)];
    else if (wire === BYTES) yield [number, take(bytes, at, Number(readVarint(bytes, at)))];
    else if (wire === FIXED64) take(bytes, at, 8);
    else if (wire === FIXED32) take(bytes, at, 4);
    else throw malformed();
  }
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
