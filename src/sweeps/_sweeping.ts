import type { TransactionRow } from "../deposits/tables/transactions.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import type { SweepRow } from "./table.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";

/** A due sweep and everything known about it. */
export interface Sweeping {
  readonly sweep: SweepRow;
  readonly currency: CurrencyRow;
  readonly address: AddressRow;
  readonly to: string;
  readonly deposits: readonly TransactionRow[];
  /** Deposits assigned to it that have left the chain, so they can't be moved. */
  readonly orphans: readonly TransactionRow[];
  readonly amount: Amount;
}

/** False for deposits that a reorganisation has removed. */
export function isSweepable({ status, blockHash }: TransactionRow): boolean {
  return (status === "confirmed" || status === "sweep_pending") && blockHash !== null;
}

/** A sweep may cost a quarter of what it moves; below that it waits for more deposits or lower fees. */
const WORTH_TIMES_COST = 4n;

/** Always, if the currency's value is unknown. */
export function isWorthIt(
  network: NetworkRow,
  { currency, amount, costAtMostRaw }: Pick<Sweeping, "currency" | "amount"> & {
    costAtMostRaw: bigint;
  },
): boolean {
  const native = {
    asset: assetOf({ network: network.code, currency: network.nativeSymbol }),
    decimals: network.nativeDecimals,
  };
  const rate = currency.contractAddress === null ? "1" : currency.nativeRate;
  if (rate === null) return true;
  const cost = Amount.fromRaw(costAtMostRaw * WORTH_TIMES_COST, native);
  const worth = amount.convertedBy(rate, native.asset);
  return !worth.isLessThan(cost);
}
