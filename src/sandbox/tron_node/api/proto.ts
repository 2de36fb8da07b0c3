import { fromHex, toHex, utf8 } from "../../../base/bytes.ts";
import { fromBase58Check, isHexAddress, toBase58Check } from "../addresses.ts";
import type { Field, FieldKind, Schema } from "./schemas.ts";
import { listIn, type Message, messageIn, textIn, type Value } from "./values.ts";
import { readFields, type WireField, writeFields } from "./wire.ts";

export function decode(schema: Schema, bytes: Uint8Array): Message {
  const message: Record<string, Value> = {};
  for (const wire of readFields(bytes)) {
    const field = schema[wire.number];
    if (!field) continue;
    const value = decodedValue(field.kind, wire);
    if (field.repeated) {
      message[field.name] = [...listIn(message[field.name]), value];
    } else message[field.name] = value;
  }
  return sparse(message);
}

export function encode(schema: Schema, message: Message): Uint8Array<ArrayBuffer> {
  return writeFields(
    Object.entries(schema).flatMap(([number, field]) =>
      listed(field, message[field.name]).map((value) =>
        encodedValue(Number(number), field.kind, value)
      )
    ),
  );
}

/** Formats a message as java-tron does: hex, or readable if `visible` is set. */
export function print(schema: Schema, message: Message, visible: boolean): Message {
  const printed: Record<string, Value> = {};
  for (const field of Object.values(schema)) {
    const value = message[field.name];
    if (value === undefined) continue;
    const one = (each: Value) => printedValue(field.kind, each, visible);
    printed[field.name] = field.repeated ? listIn(value).map(one) : one(value);
  }
  return sparse(printed);
}

/** Reads JSON into the node's own form. Unknown names are ignored. */
export function parse(schema: Schema, json: Message, visible: boolean): Message {
  const message: Record<string, Value> = {};
  for (const field of Object.values(schema)) {
    const value = json[field.name];
    if (value === undefined || value === null) continue;
    const one = (each: Value) => parsedValue(field.kind, each, visible);
    message[field.name] = field.repeated ? listIn(value).map(one) : one(value);
  }
  return sparse(message);
}

/** Without what protobuf does not write: zeros, empty texts, empty lists. */
export function sparse(message: Message): Message {
  return Object.fromEntries(
    Object.entries(message).filter(([, value]) => value !== undefined && !isDefault(value)),
  );
}

/** The caller's fault, in java-tron's words. */
export class ParseFault extends Error {
  override name = "org.tron.core.services.http.JsonFormat$ParseException";
}

function isDefault(value: Value): boolean {
  if (typeof value === "object") return Array.isArray(value) && value.length === 0;
  return value === 0n || value === 0 || value === false || value === "";
}

function listed(field: Field, value: Value | undefined): readonly Value[] {
  if (value === undefined) return [];
  if (field.repeated) return listIn(value);
  return isZeroEnum(field.kind, value) || isDefault(value) ? [] : [value];
}

function isZeroEnum(kind: FieldKind, value: Value): boolean {
  return typeof kind === "object" && "enum" in kind && value === kind.enum.find(isZero)?.[1];
}

function isZero([number]: readonly [number, string]): boolean {
  return number === 0;
}

/** Throws if it isn't a whole number. */
function integerIn(value: Value): bigint {
  return BigInt(typeof value === "object" ? "not a number" : value);
}

function decodedValue(kind: FieldKind, wire: WireField): Value {
  if (wire.kind === "bytes") {
    if (kind === "string") return new TextDecoder().decode(wire.value);
    if (typeof kind === "object" && "message" in kind) return decode(kind.message, wire.value);
    return toHex(wire.value);
  }
  if (kind === "int64") return BigInt.asIntN(64, wire.value);
  if (kind === "bool") return wire.value !== 0n;
  if (typeof kind === "object" && "enum" in kind) {
    return kind.enum.find(([number]) => BigInt(number) === wire.value)?.[1] ?? String(wire.value);
  }
  return Number(BigInt.asIntN(32, wire.value));
}

function encodedValue(number: number, kind: FieldKind, value: Value): WireField {
  if (typeof kind === "object") {
    if ("message" in kind) {
      return { number, kind: "bytes", value: encode(kind.message, messageIn(value)) };
    }
    const found = kind.enum.find(([, name]) => name === value);
    if (!found) throw new ParseFault(`Enum type has no value named "${value}".`);
    return { number, kind: "varint", value: BigInt(found[0]) };
  }
  if (kind === "string") return { number, kind: "bytes", value: utf8(textIn(value)) };
  if (kind === "bytes" || kind === "address" || kind === "text") {
    return { number, kind: "bytes", value: hexBytes(textIn(value)) };
  }
  return { number, kind: "varint", value: integerIn(value) };
}

function printedValue(kind: FieldKind, value: Value, visible: boolean): Value {
  if (typeof kind === "object" && "message" in kind) {
    return print(kind.message, messageIn(value), visible);
  }
  if (typeof kind === "object") return value === kind.enum[0]?.[1] ? "" : value;
  if (!visible || value === "") return value;
  if (kind === "address") {
    const hex = textIn(value);
    return toBase58Check(hex.length === 40 ? `41${hex}` : hex);
  }
  return kind === "text" ? new TextDecoder().decode(hexBytes(textIn(value))) : value;
}

function parsedValue(kind: FieldKind, value: Value, visible: boolean): Value {
  if (typeof kind === "object") {
    return "message" in kind ? parse(kind.message, messageIn(value), visible) : value;
  }
  if (kind === "int64") return integerIn(value);
  if (kind === "int32") return Number(value);
  if (kind === "bool") return value === true || value === "true";
  const text = String(value);
  if (kind === "string") return text;
  if (visible && kind === "text") return toHex(utf8(text));
  if (visible && kind === "address" && !isHexAddress(text)) {
    const hex = text === "" ? "" : fromBase58Check(text);
    if (hex === undefined) throw new ParseFault(`1:13: INVALID base58 String, ${text}`);
    return hex;
  }
  hexBytes(text);
  return text.toLowerCase();
}

export function hexBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = fromHex(text);
  if (!bytes) throw new ParseFault("1:13: INVALID hex String");
  return bytes;
}
