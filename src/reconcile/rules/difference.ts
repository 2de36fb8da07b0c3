export type DifferenceKind =
  /** An entry doesn't follow from the one before it. */
  | "ledger_entry"
  /** The entries add up to a different balance. */
  | "ledger_balance"
  /** The entries add up to a different sum held. */
  | "ledger_held"
  /** The sum held differs from what the open withdrawals cost. */
  | "held_withdrawals"
  /** Money is missing on a deposit address. */
  | "deposit_address"
  /** The hot wallet can't pay what was signed. */
  | "hot_wallet";

/** The books contradict themselves, or the chain has less than they say. */
export interface Difference {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
  readonly kind: DifferenceKind;
  readonly expected: string;
  readonly found: string;
  readonly detail: string;
}

/** A deposit address holds more than its transactions explain. */
export interface Surplus {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
  readonly address: string;
  readonly amount: string;
}

/** What was kept of an invoice differed from its payments and refunds. */
export interface WrongSums {
  readonly invoiceId: number;
  readonly accountId: number;
  readonly currency: string;
  /** The value of what is credited. */
  readonly expected: string;
  readonly found: string;
}
