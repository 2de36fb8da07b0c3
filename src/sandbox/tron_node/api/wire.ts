import { concat } from "../addresses.ts";

/** One field as protobuf puts it on the wire, whatever its meaning. */
export type WireField =
  | { readonly number: number; readonly kind: "varint"; readonly value: bigint }
  | { readonly number: number; readonly kind: "bytes"; readonly value: Uint8Array };

const VARINT_BYTES_MAX = 10;
const INT64 = 64;

/** Throws what java-tron's parser would, in its words. */
export function readFields(bytes: Uint8Array): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let i = 0; i < VARINT_BYTES_MAX; i++) {
      const byte = bytes[at++];
      if (byte === undefined) throw new MalformedProtobuf();
      value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) return BigInt.asUintN(INT64, value);
    }
    throw new MalformedProtobuf();
  };
  const take = (length: number) => {
    if (at + length > bytes.length) throw new MalformedProtobuf();
    at += length;
    return bytes.slice(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    if (number === 0) throw new MalformedProtobuf();
    if ((tag & 7) === 0) fields.push({ number, kind: "varint", value: varint() });
    else if ((tag & 7) === 2) fields.push({ number, kind: "bytes", value: take(Number(varint())) });
    else throw new MalformedProtobuf();
  }
  return fields;
}

export function writeFields(fields: readonly WireField[]): Uint8Array<ArrayBuffer> {
  return concat(
    ...fields.flatMap((field) =>
      field.kind === "varint" ? [varintOf(BigInt(field.number << 3)), varintOf(field.value)] : [
        varintOf(BigInt(field.number << 3 | 2)),
        varintOf(BigInt(field.value.length)),
        field.value,
      ]
    ),
  );
}

class MalformedProtobuf extends Error {
  override name = "com.google.protobuf.InvalidProtocolBufferException";
  constructor() {
    super(
      "While parsing a protocol message, the input ended unexpectedly in the middle of a field.",
    );
  }
}

function varintOf(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(INT64, value);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
