import type { FamilyName } from "../domain/families.ts";
import { bool, defineTable, int, json, type RowOf, text } from "../store/tables/table.ts";

/** single: one transaction each; batch: many in one; auto: whatever is cheaper. */
type CollectMode = "single" | "batch" | "auto";

/** Binds the sealed URLs of nodes to their row and column. */
export function nodeUrlsContext(column: "rpc_urls" | "ws_urls", code: string): string {
  return `networks.${column}:${code}`;
}

export const Networks = defineTable("networks", {
  columns: {
    code: text(),
    family: text<FamilyName>(),
    name: text(),
    nativeSymbol: text(),
    nativeDecimals: int(),
    chainId: text(),
    genesisHash: text().orNull(),
    /** With *** instead of names and passwords; see `NodeUrls`. */
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
    /** How sweeps are sent; null: each in a transaction of its own. */
    collect: text<CollectMode>().orNull(),
    /** How long a sweep waits for company at most; null: the default. */
    collectWaitMs: int().orNull(),
    /** From how many blocks on nothing is undone, where the chain doesn't say it. Null: its default. */
    finalBlocks: int().orNull(),
    /** In how many blocks a payment should be mined, where nodes are asked. Null: the default. */
    feeTarget: int().orNull(),
    /** `rpcUrls` and `wsUrls` with their names and passwords. Null: none has any. */
    rpcUrlsSealed: text().orNull(),
    wsUrlsSealed: text().orNull(),
  },
  primary: ["code"],
  isConfig: true,
  encrypted: {
    rpcUrlsSealed: ({ code }) => nodeUrlsContext("rpc_urls", code),
    wsUrlsSealed: ({ code }) => nodeUrlsContext("ws_urls", code),
  },
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
