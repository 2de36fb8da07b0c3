import type { FamilyName } from "../../domain/families.ts";
import type { Role } from "../../access/rules/roles.ts";
import type { Permission } from "../../access/rules/permissions.ts";
import { bool, defineTable, int, json, type RowOf, text } from "./table.ts";

export const Secrets = defineTable("secrets", {
  columns: {
    name: text(),
    sealed: text(),
  },
  primary: ["name"],
  encrypted: { sealed: ({ name }) => `secrets.${name}` },
});

export const Networks = defineTable("networks", {
  columns: {
    code: text(),
    family: text<FamilyName>(),
    name: text(),
    nativeSymbol: text(),
    nativeDecimals: int(),
    chainId: text(),
    genesisHash: text().orNull(),
    rpcUrls: json<readonly string[]>(),
    minConfirmations: int(),
    pollIntervalMs: int(),
    startHeight: int(),
    finality: text<"none" | "finalized">(),
    quorum: int(),
    traces: text<"auto" | "on" | "off">(),
    feeModel: text<"l1" | "op_stack" | "arbitrum">(),
    gasPriceMaxRaw: text().orNull(),
    /** The most native coin one transaction may cost. Null: the chain's default. */
    feeMax: text().orNull(),
    hotGasTarget: text(),
    isActive: bool(),
    createdAtMs: int(),
    /** What an operator has said about its coins; null: its chain id says it. */
    isTest: bool().orNull(),
    /** How often that was changed; null: never. */
    testChanges: int().orNull(),
    /** Where nodes push new heads: one for each of `rpcUrls`, "" for none. Null: none at all. */
    wsUrls: json<readonly string[]>().orNull(),
  },
  primary: ["code"],
  isConfig: true,
  sealedExcept: [],
});
export type NetworkRow = RowOf<typeof Networks>;

export const Currencies = defineTable("currencies", {
  columns: {
    network: text(),
    symbol: text(),
    name: text(),
    contractAddress: text().orNull(),
    decimals: int(),
    minDepositAmount: text(),
    minWithdrawalAmount: text(),
    feeFlat: text(),
    feePercent: text(),
    sweepMinAmount: text(),
    nativeRate: text().orNull(),
    gasMax: int().orNull(),
    isActive: bool(),
    createdAtMs: int(),
  },
  primary: ["network", "symbol"],
  unique: { contract: ["network", "contractAddress"] },
  isConfig: true,
  sealedExcept: [],
});
export type CurrencyRow = RowOf<typeof Currencies>;

export const Accounts = defineTable("accounts", {
  columns: {
    id: int(),
    name: text(),
    /** Whether the account's own users may bump, resend and cancel withdrawals. */
    mayPush: bool(),
    /** Null unless an operator has suspended it. */
    suspendedAtMs: int().orNull(),
    suspendedReason: text().orNull(),
    createdAtMs: int(),
    /** How long a changed receiving wallet waits before it is used; null: 24 hours. */
    coolingMs: int().orNull(),
    /** Null: no. */
    requiresSecondFactor: bool().orNull(),
    /** Whether a second person must approve some changes; null: no. */
    dualControl: bool().orNull(),
    /** The currency in which its ledger entries are valued, in capitals; null: none. */
    reporting: text().orNull(),
    /** How many megabytes are stored for it a day at most; null: the default. */
    quotaMb: int().orNull(),
  },
  primary: ["id"],
  isSerial: true,
  isConfig: true,
  isGuarded: true,
  sealedExcept: [],
});
export type AccountRow = RowOf<typeof Accounts>;

export const AccountCurrencies = defineTable("account_currencies", {
  columns: {
    accountId: int(),
    network: text(),
    currency: text(),
    isDepositEnabled: bool(),
    isWithdrawalEnabled: bool(),
    /** An operator switched it off, so no merchant can enable it. */
    isDepositBarred: bool(),
    isWithdrawalBarred: bool(),
  },
  primary: ["accountId", "network", "currency"],
  sealedExcept: [],
});
export type AccountCurrencyRow = RowOf<typeof AccountCurrencies>;

export const ReceivingWallets = defineTable("receiving_wallets", {
  columns: {
    accountId: int(),
    network: text(),
    address: text(),
    /** Replaces the address at that time. */
    nextAddress: text().orNull(),
    nextAtMs: int().orNull(),
  },
  primary: ["accountId", "network"],
  isGuarded: true,
  sealedExcept: [],
});
export type ReceivingWalletRow = RowOf<typeof ReceivingWallets>;

/** Binds a sealed secret to its row. */
export function apiSecretContext(keyId: string): string {
  return `api_keys.secret:${keyId}`;
}

export const ApiKeys = defineTable("api_keys", {
  columns: {
    keyId: text(),
    accountId: int(),
    label: text(),
    secretSealed: text(),
    permissions: json<readonly Permission[]>(),
    ipList: json<readonly string[]>(),
    rateLimit: int(),
    createdAtMs: int(),
    revokedAtMs: int().orNull(),
    /** What the account itself gave it; null: an operator made the key. */
    ownRateLimit: int().orNull(),
  },
  primary: ["keyId"],
  isConfig: true,
  encrypted: { secretSealed: ({ keyId }) => apiSecretContext(keyId) },
  // It only limits what an account may give its keys.
  isGuarded: true,
  sealedExcept: ["ownRateLimit"],
});
export type ApiKeyRow = RowOf<typeof ApiKeys>;

/** Keys of programs that manage the gateway over `/admin/v1`, as somebody with that role would. */
export const RoleKeys = defineTable("role_keys", {
  columns: {
    keyId: text(),
    role: text<Role>(),
    /** The only account that exists for it; null: every account does. */
    accountId: int().orNull(),
    label: text(),
    secretSealed: text(),
    ipList: json<readonly string[]>(),
    rateLimit: int(),
    /** Whoever made it asks for what it asks for. */
    madeBy: text(),
    createdAtMs: int(),
    revokedAtMs: int().orNull(),
  },
  primary: ["keyId"],
  isConfig: true,
  encrypted: { secretSealed: ({ keyId }) => apiSecretContext(keyId) },
  isGuarded: true,
  sealedExcept: [],
});
export type RoleKeyRow = RowOf<typeof RoleKeys>;
