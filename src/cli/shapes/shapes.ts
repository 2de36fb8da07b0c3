import type { LeftSpend } from "../../actions/restore/adopt_spends.ts";
import type { FailingRecipient } from "../../actions/withdrawals/manage_recipients.ts";
import type { RecoveredAddress } from "../../actions/restore/recover_addresses.ts";
import type { Difference, Surplus } from "../../domain/difference.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { withdrawalStatusShape } from "../../domain/shapes.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import type { AuditRow } from "../../store/tables/audit.ts";
import type { UserRow } from "../../store/tables/users.ts";
import type { AddressRow } from "../../store/tables/addresses.ts";
import type { AlertRow } from "../../store/tables/alerts.ts";
import type { BalanceRow, FreezeRow } from "../../store/tables/ledger.ts";
import type { ApiKeyRow, CurrencyRow } from "../../store/tables/setup.ts";
import type { SignedTransferRow } from "../../store/tables/signed_transfers.ts";
import type { SweepRow } from "../../store/tables/sweeps.ts";
import type { TransactionRow } from "../../store/tables/transactions.ts";
import type { WithdrawalRow } from "../../store/tables/withdrawals.ts";
import { withAdvice } from "../words/advice.ts";
import { reasonText, refusalText } from "../words/refusals.ts";

export function currencyShape(row: CurrencyRow, warning: string | null) {
  return {
    network: row.network,
    currency: row.symbol,
    name: row.name,
    is_token: row.contractAddress !== null,
    contract_address: row.contractAddress,
    decimals: row.decimals,
    min_deposit_amount: row.minDepositAmount,
    min_withdrawal_amount: row.minWithdrawalAmount,
    withdrawal_fee_flat: row.feeFlat,
    withdrawal_fee_percent: row.feePercent,
    sweep_min_amount: row.sweepMinAmount,
    native_rate: row.nativeRate,
    gas_max: row.gasMax,
    active: row.isActive,
    warning,
  };
}

export function balanceShape(row: BalanceRow) {
  const asset = assetOf(row);
  const available = Amount.parse(row.balance, asset).minus(Amount.parse(row.held, asset));
  return {
    account_id: row.accountId,
    network: row.network,
    currency: row.currency,
    balance: row.balance,
    held: row.held,
    available: available.toString(),
  };
}

export function keyShape(row: ApiKeyRow) {
  return {
    key_id: row.keyId,
    account_id: row.accountId,
    label: row.label,
    permissions: row.permissions,
    ip_whitelist: row.ipList,
    rate_limit: row.rateLimit,
    created_at: isoUtc(row.createdAtMs),
    revoked_at: isoUtcOrNull(row.revokedAtMs),
  };
}

export function withdrawalShape(row: WithdrawalRow) {
  return {
    ...withdrawalStatusShape(row),
    account_id: row.accountId,
    client_reference: row.clientReference,
  };
}

export function recipientShape(row: FailingRecipient) {
  return {
    account_id: row.accountId,
    network: row.network,
    currency: row.currency,
    address: row.address,
    failed_payments: row.signedAtMs.length,
    last_failed_at: isoUtc(Math.max(...row.signedAtMs)),
  };
}

export function sweepShape(row: SweepRow) {
  return {
    id: row.id,
    account_id: row.accountId,
    network: row.network,
    currency: row.currency,
    state: row.state,
    reason: row.reason,
    failures: row.failures,
    next_try_at: row.state === "waiting" ? isoUtc(row.nextTryAtMs) : null,
    created_at: isoUtc(row.createdAtMs),
  };
}

function haltedReason({ haltedReason, haltedCode, network, address }: AddressRow): string | null {
  if (haltedReason === null || haltedCode === null) return haltedReason;
  return withAdvice(haltedReason, { code: "resume_wallet", network, address, halted: haltedCode });
}

export function walletShape(row: AddressRow) {
  return {
    network: row.network,
    account_id: row.accountId,
    purpose: row.purpose,
    address: row.address,
    halted_reason: haltedReason(row),
  };
}

export function transferShape(row: SignedTransferRow) {
  return {
    network: row.network,
    tx_hash: row.txHash,
    from_address: row.sender,
    to_address: row.toAddress,
    amount: null,
    currency: null,
    block_number: row.blockNumber,
    booked_as: row.purpose,
    state: row.state,
    withdrawal_id: row.withdrawalId,
    sweep_id: row.sweepId,
    reason: null,
  };
}

export function leftSpendShape(row: LeftSpend) {
  return {
    network: row.network,
    tx_hash: row.txHash,
    from_address: row.sender,
    to_address: row.to,
    amount: row.amount,
    currency: row.currency,
    block_number: row.blockNumber,
    booked_as: null,
    state: null,
    withdrawal_id: null,
    sweep_id: null,
    reason: reasonText(row.reason),
  };
}

export function alertShape(row: AlertRow) {
  return {
    id: row.id,
    kind: row.kind,
    subject: row.subject,
    message: withAdvice(row.message, row.advice),
    open: row.open === 1,
    created_at: isoUtc(row.createdAtMs),
    resolved_at: isoUtcOrNull(row.resolvedAtMs),
  };
}

export function userShape(row: UserRow) {
  return {
    user_id: row.id,
    email: row.email,
    role: row.role,
    account_id: row.accountId,
    second_factor: row.totpSealed !== null,
    created_at: isoUtc(row.createdAtMs),
    disabled_at: isoUtcOrNull(row.disabledAtMs),
  };
}

export function auditShape(row: AuditRow) {
  return {
    id: row.id,
    at: isoUtc(row.atMs),
    actor: row.actor,
    ip: row.ip,
    action: row.action,
    subject: row.subject,
    detail: row.detail,
    hash: row.hash,
  };
}

export function differenceShape(
  { accountId, network, currency, kind, expected, found, detail }: Difference,
) {
  return { account_id: accountId, network, currency, kind, expected, found, detail };
}

export function surplusShape({ accountId, network, currency, address, amount }: Surplus) {
  return { account_id: accountId, network, currency, address, amount };
}

export function freezeShape(row: FreezeRow) {
  return {
    account_id: row.accountId,
    network: row.network,
    currency: row.currency,
    reason: row.reason,
    created_at: isoUtc(row.createdAtMs),
  };
}

export function creditShape(row: TransactionRow) {
  return {
    transaction_id: row.id,
    account_id: row.accountId,
    network: row.network,
    currency: row.currency,
    address: row.toAddress,
    amount: row.amount,
    tx_hash: row.txHash,
    status: row.status,
  };
}

export function recoveredShape(row: RecoveredAddress) {
  return {
    account_id: row.accountId,
    network: row.network,
    address: row.address,
    key_index: row.keyIndex,
    holds: row.holds.map(({ currency, amount }) => ({ currency, amount: amount.toString() })),
    state: row.state,
    reason: row.reason && refusalText(row.reason),
  };
}
