import { CONTRACT_RESULTS, PERMISSION, RESOURCE, type Schema } from "./schemas.ts";

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
  28: { name: "withdraw_expire_amount", kind: "int64" },
};

const FROZEN_V2: Schema = {
  1: { name: "type", kind: { enum: [[0, "BANDWIDTH"], [1, "ENERGY"], [2, "TRON_POWER"]] } },
  2: { name: "amount", kind: "int64" },
};

const UNFROZEN_V2: Schema = {
  1: { name: "type", kind: RESOURCE },
  3: { name: "unfreeze_amount", kind: "int64" },
  4: { name: "unfreeze_expire_time", kind: "int64" },
};

const ACCOUNT_RESOURCE: Schema = {
  1: { name: "energy_usage", kind: "int64" },
  3: { name: "latest_consume_time_for_energy", kind: "int64" },
  9: { name: "energy_window_size", kind: "int64" },
  10: { name: "delegated_frozenV2_balance_for_energy", kind: "int64" },
  11: { name: "acquired_delegated_frozenV2_balance_for_energy", kind: "int64" },
  12: { name: "energy_window_optimized", kind: "bool" },
};

export const LOAN: Schema = {
  1: { name: "from", kind: "address" },
  2: { name: "to", kind: "address" },
  3: { name: "frozen_balance_for_bandwidth", kind: "int64" },
  4: { name: "frozen_balance_for_energy", kind: "int64" },
};

const ASSET_ENTRY: Schema = {
  1: { name: "key", kind: "string" },
  2: { name: "value", kind: "int64" },
};

/** In the order of the answer; the numbers mean nothing, because no account is decoded here. */
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
  10: { name: "net_window_size", kind: "int64" },
  11: { name: "net_window_optimized", kind: "bool" },
  12: { name: "account_resource", kind: { message: ACCOUNT_RESOURCE } },
  13: { name: "owner_permission", kind: { message: PERMISSION } },
  14: { name: "active_permission", kind: { message: PERMISSION }, repeated: true },
  15: { name: "frozenV2", kind: { message: FROZEN_V2 }, repeated: true },
  16: { name: "unfrozenV2", kind: { message: UNFROZEN_V2 }, repeated: true },
  17: { name: "delegated_frozenV2_balance_for_bandwidth", kind: "int64" },
  18: { name: "acquired_delegated_frozenV2_balance_for_bandwidth", kind: "int64" },
  19: { name: "assetV2", kind: { message: ASSET_ENTRY }, repeated: true },
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
