import { NodeError } from "../../chains/faults.ts";
import { isOnceKey } from "../parts/once.tsx";
import { moneyText } from "../../domain/money/written.ts";
import {
  OperatorError,
  type RefusalCode,
  Refused,
  type RequestCode,
} from "../../domain/refusal.ts";
import { ActionRefused, type RefusalWords, wordRefusal } from "../../domain/refusals/refuse.ts";
import { withNodeFaults } from "../../operations/words/node_faults.ts";
import type { InvoiceRow } from "../../invoices/tables/invoices.ts";

const ANYWAY = "tick the box to resume anyway";
const OR_ANYWAY = `If you know that none of it was a payout, ${ANYWAY}`;
const READ_AGAIN = "On the command line, rescan from before the backup and book what it paid since";

/** What to do about refusals after a restore. */
const AFTER_RESTORE: RefusalWords = {
  wallet_not_read: () =>
    "Let the server catch up, book what it finds on the command line, then try again. " + OR_ANYWAY,
  wallet_unexplained: () =>
    `On the command line, book what was yours, so that nothing is paid twice. ${OR_ANYWAY}`,
  wallet_read_without: () => `${READ_AGAIN}, then try again. ${OR_ANYWAY}`,
  wallet_far_ahead: () =>
    "Compare with a block explorer: if it shows none, the node is wrong, so replace it and try " +
    `again. Otherwise find out who has the key, then ${ANYWAY}`,
  wallet_not_counted: () => `${READ_AGAIN}, then ${ANYWAY}`,
  wallet_was_another: ({ isGasWallet }) =>
    isGasWallet
      ? "If you accept that, tick the box to resume anyway"
      : `Take that off the balance and let nobody repeat the request, then ${ANYWAY}`,
  payments_in_pool: () =>
    "When all are in blocks, book what was yours on the command line, then try again. " + OR_ANYWAY,
  payments_may_come: () => `Try again then. ${OR_ANYWAY}`,
};

/** What pages answer in another way, or `wordsFor` words with what the refusal says. */
type WordedElsewhere =
  | RequestCode
  | "broadcast_rejected"
  | "hot_wallet_not_allocated"
  | "idempotency_conflict"
  | "invalid_address"
  | "not_found"
  | "outcome_unknown"
  | "policy_refused"
  | "quota_exceeded"
  | "rate_unavailable"
  | "unavailable";

const REFUSED: Readonly<Record<Exclude<RefusalCode, WordedElsewhere>, string>> = {
  network_not_found: "This network doesn't exist or is switched off",
  currency_not_found: "This currency doesn't exist on the network or is switched off",
  deposits_disabled: "Deposits of this currency are not enabled for the account",
  invoice_final: "This invoice can't be changed any more, or nothing has been credited yet",
  withdrawals_disabled: "Payouts of this currency are not enabled for the account",
  account_suspended: "This account is suspended, so you can't make changes",
  withdrawals_paused: "Payouts are paused",
  currency_paused: "Payouts are paused until an operator has checked an alert",
  amount_below_minimum: "The amount is below the minimum",
  refund_too_high:
    "This is more than what was credited for the invoice and is still left to refund",
  refund_too_small:
    "This is worth less than the network fee of paying it: refund more, or all that is left",
  insufficient_balance: "The available balance doesn't cover the amount and its fee",
  hot_wallet_missing: "The account has no hot wallet on this network",
};

/** Of what the API also refuses. The other codes are not shown. */
export const API_WORDS: Readonly<Partial<Record<RefusalCode, string>>> = REFUSED;

const ANOTHER_SYMBOL = "Switch it off, and add the right one with another symbol";

/** What to do about it, as a sentence of its own. */
const NEXT: RefusalWords = {
  adjustment_uncovered: () => 'If that is right, tick "Allow a negative balance"',
  balances_tampered: () => "They have to be checked on the command line first",
  account_books_wrong: () => "The Reconcile page shows where",
  receiver_tampered: () => "On the command line, an operator can set the right one",
  currency_moved: () => ANOTHER_SYMBOL,
  currency_held: () => ANOTHER_SYMBOL,
  no_block_in_common: () => "Enter the block to read again from",
  rows_tampered: () => "On the command line, an operator can check and accept them",
  alert_stays: () => "Resume on the Stop page",
  ...AFTER_RESTORE,
  bids_used_up: () => "Only an operator can bid again, on the command line",
  new_nodes_silent: () => 'To set the new ones anyway, tick "Even if no node answers"',
  rate_unread: () => 'To add it anyway, tick "Even if there is no price yet"',
  traces_not_served: () => 'Choose "auto" to do without them',
  bid_refused: () => 'Once they take replacements, "Resend" sends it',
  withdrawal_signed: () => "It can still be revoked once it is sent",
  withdrawal_being_revoked: () => 'To raise its fee, choose "Bump fee"',
};

/** If the reference is the form's own. */
const SENT_BEFORE: RefusalWords = {
  reference_taken: ({ amount, currency, network, at }) =>
    `This form was already sent: ${amount} ${currency} on ${network} was booked at ${at}. ` +
    "Open the form again to book another one",
  withdrawal_reference_taken: ({ id }) =>
    `This form was already sent: it made payout ${id}. Open the form again to make another one`,
};

/** It must not look as if the form had made another invoice. */
export function sentBefore({ id, amount, currency }: InvoiceRow): OperatorError {
  return new OperatorError(
    `This form was already sent: it made invoice ${id} for ${
      moneyText(amount, { currency, rounding: "exact" })
    }. ` +
      "Open the form again to make another one",
  );
}

/** A refusal and what led to it. */
export function cannot(what: string, refusal: ActionRefused): OperatorError {
  return new OperatorError(`${what}. ${refusalText(refusal)}`, { cause: refusal });
}

/** What a person did wrong, worded for a page; undefined if they shouldn't see it. */
export function errorForUser(error: unknown): OperatorError | undefined {
  if (error instanceof OperatorError && !(error instanceof ActionRefused)) return error;
  const words = wordsFor(error);
  return words === undefined
    ? undefined
    : new OperatorError(withNodeFaults(words), { cause: error });
}

function wordsFor(error: unknown): string | undefined {
  if (error instanceof ActionRefused) return refusalText(error);
  if (error instanceof NodeError) return error.message;
  if (!(error instanceof Refused)) return undefined;
  if (error.code === "invalid_address") return error.detail.text;
  const { code, detail: { text } } = error;
  if (code === "policy_refused") return `The rule "${text}" refuses this payout`;
  if (code === "quota_exceeded") return text;
  if (code === "rate_unavailable") return `No rate for ${text}`;
  if (code === "currency_not_found" && text) return `This currency doesn't exist: ${text}`;
  return API_WORDS[code];
}

function refusalText(refusal: ActionRefused): string {
  const { reference } = refusal.fields as { reference?: string };
  const sentBefore = reference && isOnceKey(reference) && wordRefusal(SENT_BEFORE, refusal);
  if (sentBefore) return sentBefore;
  const fact = asPayout(refusal.message);
  const next = wordRefusal(NEXT, refusal);
  return next === undefined ? fact : `${fact}. ${next}`;
}

/** As pages call it. What is in quotes is somebody else's word. */
function asPayout(fact: string): string {
  return fact.replaceAll(/"[^"]*"|\b[Ww]ithdrawal/g, (found) => {
    if (found.startsWith('"')) return found;
    return found.startsWith("W") ? "Payout" : "payout";
  });
}
