export type DifferenceKind =
  /** An entry does not follow from the one before it. */
  | "ledger_entry"
  /** The entries come to another balance. */
  | "ledger_balance"
  /** The entries come to another sum held. */
  | "ledger_held"
  /** What is held is not what the open withdrawals cost. */
  | "held_withdrawals"
  /** Money is missing on a deposit address. */
  | "deposit_address"
  /** The hot wallet cannot pay what was signed. */
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

/** A deposit address holds more than anybody told of. */
export interface Surplus {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
  readonly address: string;
  readonly amount: string;
}
