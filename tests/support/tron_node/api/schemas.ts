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
] as const;

const CONTRACT_RESULTS = [
  [0, "DEFAULT"],
  [1, "SUCCESS"],
  [2, "REVERT"],
  [10, "OUT_OF_ENERGY"],
] as const;

const KEY: Schema = {
  1: { name: "address", kind: "address" },
  2: { name: "weight", kind: "int64" },
};

const PERMISSION: Schema = {
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
};

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

const LOG: Schema = {
  1: { name: "address", kind: "address" },
  2: { name: "topics", kind: "bytes", repeated: true },
  3: { name: "data", kind: "bytes" },
};

const CALL_VALUE: Schema = {
  1: { name: "callValue", kind: "int64" },
  2: { name: "tokenId", kind: "string" },
};

export const INTERNAL_TRANSACTION: Schema = {
  1: { name: "hash", kind: "bytes" },
  2: { name: "caller_address", kind: "address" },
  3: { name: "transferTo_address", kind: "address" },
  4: { name: "callValueInfo", kind: { message: CALL_VALUE }, repeated: true },
  5: { name: "note", kind: "bytes" },
  6: { name: "rejected", kind: "bool" },
};

const RECEIPT: Schema = {
  1: { name: "energy_usage", kind: "int64" },
  2: { name: "energy_fee", kind: "int64" },
  3: { name: "origin_energy_usage", kind: "int64" },
  4: { name: "energy_usage_total", kind: "int64" },
  5: { name: "net_usage", kind: "int64" },
  6: { name: "net_fee", kind: "int64" },
  7: { name: "result", kind: { enum: CONTRACT_RESULTS } },
  8: { name: "energy_penalty_total", kind: "int64" },
};

export const TRANSACTION_INFO: Schema = {
  1: { name: "id", kind: "bytes" },
  2: { name: "fee", kind: "int64" },
  3: { name: "blockNumber", kind: "int64" },
  4: { name: "blockTimeStamp", kind: "int64" },
  5: { name: "contractResult", kind: "bytes", repeated: true },
  6: { name: "contract_address", kind: "address" },
  7: { name: "receipt", kind: { message: RECEIPT } },
  8: { name: "log", kind: { message: LOG }, repeated: true },
  9: { name: "result", kind: { enum: [[0, "SUCESS"], [1, "FAILED"]] } },
  10: { name: "resMessage", kind: "text" },
  17: {
    name: "internal_transactions",
    kind: { message: INTERNAL_TRANSACTION },
    repeated: true,
  },
};

const FROZEN_V2: Schema = {
  1: { name: "type", kind: { enum: [[0, "BANDWIDTH"], [1, "ENERGY"], [2, "TRON_POWER"]] } },
  2: { name: "amount", kind: "int64" },
};

const ASSET_ENTRY: Schema = {
  1: { name: "key", kind: "string" },
  2: { name: "value", kind: "int64" },
};

/** In the order of the answer; the numbers have no meaning, for an account is never decoded here. */
export const ACCOUNT: Schema = {
  1: { name: "address", kind: "address" },
  2: { name: "type", kind: { enum: [[0, "Normal"], [1, "AssetIssue"], [2, "Contract"]] } },
  3: { name: "balance", kind: "int64" },
  4: { name: "net_usage", kind: "int64" },
  5: { name: "create_time", kind: "int64" },
  6: { name: "latest_opration_time", kind: "int64" },
  7: { name: "free_net_usage", kind: "int64" },
  8: { name: "latest_consume_time", kind: "int64" },
  9: { name: "latest_consume_free_time", kind: "int64" },
  10: { name: "owner_permission", kind: { message: PERMISSION } },
  11: { name: "active_permission", kind: { message: PERMISSION }, repeated: true },
  12: { name: "frozenV2", kind: { message: FROZEN_V2 }, repeated: true },
  13: { name: "assetV2", kind: { message: ASSET_ENTRY }, repeated: true },
};

export const RETURN: Schema = {
  1: { name: "result", kind: "bool" },
  2: {
    name: "code",
    kind: {
      enum: [
        [0, "SUCCESS"],
        [1, "SIGERROR"],
        [2, "CONTRACT_VALIDATE_ERROR"],
        [3, "CONTRACT_EXE_ERROR"],
        [4, "BANDWITH_ERROR"],
        [5, "DUP_TRANSACTION_ERROR"],
        [6, "TAPOS_ERROR"],
        [7, "TOO_BIG_TRANSACTION_ERROR"],
        [8, "TRANSACTION_EXPIRATION_ERROR"],
        [9, "SERVER_BUSY"],
        [10, "NO_CONNECTION"],
        [11, "NOT_ENOUGH_EFFECTIVE_CONNECTION"],
        [12, "BLOCK_UNSOLIDIFIED"],
        [20, "OTHER_ERROR"],
      ],
    },
  },
  3: { name: "message", kind: "text" },
};
