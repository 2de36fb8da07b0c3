import type { WithdrawalStatus } from "../../withdrawals/rules/moves.ts";

interface Payout {
  readonly id: number;
}

export const POLICIES = {
  policy_unknown: ({ id }: { id: number }) => `There is no policy ${id}`,
  policies_too_many: ({ max }: { max: number }) =>
    `There are already ${max} rules: remove one that nobody needs`,
  policy_without_limit: ({ id }: { id: number }) => `Rule ${id} has no limit to change`,
  policy_limit_wrong: ({ id, limit }: { id: number; limit: string }) =>
    `Rule ${id} counts payments, so its limit is a whole number from 1, not ${limit}`,
  policies_right: () => "The rules are as they were last set: there is nothing to accept",
  policy_currency_unknown: ({ symbol }: { symbol: string }) =>
    `No network has a currency ${symbol}`,
  policy_quote_unknown: ({ quote }: { quote: string }) => `No source has rates in ${quote}`,
  policy_refused: ({ label }: { label: string }) => `Withdrawal refused by policy: ${label}`,
  payee_unknown: ({ id }: { id: number }) => `There is no payee ${id}`,
  payee_listed: ({ id, address }: { id: number; address: string }) =>
    `${address} is already listed as payee ${id}`,
  payee_address_wrong: ({ address, network }: { address: string; network: string }) =>
    `${address} is not an address of ${network}`,
  approval_not_needed: ({ id, status }: Payout & { status: WithdrawalStatus }) =>
    `Withdrawal ${id} is ${status} and doesn't wait for an approval`,
  approval_unsure: ({ id }: Payout) =>
    `Withdrawal ${id} may have been approved and paid since the backup: its wallet must resume first`,
  approval_held_back: ({ id, why }: Payout & { why: string }) =>
    `Withdrawal ${id} can't be approved now. ${why}`,
  approval_by_requester: ({ id }: Payout) =>
    `Somebody else must approve withdrawal ${id}: you asked for it yourself`,
  approval_not_yours: ({ id }: Payout) =>
    `Withdrawal ${id} waits because of an operator's rule: only operators and approvers decide`,
  approval_not_allowed: ({ email }: { email: string }) => `${email} may not approve payouts`,
  approval_suspended: ({ email }: { email: string }) =>
    `The account of ${email} is suspended, so they can't approve or reject anything`,
};
