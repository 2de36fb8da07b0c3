import type { Bytes } from "../../../src/base/bytes.ts";
import { NodeError } from "../../../src/chains/faults.ts";

type PlainField = readonly [number: number, value: bigint | Bytes];

const GROUPS_DEEP_MAX = 100;

/** Reads protobuf without any care for speed: each number is a bigint, each field is kept. */
export function plainFields(bytes: Bytes): PlainField[] {
  const fields: PlainField[] = [];
  const groups: number[] = [];
  const at = { index: 0 };
  const keep = (field: PlainField) => void (groups.length === 0 && fields.push(field));
  while (at.index < bytes.length) {
    const tag = Number(BigInt.asUintN(32, varintOf(bytes, at)));
    const [number, wire] = [tag >>> 3, tag & 7];
    if (number === 0) throw malformed();
    if (wire === 0) keep([number, varintOf(bytes, at)]);
    else if (wire === 2) {
      const length = Number(BigInt.asIntN(32, varintOf(bytes, at)));
      if (length < 0) throw malformed();
      keep([number, take(bytes, at, length)]);
    } else if (wire === 1) take(bytes, at, 8);
    else if (wire === 5) take(bytes, at, 4);
    else if (wire === 3 && groups.length < GROUPS_DEEP_MAX) groups.push(number);
    else if (wire !== 4 || groups.pop() !== number) throw malformed();
  }
  if (groups.length > 0) throw malformed();
  return fields;
}

function take(bytes: Bytes, at: { index: number }, length: number): Bytes {
  const start = at.index;
  at.index += length;
  if (at.index > bytes.length) throw malformed();
  return bytes.subarray(start, at.index);
}

function varintOf(bytes: Bytes, at: { index: number }): bigint {
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
