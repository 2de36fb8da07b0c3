/**
 * Why an account's withdrawals of a currency are paused. A tampered row pauses them until it is
 * resumed; anything else, also too many failed payments, until an operator has compared the books.
 */
export type FreezeCode = "books_differ" | "tampered";

/** Why a sweep waits, or why it is parked. */
export type SweepCode =
  | "no_receiving_wallet"
  | "tampered"
  | "wallet_halted"
  | "below_minimum"
  | "others_parked"
  | "not_worth_it"
  | "moved_before"
  | "gas_on_its_way"
  | "gas_not_enough"
  | "another_first"
  | "tokens_missing"
  | "reverts"
  | "refused"
  | "not_answered"
  | "failed_on_chain"
  | "failed_in_batch"
  | "waits_for_company"
  | "retried";

/** Why a wallet signs nothing. `restored` and `made_again` may have paid what the books don't know. */
export type HaltCode = "restored" | "made_again" | "used_elsewhere";
