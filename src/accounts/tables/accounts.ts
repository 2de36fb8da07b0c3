import { bool, defineTable, int, type RowOf, text } from "../../store/tables/table.ts";

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
    /** Deposit addresses delegate also where it takes native coins; null: no. */
    delegatesNative: bool().orNull(),
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
    /** Or the merchant's own extended key, from which deposit addresses are derived. */
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
