import { invariant, present } from "../../../base/assert.ts";
import { type Bytes, fromHex, toHex, utf8 } from "../../../base/bytes.ts";
import { sha256Hex } from "../../../base/secrets/crypto.ts";
import type { BlockAt } from "../../chain.ts";
import { NodeError } from "../../faults.ts";
import { isAddressHex } from "../address.ts";
import { hexBytes } from "../decode.ts";
import { encode, Message } from "../protobuf.ts";

/** The chain's numbers for the kinds of payments we make. */
export const TRANSFER = 1;
export const TRIGGER = 31;

/** Its numbers and names for what can be done with a stake. */
const STAKING = {
  stake: [54, "FreezeBalanceV2Contract"],
  unstake: [55, "UnfreezeBalanceV2Contract"],
  collect: [56, "WithdrawExpireUnfreezeContract"],
  lend: [57, "DelegateResourceContract"],
  take_back: [58, "UnDelegateResourceContract"],
  restake: [59, "CancelAllUnfreezeV2Contract"],
} as const;

const STAKING_KINDS = Object.keys(STAKING) as (keyof typeof STAKING)[];
const ENERGY = 1n;

/** Kinds that name something else before their owner. */
const OWNER_SECOND: ReadonlySet<number> = new Set([2, 10, 19]);
const TYPE_URL = "type.googleapis.com/protocol.";
export const SIGNATURE_BYTES = 65;
/** The chain allows 500 KiB with signatures and results, which is less. */
const HEX_CHARS_MAX = 1_048_576;

/** A payment, or a change of a stake for energy, before it is signed. Addresses are hex. */
export interface TronDetail {
  /** A final block: on any other fork the transaction is invalid. */
  readonly refBlock: BlockAt;
  readonly call:
    | { readonly kind: "transfer"; readonly from: string; readonly to: string; amountRaw: bigint }
    | { readonly kind: "trigger"; readonly from: string; readonly contract: string; data: string }
    | StakeCall;
  /** The most coins to burn for energy; 0 if none is used. */
  readonly feeLimitRaw: bigint;
}

/** Amounts are sun of the stake. Nothing is lent for a fixed time, so all can be taken back. */
export type StakeCall =
  | { readonly kind: "stake" | "unstake"; readonly from: string; readonly amountRaw: bigint }
  | { readonly kind: "collect"; readonly from: string }
  | {
    readonly kind: "lend" | "take_back";
    readonly from: string;
    readonly to: string;
    readonly amountRaw: bigint;
  };

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
  const [type, name, value] = contractOf(call);
  return encode([[1, BigInt(type)], [2, encode([[1, utf8(TYPE_URL + name)], [2, value]])]]);
}

function contractOf(
  call: TronDetail["call"],
): readonly [type: number, name: string, value: Uint8Array] {
  const owner = [1, bytesOf(call.from)] as const;
  switch (call.kind) {
    case "transfer":
      return [
        TRANSFER,
        "TransferContract",
        encode([owner, [2, bytesOf(call.to)], [3, call.amountRaw]]),
      ];
    case "trigger":
      return [
        TRIGGER,
        "TriggerSmartContract",
        encode([owner, [2, bytesOf(call.contract)], [4, bytesOf(call.data)]]),
      ];
    case "stake":
    case "unstake":
      return [...STAKING[call.kind], encode([owner, [2, call.amountRaw], [3, ENERGY]])];
    case "collect":
      return [...STAKING.collect, encode([owner])];
    case "lend":
    case "take_back":
      return [
        ...STAKING[call.kind],
        encode([owner, [2, ENERGY], [3, call.amountRaw], [4, bytesOf(call.to)]]),
      ];
  }
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
  /** Only for changes of a stake. */
  readonly stake: StakeChange | null;
}

/** As anybody may make it: also of a stake for bandwidth, and a loan for a fixed time. */
interface StakeChange {
  readonly kind: keyof typeof STAKING;
  readonly resource: "energy" | "other";
  readonly amountRaw: bigint;
  /** Null unless something is lent or taken back. */
  readonly to: string | null;
  readonly isLocked: boolean;
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
    stake: stakeIn(type, value),
  };
}

function stakeIn(type: number, value: Message): StakeChange | null {
  const kind = STAKING_KINDS.find((kind) => STAKING[kind][0] === type);
  if (kind === undefined) return null;
  const isLoan = kind === "lend" || kind === "take_back";
  const to = toHex(value.bytes(4));
  return {
    kind,
    resource: value.int(isLoan ? 2 : 3) === ENERGY ? "energy" : "other",
    amountRaw: value.int(isLoan ? 3 : 2),
    to: isLoan && isAddressHex(to) ? to : null,
    isLocked: kind === "lend" && value.int(5) !== 0n,
  };
}

export function bytesOf(hex: string): Bytes {
  return present(fromHex(hex), "Made here, so it is hex");
}
