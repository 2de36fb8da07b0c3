import { hasSecondFactor, passkeysOf } from "../../access/rules/second_factors.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import type { AuditRow } from "../../audit/table.ts";
import type { UserRow } from "../../access/tables/users.ts";
import type { AddressRow } from "../../wallets/tables/addresses.ts";
import type { AlertRow } from "../../alerts/table.ts";
import type { BalanceRow } from "../../books/table.ts";
import type { ApiKeyRow, CurrencyRow, RoleKeyRow } from "../../store/tables/setup.ts";
import { stepsFor, withAdvice } from "../words/advice.ts";

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

export function keyShape(row: ApiKeyRow | RoleKeyRow) {
  return {
    key_id: row.keyId,
    account_id: row.accountId,
    label: row.label,
    ...("role" in row ? { role: row.role } : {}),
    permissions: "role" in row ? [] : row.permissions,
    ip_whitelist: row.ipList,
    rate_limit: row.rateLimit,
    created_at: isoUtc(row.createdAtMs),
    revoked_at: isoUtcOrNull(row.revokedAtMs),
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

export function alertShape(row: AlertRow) {
  return {
    id: row.id,
    kind: row.kind,
    subject: row.subject,
    message: withAdvice(row.message, row.advice),
    what_to_do: stepsFor(row),
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
    second_factor: hasSecondFactor(row),
    passkeys: passkeysOf(row).length,
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
