import { coolingMsOf } from "./receiving_wallet.ts";
import { megabytesOf, quotaMbOf } from "./rules/quota.ts";
import type { DescribedReceiver } from "./describe_receiver.ts";
import type { AccountCurrencyRow, AccountRow } from "./tables/accounts.ts";
import type { Stored } from "../books/quota.ts";
import { durationText, isoUtc, isoUtcOrNull } from "../domain/time.ts";

export function accountShape(row: AccountRow) {
  return {
    account_id: row.id,
    name: row.name,
    may_push: row.mayPush,
    suspended: row.suspendedAtMs !== null,
    suspended_reason: row.suspendedReason,
    suspended_at: isoUtcOrNull(row.suspendedAtMs),
    cooling: durationText(coolingMsOf(row)),
    require_second_factor: row.requiresSecondFactor === true,
    dual_control: row.dualControl === true,
    reporting: row.reporting,
    quota_mb: quotaMbOf(row),
    delegate_native: row.delegatesNative === true,
    created_at: isoUtc(row.createdAtMs),
  };
}

/** Of today, which ends in UTC. */
export function storageShape(row: AccountRow, { bytes, payoutBytes, endsAtMs }: Stored) {
  return {
    account_id: row.id,
    name: row.name,
    stored_mb: megabytesOf(bytes),
    payouts_mb: megabytesOf(payoutBytes),
    quota_mb: quotaMbOf(row),
    ends_at: isoUtc(endsAtMs),
  };
}

export function enabledShape(
  row: AccountCurrencyRow,
  { hotWallet, toFund, warning }: {
    hotWallet: string | null;
    toFund: string | null;
    warning: string | null;
  },
) {
  return {
    account_id: row.accountId,
    network: row.network,
    currency: row.currency,
    deposit_enabled: row.isDepositEnabled,
    withdrawal_enabled: row.isWithdrawalEnabled,
    deposit_off_by_operator: row.isDepositBarred,
    withdrawal_off_by_operator: row.isWithdrawalBarred,
    hot_wallet: hotWallet,
    to_fund: toFund,
    warning,
  };
}

/** An address, or a key with what its wallet has to be compared with and set to. */
export function receivingWalletShape({ row, own, isNextKey }: DescribedReceiver) {
  const { address, nextAddress } = row;
  return {
    account_id: row.accountId,
    network: row.network,
    address: own ? null : address,
    ...own && { xpub: address, first_address: own.firstAddress, gap: own.gap },
    next_address: isNextKey ? null : nextAddress,
    ...isNextKey && { next_xpub: nextAddress },
    next_at: isoUtcOrNull(row.nextAtMs),
  };
}
