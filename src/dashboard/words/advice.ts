import { type Advice, type AdviceWords, wordAdvice } from "../../domain/advice.ts";
import type { HaltCode } from "../../domain/reason_codes.ts";

const COMMAND = "This takes the command line";

const BEFORE_RESUMING: Readonly<Record<HaltCode, string>> = {
  restored: "Book what was paid since the backup, then let the wallet sign again",
  made_again: "Rescan from before the backup and book what was paid since, then let the wallet " +
    "sign again",
  used_elsewhere: "Find out who used its key, then let the wallet sign again",
};

const WORDS: AdviceWords = {
  resume_wallet: ({ halted }) => BEFORE_RESUMING[halted],
  adopt_spend: () => "If this gateway signed it before a restore, book it on the command line",
  settle_withdrawal: () => "Look there, then settle the withdrawal on its page",
  switch_traces_off: () => "Switching traces off on the network's page reads on without them",
  reconcile_untraced: () =>
    "Comparing books and chain finds coins that contracts sent there, and so does a rescan with a " +
    "node that serves more",
  resend_dead_events: () => "Send it again on the webhook's page",
  enable_webhook: () => "Its events wait until you enable or remove the webhook",
  raise_fee_max: () => "You can raise the fee limit on the network's page",
  credit_surplus: ({ accountId }) => `You can credit it to account ${accountId}`,
  allow_recipient: () => "You can allow them again on the Recipients page",
  fund_gas_wallet: () => "The Wallets page shows where to send coins",
  accept_balances: () => `Compare books and chain first. ${COMMAND}: accept them as they stand`,
  resume_signing: () => "Resume on the Stop page",
};

export function adviceText(advice: Advice): string {
  return wordAdvice(WORDS, advice);
}
