import { invariant } from "../../base/assert.ts";
import type { Bytes } from "../../base/bytes.ts";
import { NodeError } from "../faults.ts";

/** The part of protobuf that transactions need: integers and bytes. */
type Field = readonly [number: number, value: bigint | Uint8Array];

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const GROUP = 3;
const GROUP_END = 4;
const FIXED32 = 5;
/** In ten bytes. */
const VARINT_BITS = 70;
/** No field that anybody asks for has a greater number. */
const NUMBER_MAX = 31;
/** The depth that the chain's own reader allows. */
const GROUPS_DEEP_MAX = 100;
const INT64_MAX = 2n ** 63n - 1n;

/** In the order given. Like every protobuf writer, it omits zero and empty values. */
export function encode(fields: readonly Field[]): Bytes {
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
 * Returns the last value of a field, as protobuf readers do, or the first one. The chain accepts
 * whatever its own reader accepts, so blocks can contain bytes that no writer produces: a field of
 * the wrong type is skipped as unknown. Anybody can send half a megabyte of fields that nobody
 * reads, so nothing is made of a field before it is asked for.
 */
export class Message {
  readonly #bytes: Bytes;
  /** By number, where the last value begins. */
  readonly #ints: number[] = [];
  readonly #lasts: number[] = [];
  readonly #firsts: number[] = [];

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
    this.#scan(new Reader(bytes));
  }

  int(number: number): bigint {
    const at = placeIn(this.#ints, number);
    return at === undefined ? 0n : new Reader(this.#bytes, at).int64();
  }

  bytes(number: number): Bytes {
    return this.#bytesAt(placeIn(this.#lasts, number));
  }

  firstBytes(number: number): Bytes {
    return this.#bytesAt(placeIn(this.#firsts, number));
  }

  #bytesAt(at: number | undefined): Bytes {
    if (at === undefined) return new Uint8Array();
    const reader = new Reader(this.#bytes, at);
    const length = reader.length();
    return this.#bytes.subarray(reader.at, reader.at + length);
  }

  #scan(reader: Reader): void {
    const groups: number[] = [];
    while (!reader.isAtEnd()) {
      const tag = reader.tag();
      const [number, wire] = [tag >>> 3, tag & 7];
      if (groups.length === 0 && number <= NUMBER_MAX) this.#note(number, wire, reader.at);
      if (wire === VARINT) reader.low32();
      else if (wire === BYTES) reader.skip(reader.length());
      else if (wire === FIXED64) reader.skip(8);
      else if (wire === FIXED32) reader.skip(4);
      else if (wire === GROUP && groups.length < GROUPS_DEEP_MAX) groups.push(number);
      else if (wire !== GROUP_END || groups.pop() !== number) throw malformed();
    }
    if (groups.length > 0) throw malformed();
  }

  #note(number: number, wire: number, at: number): void {
    if (wire === VARINT) this.#ints[number] = at;
    if (wire !== BYTES) return;
    this.#lasts[number] = at;
    this.#firsts[number] ??= at;
  }
}

function placeIn(places: readonly number[], number: number): number | undefined {
  invariant(number <= NUMBER_MAX, () => `Fields up to ${NUMBER_MAX} are kept, not ${number}`);
  return places[number];
}

class Reader {
  readonly #bytes: Bytes;
  at: number;

  constructor(bytes: Bytes, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  tag(): number {
    const tag = this.low32() >>> 0;
    if (tag >>> 3 === 0) throw malformed();
    return tag;
  }

  length(): number {
    const length = this.low32();
    if (length < 0) throw malformed();
    return length;
  }

  skip(length: number): void {
    this.at += length;
    if (this.at > this.#bytes.length) throw malformed();
  }

  /** Of a longer number the last 32 bits, which the chain's reader keeps of a tag or length. */
  low32(): number {
    let low = 0;
    for (let shift = 0; shift < VARINT_BITS; shift += 7) {
      const byte = this.#next();
      if (shift < 32) low |= (byte & 127) << shift;
      if (byte < 128) return low;
    }
    throw malformed();
  }

  int64(): bigint {
    let value = 0n;
    for (let shift = 0; shift < VARINT_BITS; shift += 7) {
      const byte = this.#next();
      value |= BigInt(byte & 127) << BigInt(shift);
      if (byte < 128) return BigInt.asIntN(64, value);
    }
    throw malformed();
  }

  #next(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw malformed();
    return byte;
  }
}

function writeVarint(out: number[], value: bigint): void {
  if (value < 0n || value > INT64_MAX) throw new RangeError(`Not a number of 64 bits: ${value}`);
  let rest = value;
  for (; rest > 127n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
  out.push(Number(rest));
}

function malformed(): NodeError {
  return new NodeError("A transaction's bytes are no protobuf message");
}
