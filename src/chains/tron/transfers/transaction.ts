import { invariant, present } from "../../../base/assert.ts";
import { type Bytes, fromHex, toHex, utf8 } from "../../../base/bytes.ts";
import { sha256Hex } from "../../../base/secrets/crypto.ts";
import type { BlockAt } from "../../chain.ts";
import { NodeError } from "../../faults.ts";
import { isAddressHex } from "../address.ts";
import { hexBytes } from "../decode.ts";
import { encode, Message } from "../protobuf.ts";

/** The chain's numbers for the two kinds of transactions we make. */
export const TRANSFER = 1;
export const TRIGGER = 31;

/** Kinds that name something else before their owner. */
const OWNER_SECOND: ReadonlySet<number> = new Set([2, 10, 19]);
const TYPE_URL = "type.googleapis.com/protocol.";
export const SIGNATURE_BYTES = 65;
/** The chain allows 500 KiB with signatures and results, which is less. */
const HEX_CHARS_MAX = 1_048_576;

/** A payment before it is signed. Addresses are hex. */
export interface TronDetail {
  /** A final block: on any other fork the transaction is invalid. */
  readonly refBlock: BlockAt;
  readonly call:
    | { readonly kind: "transfer"; readonly from: string; readonly to: string; amountRaw: bigint }
    | { readonly kind: "trigger"; readonly from: string; readonly contract: string; data: string };
  /** The most coins to burn for energy; 0 if none is used. */
  readonly feeLimitRaw: bigint;
}

interface Times {
  readonly expirationMs: number;
  readonly timestampMs: number;
}

/** The bytes to sign. Their hash is the transaction's id. */
export function encodeRaw(detail: TronDetail, { expirationMs, timestampMs }: Times): Bytes {
  invariant(0 < timestampMs && timestampMs < expirationMs, `Not a time: ${timestampMs}`);
  const { refBlock: { height, hash }, feeLimitRaw } = detail;
  invariant(
    /^[0-9a-f]{64}$/.test(hash) && BigInt(`0x${hash.slice(0, 16)}`) === BigInt(height),
    hash,
  );
  return encode([
    [1, bytesOf(hash.slice(12, 16))],
    [4, bytesOf(hash.slice(16, 32))],
    [8, BigInt(expirationMs)],
    [11, encodeContract(detail.call)],
    [14, BigInt(timestampMs)],
    [18, feeLimitRaw],
  ]);
}

function encodeContract(call: TronDetail["call"]): Uint8Array {
  const [type, name, value] = call.kind === "transfer"
    ? [
      TRANSFER,
      "TransferContract",
      encode([
        [1, bytesOf(call.from)],
        [2, bytesOf(call.to)],
        [3, call.amountRaw],
      ]),
    ] as const
    : [
      TRIGGER,
      "TriggerSmartContract",
      encode([
        [1, bytesOf(call.from)],
        [2, bytesOf(call.contract)],
        [4, bytesOf(call.data)],
      ]),
    ] as const;
  return encode([[1, BigInt(type)], [2, encode([[1, utf8(TYPE_URL + name)], [2, value]])]]);
}

export function encodeSigned(raw: Uint8Array, signature: Uint8Array): Bytes {
  invariant(signature.length === SIGNATURE_BYTES, "A signature has 65 bytes");
  return encode([[1, raw], [2, signature]]);
}

export function idOf(raw: Bytes): string {
  return sha256Hex(raw);
}

/** The bytes that a node reports of a transaction, if they are those that its id vouches for. */
export function reportedBytes(hex: unknown, txHash: string): Bytes {
  if (typeof hex === "string" && hex.length > HEX_CHARS_MAX) {
    throw new NodeError(`The bytes of ${txHash} are more than a transaction may have`);
  }
  const bytes = bytesOf(hexBytes(hex, "a transaction's bytes"));
  if (idOf(bytes) !== txHash) throw new NodeError(`The bytes of ${txHash} are of another id`);
  return bytes;
}

/** The part of signed bytes whose hash is the id. */
export function rawOfSigned(signed: Bytes): Bytes {
  return new Message(signed).bytes(1);
}

/** A transaction's content, read from the bytes that its id vouches for. */
export interface RawTransaction {
  readonly expirationMs: number;
  readonly type: number;
  /** Null for the few that have no sender. */
  readonly owner: string | null;
  /** Only for coin transfers. */
  readonly transfer: { readonly to: string; readonly amountRaw: bigint } | null;
  /** Only for contract calls. */
  readonly trigger: {
    readonly contract: string;
    readonly data: string;
    readonly valueRaw: bigint;
  } | null;
}

export function decodeRaw(bytes: Bytes): RawTransaction {
  const raw = new Message(bytes);
  const contract = new Message(raw.firstBytes(11));
  const type = Number(contract.int(1));
  const value = new Message(new Message(contract.bytes(2)).bytes(2));
  const owner = toHex(value.bytes(OWNER_SECOND.has(type) ? 2 : 1));
  return {
    expirationMs: Number(raw.int(8)),
    type,
    owner: isAddressHex(owner) ? owner : null,
    transfer: type === TRANSFER ? { to: toHex(value.bytes(2)), amountRaw: value.int(3) } : null,
    trigger: type === TRIGGER
      ? { contract: toHex(value.bytes(2)), data: toHex(value.bytes(4)), valueRaw: value.int(3) }
      : null,
  };
}

export function bytesOf(hex: string): Bytes {
  return present(fromHex(hex), "Made here, so it is hex");
}
