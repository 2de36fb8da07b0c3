import type * as rows from "./rows.ts";
import { defineTable } from "./table.ts";

interface SecretRow {
  readonly name: string;
  readonly sealed: string;
}

export const Secrets = defineTable<SecretRow>("secrets", {
  columns: { name: "text", sealed: "text" },
  primary: ["name"],
  sealed: { sealed: ({ name }) => `secrets.${name}` },
});

export const Networks = defineTable<rows.NetworkRow>("networks", {
  columns: {
    code: "text",
    family: "text",
    name: "text",
    nativeSymbol: "text",
    nativeDecimals: "int",
    chainId: "text",
    genesisHash: "text",
    rpcUrls: "json",
    minConfirmations: "int",
    pollIntervalMs: "int",
    startHeight: "int",
    finality: "text",
    quorum: "int",
    traces: "text",
    feeModel: "text",
    gasPriceMaxRaw: "text",
    feeMax: "text",
    hotGasTarget: "text",
    isActive: "bool",
    createdAtMs: "int",
  },
  primary: ["code"],
  isConfig: true,
  unguarded: [],
});

export const Currencies = defineTable<rows.CurrencyRow>("currencies", {
  columns: {
    network: "text",
    symbol: "text",
    name: "text",
    contractAddress: "text",
    decimals: "int",
    minDepositAmount: "text",
    minWithdrawalAmount: "text",
    feeFlat: "text",
    feePercent: "text",
    sweepMinAmount: "text",
    nativeRate: "text",
    gasMax: "int",
    isActive: "bool",
    createdAtMs: "int",
  },
  primary: ["network", "symbol"],
  unique: { contract: ["network", "contractAddress"] },
  isConfig: true,
  unguarded: [],
});

export const Accounts = defineTable<rows.AccountRow>("accounts", {
  columns: {
    id: "int",
    name: "text",
    mayPush: "bool",
    suspendedAtMs: "int",
    suspendedReason: "text",
    createdAtMs: "int",
  },
  primary: ["id"],
  isSerial: true,
  unguarded: [],
});

export const AccountCurrencies = defineTable<rows.AccountCurrencyRow>("account_currencies", {
  columns: {
    accountId: "int",
    network: "text",
    currency: "text",
    isDepositEnabled: "bool",
    isWithdrawalEnabled: "bool",
    isDepositBarred: "bool",
    isWithdrawalBarred: "bool",
  },
  primary: ["accountId", "network", "currency"],
  unguarded: [],
});

export const ReceivingWallets = defineTable<rows.ReceivingWalletRow>("receiving_wallets", {
  columns: { accountId: "int", network: "text", address: "text" },
  primary: ["accountId", "network"],
  unguarded: [],
});

/** Binds a sealed secret to its row. */
export function apiSecretContext(keyId: string): string {
  return `api_keys.secret:${keyId}`;
}

export const ApiKeys = defineTable<rows.ApiKeyRow>("api_keys", {
  columns: {
    keyId: "text",
    accountId: "int",
    label: "text",
    secretSealed: "text",
    permissions: "json",
    ipList: "json",
    rateLimit: "int",
    createdAtMs: "int",
    revokedAtMs: "int",
  },
  primary: ["keyId"],
  isConfig: true,
  sealed: { secretSealed: ({ keyId }) => apiSecretContext(keyId) },
  unguarded: [],
});
