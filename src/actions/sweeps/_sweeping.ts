import type { Chain } from "../../chains/chain.ts";
import type { Amount } from "../../domain/money/amount.ts";
import type { AddressRow } from "../../store/tables/addresses.ts";
import type { CurrencyRow, NetworkRow } from "../../store/tables/setup.ts";
import type { SweepRow } from "../../store/tables/sweeps.ts";
import type { TransactionRow } from "../../store/tables/transactions.ts";

/** A sweep whose time has come, with all that is known of it. */
export interface Sweeping {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly sweep: SweepRow;
  readonly currency: CurrencyRow;
  readonly address: AddressRow;
  readonly to: string;
  readonly deposits: readonly TransactionRow[];
  /** What is assigned to it and has left the chain: not there to be moved. */
  readonly orphans: readonly TransactionRow[];
  readonly amount: Amount;
}
