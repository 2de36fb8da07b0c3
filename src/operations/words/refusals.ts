import type { RefusalCode, Refused } from "../../domain/refusal.ts";
import {
  type ActionRefusalCode,
  ActionRefused,
  type RefusalWords,
  wordRefusal,
} from "../../domain/refusals/refuse.ts";
import type { NetworkNeed } from "../../networks/rules/refusals.ts";
import { acceptPayment, CHANGING } from "./advice.ts";
import { AFTER_RESTORE } from "./restore_refusals.ts";

/** Only a command that is written differently can succeed, as if it couldn't be parsed. */
const USAGE: ReadonlySet<ActionRefusalCode> = new Set<ActionRefusalCode>([
  "network_needs",
  "gas_price_too_precise",
]);

const NEEDED: Readonly<Record<NetworkNeed, string>> = {
  code: "--code or --preset; for example: --code ETH",
  family: "--family or --preset; for example: --family evm",
  minConfirmations: "--min-confirmations or --preset; for example: --min-confirmations 12",
  rpcUrls: "--rpc-url; for example: --rpc-url https://rpc.example.com",
};

/** Instead of the fact. */
const WHOLE: RefusalWords = {
  network_needs: ({ need }) => `network add needs ${NEEDED[need]}`,
};

const ANOTHER_SYMBOL = "switch it off (--active off), and add the right one with another symbol";

const switchOff = (code: string) => `"network set ${code} --active off" accepts no new payments`;

/** What to do about it. */
const NEXT: RefusalWords = {
  database_missing: () => '"migrate" or "serve" creates a new one',
  database_beside: () => 'if you want a second one, "migrate" creates it',
  file_hidden: ({ path }) => `to look outside ./data, it needs --allow-read=${path}`,
  network_booked: ({ code }) => switchOff(code),
  network_issued: ({ code }) => switchOff(code),
  collector_missing: ({ code }) => `"network collector ${code} --deploy on" deploys it`,
  collector_unconfirmed: () => "--yes confirms it",
  spend_not_gas: ({ txHash }) => `if you took these coins out, "wallet adopt ${txHash}" books that`,
  gas_unconfirmed: () => "--yes confirms it",
  gas_on_its_way: () => "look again in some minutes",
  stake_unconfirmed: () => "--yes confirms it",
  wallet_signs_nothing: () => '"wallet list" shows what to do before that',
  gas_wallet_missing: ({ code }) => `"network gas-wallet ${code}" makes one`,
  address_delegates_again: ({ code }) => `first "network set ${code} --collect single"`,
  address_being_swept: () => "try again when it is done",
  network_in_rule: ({ policyId }) => `"policy remove ${policyId}" removes the rule`,
  network_wallet_holds: () => "move that elsewhere first",
  network_unknown: () => '"network list" lists them',
  currency_unknown: ({ network }) => `"currency list --network ${network}" lists them`,
  account_unknown: () => '"account list" lists them',
  adjustment_uncovered: () => "if that is right, --allow-negative books it",
  receiver_tampered: () => "--now sets the right one at once",
  key_unknown: () => '"key list" lists them',
  user_unknown: () => '"user list" lists them',
  balances_tampered: () => '"integrity check" shows which',
  account_books_wrong: () => '"reconcile" shows where',
  currency_moved: () => ANOTHER_SYMBOL,
  currency_held: () => ANOTHER_SYMBOL,
  no_block_in_common: () => "use --from-block to say where to start reading again",
  rows_tampered: ({ accountId }) =>
    `see "integrity check", then run "integrity resume --account ${accountId}"`,
  alert_unknown: () => '"alert list" lists them',
  alert_stays: () => '"resume" does that',
  master_key_half_changed: () => '"rotate-master-key --finish" completes it',
  master_key_not_taken: () => "stop it, then run this command again",
  bids_used_up: () => "--anyway bids again",
  bid_refused: ({ id }) => `"withdrawal resend ${id}" sends it again`,
  withdrawal_signed: ({ id }) => `"withdrawal revoke ${id}" tries to replace it`,
  withdrawal_being_revoked: ({ id }) => `"withdrawal bump ${id}" raises its fee`,
  policy_quote_unknown: () => '"rate source add" adds one',
  policy_unknown: () => '"policy list" lists them',
  invoice_currency_unknown: () => '"rate source add" adds rates',
  payment_link_unknown: () => '"payment-link list" lists them',
  rate_source_unknown: () => '"rate source list" lists them',
  payee_unknown: () => '"payee list" lists them',
  proposal_unknown: () => '"proposal list" lists them',
  approval_not_needed: () => '"approval list" shows those that do',
  recipient_not_refused: () => '"recipient list" shows those that are',
  sweep_unknown: () => '"sweep list" lists them',
  webhook_unknown: () => '"webhook list" lists them',
  event_unknown: () => '"webhook deliveries" lists them',
  receiver_unknown: () => '"notify list" lists them',
  chain_not_asked_for: ({ chainId, found }) =>
    `give --rpc-url of a node of chain ${chainId}, or --chain-id ${found} if you want that chain`,
  node_on_other_chain: ({ chainId, found }) =>
    `give --rpc-url of a node of chain ${chainId}; ` +
    `"network add --code CODE --chain-id ${found}" makes chain ${found} a network of its own`,
  new_node_unfit: () => "correct that, then add it",
  new_node_silent: ({ network }) =>
    `to add ${network} without its node, give --chain-id and a --start-block number`,
  new_nodes_silent: () => "--force sets the new ones anyway",
  rate_unread: () => "--force adds the source anyway",
  traces_not_served: () => "--traces auto does without them",
  quorum_too_large: () => "give each its own --rpc-url",
  sockets_without_nodes: () => "give each --ws-url beside its --rpc-url",
  gas_max_without_code: () => "--gas-max is for tokens",
  row_tampered: ({ table, key }) =>
    `restore it, or run "integrity accept --table ${table} --row ${key}" once you have checked it`,
  row_out_of_date: ({ change }) => `${CHANGING[change]} does that`,
  row_accepted_early: ({ change }) => `${CHANGING[change]} does that`,
  balance_not_as_ledger: ({ ledger }) =>
    ledger
      ? 'set it to that in the database; "account adjust" corrects a ledger that is wrong too'
      : "delete its row",
  payment_not_noted: ({ id }) =>
    "compare the account's payments and balances with the chain or a backup, then run " +
    acceptPayment(id),
  deposit_not_proven: ({ id }) => `find out whether it was, then run "deposit vouch ${id}"`,
  withdrawal_not_proven: ({ id }) =>
    "it will not be paid: check whether the chain shows a payment, then run " +
    `"withdrawal cancel ${id}"`,
  withdrawal_not_allowed: ({ id }) => `it will not be paid: run "withdrawal cancel ${id}"`,
  nothing_tampered: () => "for an account, add --account",
  ...AFTER_RESTORE,
};

export function refusalText(refusal: ActionRefused): string {
  const whole = wordRefusal(WHOLE, refusal) ?? refusal.message;
  const next = wordRefusal(NEXT, refusal);
  return next === undefined ? whole : `${whole}; ${next}`;
}

/** Of why something was left. */
export function reasonText(reason: Error): string {
  return reason instanceof ActionRefused ? refusalText(reason) : reason.message;
}

export function isUsage({ code }: ActionRefused): boolean {
  return USAGE.has(code);
}

/** Of what the API also refuses. */
const API_WORDS: Partial<Record<RefusalCode, string>> = {
  network_not_found: "There is no such network, or it is switched off",
  currency_not_found: "There is no such currency",
  deposits_disabled: 'Deposits are not enabled; "account enable" does that',
  rate_unavailable: "No rate for",
  refund_too_small: "It is worth less than its network fee, and not all that is left",
  invoice_final: "It is paid or cancelled, or there is no payment to accept",
  account_suspended: "The account is suspended",
};

export function apiRefusalText({ code, detail: { text }, message }: Refused): string {
  if (code === "quota_exceeded" && text) return `${text}; "account set --quota-mb" allows more`;
  const words = API_WORDS[code];
  if (words === undefined) return message;
  if (code === "currency_not_found" && text) {
    return `There are ${text}; "rate source add" adds some`;
  }
  if (code !== "rate_unavailable") return words;
  // Coins of a test network get none.
  const isTest = text?.includes(":");
  return isTest ? `${words} ${text}` : `${words} ${text}; "rate source add" adds one`;
}
