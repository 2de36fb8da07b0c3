import { present } from "../../../base/assert.ts";

/**
 * The messages of TRON's protocol that this node speaks, by field number. `address` and `text` are
 * bytes that `visible` shows as base58check and as letters.
 */
export type FieldKind =
  | "int64"
  | "int32"
  | "bool"
  | "string"
  | "bytes"
  | "address"
  | "text"
  | { readonly message: Schema }
  | { readonly enum: readonly (readonly [number, string])[] };

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly repeated?: boolean;
}

export type Schema = Readonly<Record<number, Field>>;

const CONTRACT_TYPES = [
  [0, "AccountCreateContract"],
  [1, "TransferContract"],
  [2, "TransferAssetContract"],
  [31, "TriggerSmartContract"],
  [46, "AccountPermissionUpdateContract"],
  [54, "FreezeBalanceV2Contract"],
  [55, "UnfreezeBalanceV2Contract"],
  [56, "WithdrawExpireUnfreezeContract"],
  [57, "DelegateResourceContract"],
  [58, "UnDelegateResourceContract"],
  [59, "CancelAllUnfreezeV2Contract"],
] as const;

export const CONTRACT_RESULTS = [
  [0, "DEFAULT"],
  [1, "SUCCESS"],
  [2, "REVERT"],
  [10, "OUT_OF_ENERGY"],
] as const;

export const RESOURCE: FieldKind = { enum: [[0, "BANDWIDTH"], [1, "ENERGY"]] };

const KEY: Schema = {
  1: { name: "address", kind: "address" },
  2: { name: "weight", kind: "int64" },
};

export const PERMISSION: Schema = {
  1: { name: "type", kind: { enum: [[0, "Owner"], [1, "Witness"], [2, "Active"]] } },
  2: { name: "id", kind: "int32" },
  3: { name: "permission_name", kind: "string" },
  4: { name: "threshold", kind: "int64" },
  5: { name: "parent_id", kind: "int32" },
  6: { name: "operations", kind: "bytes" },
  7: { name: "keys", kind: { message: KEY }, repeated: true },
};

/** The parameters of contracts by type. */
export const CONTRACT_SCHEMAS: Readonly<Record<string, Schema>> = {
  TransferContract: {
    1: { name: "owner_address", kind: "address" },
    2: { name: "to_address", kind: "address" },
    3: { name: "amount", kind: "int64" },
  },
  TransferAssetContract: {
    1: { name: "asset_name", kind: "text" },
    2: { name: "owner_address", kind: "address" },
    3: { name: "to_address", kind: "address" },
    4: { name: "amount", kind: "int64" },
  },
  TriggerSmartContract: {
    1: { name: "owner_address", kind: "address" },
    2: { name: "contract_address", kind: "address" },
    3: { name: "call_value", kind: "int64" },
    4: { name: "data", kind: "bytes" },
    5: { name: "call_token_value", kind: "int64" },
    6: { name: "token_id", kind: "int64" },
  },
  AccountPermissionUpdateContract: {
    1: { name: "owner_address", kind: "address" },
    2: { name: "owner", kind: { message: PERMISSION } },
    3: { name: "witness", kind: { message: PERMISSION } },
    4: { name: "actives", kind: { message: PERMISSION }, repeated: true },
  },
  FreezeBalanceV2Contract: {
    1: { name: "owner_address", kind: "address" },
    2: { name: "frozen_balance", kind: "int64" },
    3: { name: "resource", kind: RESOURCE },
  },
  UnfreezeBalanceV2Contract: {
    1: { name: "owner_address", kind: "address" },
    2: { name: "unfreeze_balance", kind: "int64" },
    3: { name: "resource", kind: RESOURCE },
  },
  WithdrawExpireUnfreezeContract: { 1: { name: "owner_address", kind: "address" } },
  CancelAllUnfreezeV2Contract: { 1: { name: "owner_address", kind: "address" } },
  DelegateResourceContract: {
    1: { name: "owner_address", kind: "address" },
    2: { name: "resource", kind: RESOURCE },
    3: { name: "balance", kind: "int64" },
    4: { name: "receiver_address", kind: "address" },
    5: { name: "lock", kind: "bool" },
    6: { name: "lock_period", kind: "int64" },
  },
  UnDelegateResourceContract: {
    1: { name: "owner_address", kind: "address" },
    2: { name: "resource", kind: RESOURCE },
    3: { name: "balance", kind: "int64" },
    4: { name: "receiver_address", kind: "address" },
  },
};

export function contractSchema(type: string): Schema {
  return present(CONTRACT_SCHEMAS[type], `The node does not know ${type}`);
}

const ANY: Schema = {
  1: { name: "type_url", kind: "string" },
  2: { name: "value", kind: "bytes" },
};

const CONTRACT: Schema = {
  1: { name: "type", kind: { enum: CONTRACT_TYPES } },
  2: { name: "parameter", kind: { message: ANY } },
  5: { name: "Permission_id", kind: "int32" },
};

export const RAW: Schema = {
  1: { name: "ref_block_bytes", kind: "bytes" },
  3: { name: "ref_block_num", kind: "int64" },
  4: { name: "ref_block_hash", kind: "bytes" },
  8: { name: "expiration", kind: "int64" },
  10: { name: "data", kind: "text" },
  11: { name: "contract", kind: { message: CONTRACT }, repeated: true },
  14: { name: "timestamp", kind: "int64" },
  18: { name: "fee_limit", kind: "int64" },
};

export const RESULT: Schema = {
  1: { name: "fee", kind: "int64" },
  2: { name: "ret", kind: { enum: [[0, "SUCESS"], [1, "FAILED"]] } },
  3: { name: "contractRet", kind: { enum: CONTRACT_RESULTS } },
};

/** Raw data stays bytes: what was signed is kept as it came. */
export const TRANSACTION: Schema = {
  1: { name: "raw_data", kind: "bytes" },
  2: { name: "signature", kind: "bytes", repeated: true },
  5: { name: "ret", kind: { message: RESULT }, repeated: true },
};

export const HEADER_RAW: Schema = {
  1: { name: "timestamp", kind: "int64" },
  2: { name: "txTrieRoot", kind: "bytes" },
  3: { name: "parentHash", kind: "bytes" },
  7: { name: "number", kind: "int64" },
  9: { name: "witness_address", kind: "address" },
  10: { name: "version", kind: "int32" },
};

export const HEADER: Schema = {
  1: { name: "raw_data", kind: { message: HEADER_RAW } },
  2: { name: "witness_signature", kind: "bytes" },
};
