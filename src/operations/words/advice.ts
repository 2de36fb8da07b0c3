import { type Advice, type AdviceWords, wordAdvice } from "../../domain/advice.ts";
import type { AlertKind } from "../../alerts/rules/alert_kinds.ts";
import type { HaltCode } from "../../domain/reason_codes.ts";
import type { LaterChange } from "../../integrity/rules/refusals.ts";
import type { AlertRow } from "../../alerts/table.ts";

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
  return `"integrity accept --table signed_transactions --row ${id}"`;
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
  bid_anyway: ({ network }) =>
    `"withdrawal bump ID --anyway" bids more; "network set ${network} --fee-max AMOUNT" allows more`,
  raise_fee_max: ({ network }) => `wait, or "network set ${network} --fee-max AMOUNT" allows more`,
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

/** Of alerts that carry no advice of their own, or not yet. Where a network is needed, it is named. */
const BY_KIND: Readonly<Record<AlertKind, string>> = {
  account_failing: 'ask the merchant what these recipients are, then run "account unfreeze"',
  blocks_untraced: '"reconcile" finds coins that contracts sent there',
  books_differ: 'find the cause with "reconcile", then run "account unfreeze"',
  deposit_not_covered:
    "wait until the address holds enough; if it never will, don't list that token",
  deposit_orphaned: "nothing yet: it closes when the deposit returns, or is taken back",
  deposit_reversed: "if the balance is negative now, talk to the merchant",
  deposit_surplus: '"deposit credit" credits it',
  deposit_unlisted: "the merchant has to find out who paid",
  deposit_unseen: "nothing: if it is mined all the same, it is credited as a new deposit",
  fee_too_high: 'wait, or "network set CODE --fee-max AMOUNT" allows more',
  finality_stalled: "check the chain's status page and your node",
  foreign_delegate:
    '"network collector CODE --release ADDRESS" ends it, once you know who has the key',
  foreign_spend:
    'after a restore, "wallet adopt" books it; otherwise "stop", and find out who has the key',
  gas_missing: '"network gas-wallet CODE" shows where to send coins',
  hot_wallet_low: '"wallet list" shows where to send coins',
  network_halted: 'correct what is wrong, or replace the node, then run "network resume CODE"',
  network_silent: '"network list" shows each node\'s last error, "doctor" asks them now, and ' +
    '"network set CODE --rpc-url URL" names others',
  network_stalled: "see on a block explorer whether the chain or your node has stopped; " +
    '"network set CODE --rpc-url URL" names others',
  not_final_as_read: '"network list" shows which node differs',
  own_funds_moved: 'after a restore, "wallet adopt" books it; otherwise find out who has the key',
  quota_nearly_used: '"account storage" shows who uses it; "account set N --quota-mb" allows more',
  quota_used_up: '"account storage" shows who uses it; "account set N --quota-mb" allows more',
  rate_missing: '"rate source list" shows what there is; "rate source add" adds a price',
  recipient_failing: '"recipient allow" allows them again',
  rule_spelling: '"policy list" shows its limit; check it, then run "alert resolve"',
  stopped: '"resume" starts it again',
  sweep_parked: 'correct the reason, then run "sweep retry ID"',
  sweep_short: "list only tokens that keep no part of a transfer",
  swept_elsewhere:
    'if that was its wallet, "account receiving-wallet" sets it to that, then back; ' +
    "otherwise find out who has the key",
  tampered: '"integrity check" lists all such rows',
  traces_gone: 'bring back a node with traces; "network set CODE --traces off" continues without',
  transfer_stuck: '"withdrawal bump ID --anyway" offers more than its limit; "wallet revoke" ' +
    "replaces what a gas wallet sent with nothing",
  wallet_halted: 'find out who used its key; "wallet resume" lets it sign again',
  webhook_dead: '"webhook redeliver --dead" sends it again',
  webhook_disabled: '"webhook enable ID" or "webhook remove ID"',
  withdrawal_dropped: "if you didn't send the other transaction, somebody else has the key",
  withdrawal_unpaid: 'look at the recipient\'s balance, then run "withdrawal settle ID"',
  withdrawals_failing: '"wallet list" shows what wallets hold and need, "doctor" asks the nodes',
};

/** What to do about an alert; null for a kind of an older version. */
export function stepsFor({ kind, subject, advice }: Alerted): string | null {
  if (advice !== null) return wordAdvice(WORDS, advice);
  const code = /^network:(\S+)/.exec(subject)?.[1];
  const text = (BY_KIND as Readonly<Record<string, string>>)[kind] ?? null;
  return code === undefined ? text : text?.replaceAll("CODE", code) ?? null;
}

type Alerted = Pick<AlertRow, "kind" | "subject" | "advice">;
