import { type Advice, type AdviceWords, wordAdvice } from "../../domain/advice.ts";
import type { HaltCode } from "../../domain/reason_codes.ts";
import type { LaterChange } from "../../integrity/rules/refusals.ts";

const BEFORE_RESUMING: Readonly<Record<HaltCode, string>> = {
  restored: "Book what was paid since the backup, then let the wallet sign again",
  made_again: "Rescan from before the backup and book what was paid since, then let the wallet " +
    "sign again",
  used_elsewhere: "Find out who used its key, then let the wallet sign again",
};

const CHANGE_AGAIN: Readonly<Record<LaterChange, string>> = {
  account_suspended: "Suspend the account again",
  key_changed: "Revoke the key and create another one",
  key_revoked: "Revoke the key again",
  payouts_switched_off: "Switch payouts of the currency off again",
  receiver_set: "Set the receiving wallet again on the command line",
  user_changed: "Reset the user again",
};

const WORDS: AdviceWords = {
  resume_wallet: ({ halted }) => BEFORE_RESUMING[halted],
  adopt_spend: () => "If this gateway signed it before a restore, book it on the command line",
  settle_withdrawal: () => "Look there, then settle the payout on its page",
  switch_traces_off: () => "To continue without traces, switch them off on the network's page",
  reconcile_untraced: () =>
    "Comparing books and chain finds coins that contracts sent there, and so does a rescan with a " +
    "node that serves more",
  resend_dead_events: () => "Send it again on the webhook's page",
  enable_webhook: () => "Its events wait until you enable or remove the webhook",
  bid_anyway: () => "Bidding again needs the command line",
  raise_fee_max: () => "You can raise the fee limit on the network's page",
  credit_surplus: ({ accountId }) => `You can credit it to account ${accountId}`,
  allow_recipient: () => "You can allow them again on the Recipients page",
  fund_gas_wallet: () => "The Wallets page shows where to send coins",
  accept_balances: () =>
    "Compare books and chain first. Then accept them as they are, on the command line",
  resume_signing: () => "Resume on the Stop page",
  check_rows: () =>
    "On the command line, check all rows, then restore or accept those that were changed",
  vouch_for_deposit: () => "You can vouch for it on the deposit's page",
  accept_payment: () => "This needs the command line",
  change_again: ({ change }) => CHANGE_AGAIN[change],
};

export function adviceText(advice: Advice): string {
  return wordAdvice(WORDS, advice);
}
