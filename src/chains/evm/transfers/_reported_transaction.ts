import type { Hex, TransactionSerializable } from "viem";
import { serializeTransaction } from "viem/utils";
import { nodeAddress } from "../address.ts";
import {
  asHex,
  hash32,
  hex32,
  hexBytes,
  type Json,
  list,
  quantity,
  record,
  safeNumber,
} from "../decode.ts";
import type { SignedAuthorization } from "./unsigned.ts";
import { NodeError } from "../../faults.ts";

export interface Signature {
  readonly r: bigint;
  readonly s: bigint;
  readonly parity: number;
}

/** As the node reports it; nothing is proven yet. */
export interface Reported {
  readonly type: number;
  /** Null if it was signed for any chain, as before EIP-155. */
  readonly chainId: number | null;
  /** Null if it creates a contract. */
  readonly to: string | null;
  readonly valueRaw: bigint;
  readonly data: string;
  readonly hasAccessList: boolean;
  /** Empty unless its type has them. */
  readonly authorizations: readonly SignedAuthorization[];
  readonly signature: Signature;
  /** The unsigned and the signed bytes, as we serialise them. */
  readonly order: Hex;
  readonly raw: Hex;
}

export const LEGACY = 0;
export const EIP1559 = 2;
export const EIP7702 = 4;

const KINDS: Readonly<Record<number, (tx: Json) => object>> = {
  [LEGACY]: (tx) => ({ type: "legacy", ...priceOf(tx) }),
  1: (tx) => ({ type: "eip2930", ...priceOf(tx) }),
  [EIP1559]: (tx) => ({ type: "eip1559", ...feesOf(tx) }),
  3: (tx) => ({
    type: "eip4844",
    ...feesOf(tx),
    maxFeePerBlobGas: quantity(tx.maxFeePerBlobGas, "a price for blobs"),
    blobVersionedHashes: list(tx.blobVersionedHashes, "hashes of blobs")
      .map((one) => hash32(one, "a blob's hash")),
  }),
  [EIP7702]: (tx) => ({
    ...{ type: "eip7702", ...feesOf(tx) },
    authorizationList: authorizationsOf(tx),
  }),
};

/**
 * Reads every type that somebody's key can sign: only a rebuilt transaction can be checked against
 * its hash.
 */
export function readReported(tx: Json): Reported {
  const type = typeOf(tx);
  const ownFields = KINDS[type];
  if (!ownFields) throw new NodeError(`A node reported a transaction of type ${type}`);
  const { chainId, ...signature } = signedOf(tx, type);
  const accessList = accessListOf(tx);
  const paid = {
    to: tx.to === null || tx.to === undefined ? null : nodeAddress(tx.to, "a recipient"),
    valueRaw: quantity(tx.value, "a value"),
    data: hexBytes(tx.input, "a transaction's input"),
  };
  const fields = {
    ...ownFields(tx),
    ...chainId === null ? {} : { chainId },
    ...type === LEGACY ? {} : { accessList },
    ...paid.to === null ? {} : { to: paid.to },
    nonce: safeNumber(tx.nonce, "a nonce"),
    gas: quantity(tx.gas, "a gas limit"),
    value: paid.valueRaw,
    data: paid.data,
  } as TransactionSerializable;
  const { order, raw } = putTogether(fields, signature);
  const authorizations = type === EIP7702 ? authorizationsOf(tx) : [];
  const hasAccessList = accessList.length > 0;
  return { ...paid, type, chainId, signature, order, raw, hasAccessList, authorizations };
}

/** Transactions that a chain or test node sends without a key carry an empty signature. */
export function isReportedUnsigned({ r, s }: Json): boolean {
  return quantity(r, "r of a signature") === 0n && quantity(s, "its s") === 0n;
}

function putTogether(
  fields: TransactionSerializable,
  { r, s, parity }: Signature,
): { order: Hex; raw: Hex } {
  const signature = { r: hex32(r), s: hex32(s), v: 27n + BigInt(parity), yParity: parity };
  try {
    return { order: serializeTransaction(fields), raw: serializeTransaction(fields, signature) };
  } catch (error) {
    throw new NodeError("A node reported an impossible transaction", { cause: error });
  }
}

function typeOf(tx: Json): number {
  return tx.type === undefined ? LEGACY : safeNumber(tx.type, "a transaction's type");
}

function signedOf(tx: Json, type: number): Signature & { chainId: number | null } {
  const r = quantity(tx.r, "r of a signature");
  const s = quantity(tx.s, "its s");
  const v = safeNumber(tx.v ?? tx.yParity, "v of a signature");
  if (type !== LEGACY) return { r, s, parity: v, chainId: safeNumber(tx.chainId, "a chain id") };
  const chainId = v < 35 ? null : Math.floor((v - 35) / 2);
  return { r, s, parity: (v + 1) % 2, chainId };
}

function priceOf(tx: Json): object {
  return { gasPrice: quantity(tx.gasPrice, "a gas price") };
}

function feesOf(tx: Json): object {
  return {
    maxFeePerGas: quantity(tx.maxFeePerGas, "a price for gas"),
    maxPriorityFeePerGas: quantity(tx.maxPriorityFeePerGas, "a tip"),
  };
}

function accessListOf(tx: Json): object[] {
  return list(tx.accessList ?? [], "an access list").map((one) => {
    const { address, storageKeys } = record(one, "an access list's entry");
    return {
      address: nodeAddress(address, "an access list's address"),
      storageKeys: list(storageKeys, "storage keys").map((key) => hash32(key, "a storage key")),
    };
  });
}

function authorizationsOf(tx: Json): SignedAuthorization[] {
  return list(tx.authorizationList, "authorizations").map((one) => {
    const entry = record(one, "an authorization");
    return {
      chainId: safeNumber(entry.chainId, "a chain id"),
      address: asHex(nodeAddress(entry.address, "a delegate")),
      nonce: safeNumber(entry.nonce, "a nonce"),
      r: hex32(quantity(entry.r, "r of a signature")),
      s: hex32(quantity(entry.s, "its s")),
      yParity: safeNumber(entry.yParity, "a parity"),
    };
  });
}
