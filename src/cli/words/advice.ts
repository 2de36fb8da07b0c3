import { type Advice, type AdviceWords, wordAdvice } from "../../domain/advice.ts";
import type { HaltCode } from "../../domain/reason_codes.ts";
import type { LaterChange } from "../../domain/refusals/integrity.ts";

const BEFORE_RESUMING: Readonly<Record<HaltCode, string>> = {
  restored: 'book what was paid since the backup (see "help wallet adopt"), then ',
  made_again: 'run "rescan" from before the backup, since blocks were read without this wallet, ' +
    'and book what was paid since (see "help wallet adopt"), then ',
  used_elsewhere: "find out who used its key, then ",
};

export const CHANGING: Readonly<Record<LaterChange, string>> = {
  account_suspended: '"account suspend"',
  key_changed: '"key set"',
  key_revoked: '"key revoke"',
  payouts_switched_off: '"account enable --withdrawal off"',
  receiver_set: '"account receiving-wallet --now"',
  user_changed: '"user reset"',
};

export function acceptPayment(id: number): string {
  return `"integrity accept --table signed_transfers --row ${id}"`;
}

const WORDS: AdviceWords = {
  resume_wallet: ({ network, address, halted }) =>
    `${BEFORE_RESUMING[halted]}` +
    `"wallet resume --network ${network} --address ${address}" lets it sign again`,
  adopt_spend: ({ network, txHash }) =>
    `"wallet adopt ${txHash} --network ${network}" books what this gateway signed before that`,
  settle_withdrawal: ({ withdrawalId }) =>
    `look there, then run "withdrawal settle ${withdrawalId} --as paid" or "--as unpaid"`,
  switch_traces_off: ({ network }) =>
    `"network set ${network} --traces off" continues without them`,
  reconcile_untraced: () =>
    '"reconcile" finds coins that contracts sent there, and so does a rescan with a node that ' +
    "serves more",
  resend_dead_events: () => '"webhook redeliver --dead" sends it again',
  enable_webhook: ({ webhookId }) =>
    `its events wait until you run "webhook enable ${webhookId}" or "webhook remove ${webhookId}"`,
  raise_fee_max: ({ network }) => `"network set ${network} --fee-max" allows more`,
  credit_surplus: ({ network, address, currency, amount, accountId }) =>
    `"deposit credit --network ${network} --address ${address} --currency ${currency} ` +
    `--amount ${amount} --note ..." credits it to account ${accountId}`,
  allow_recipient: ({ network, address }) =>
    `"recipient allow --network ${network} --address ${address}" allows them again`,
  fund_gas_wallet: ({ network }) => `"network gas-wallet ${network}" shows where to send coins`,
  accept_balances: () => 'check with "reconcile"; "integrity resume" accepts them as they are',
  resume_signing: () => '"resume" starts it again',
  check_rows: () => '"integrity check" lists all such rows',
  vouch_for_deposit: ({ transactionId }) => `"deposit vouch ${transactionId}" vouches for it`,
  accept_payment: ({ transferId }) => `${acceptPayment(transferId)} accepts it`,
  change_again: ({ change }) => `${CHANGING[change]} does that`,
};

export function withAdvice(text: string, advice: Advice | null): string {
  return advice === null ? text : `${text}; ${wordAdvice(WORDS, advice)}`;
}
