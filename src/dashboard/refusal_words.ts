import { NodeError } from "../chains/faults.ts";
import { OperatorError, type RefusalCode, Refused } from "../domain/refusal.ts";

const WORDS: Partial<Record<RefusalCode, string>> = {
  network_not_found: "This network doesn't exist or is switched off",
  currency_not_found: "This currency doesn't exist on the network or is switched off",
  withdrawals_disabled: "Withdrawals of this currency are not enabled for the account",
  account_suspended: "This account is suspended, so you can't make changes",
  withdrawals_paused: "Withdrawals are paused",
  currency_paused: "Withdrawals are paused until an operator has checked an alert",
  amount_below_minimum: "The amount is below the minimum",
  insufficient_balance: "The available balance doesn't cover the amount and its fee",
  hot_wallet_missing: "The account has no hot wallet on this network",
};

/** Endings that name commands and flags, which pages don't have. */
const FOR_COMMANDS = /(: see "[a-z ]+"|; to add \S+ without its node give --.*)$/;

/** What a person did wrong, worded for a page; undefined if they shouldn't see it. */
export function errorForUser(error: unknown): OperatorError | undefined {
  if (error instanceof OperatorError) return forPage(error);
  if (error instanceof NodeError) return new OperatorError(error.message, { cause: error });
  const words = error instanceof Refused ? wordsOf(error) : undefined;
  return words === undefined ? undefined : new OperatorError(words, { cause: error });
}

function wordsOf({ code, detail }: Refused): string | undefined {
  return code === "invalid_address" ? detail.text : WORDS[code];
}

function forPage(error: OperatorError): OperatorError {
  const words = error.message.replace(FOR_COMMANDS, "");
  return words === error.message ? error : new OperatorError(words, { cause: error });
}
