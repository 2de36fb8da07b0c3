import type { TransactionRow } from "../deposits/tables/transactions.ts";
import type { Amount } from "../domain/money/amount.ts";
import type { CurrencyRow } from "../networks/table.ts";
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
