import type { LeftSpend } from "../../restore/adopt_spends.ts";
import type { FailingRecipient } from "../../withdrawals/manage_recipients.ts";
import type { RecoveredAddress } from "../../restore/recover_addresses.ts";
import type { Difference, Surplus, WrongSums } from "../../reconcile/rules/difference.ts";
import { withdrawalStatusShape } from "../../domain/shapes.ts";
import { confirmationsOf } from "../../deposits/rules/transaction_moves.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import type { FreezeRow } from "../../books/table.ts";
import type { SignedTransferRow } from "../../transfers/table.ts";
import type { SweepRow } from "../../sweeps/table.ts";
import type { TransactionRow } from "../../deposits/tables/transactions.ts";
import type { WithdrawalRow } from "../../withdrawals/table.ts";
import { reasonText, refusalText } from "../words/refusals.ts";

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

export function differenceShape(
  { accountId, network, currency, kind, expected, found, detail }: Difference,
) {
  return { account_id: accountId, network, currency, kind, expected, found, detail };
}

export function surplusShape({ accountId, network, currency, address, amount }: Surplus) {
  return { account_id: accountId, network, currency, address, amount };
}

export function wrongSumsShape({ invoiceId, accountId, currency, expected, found }: WrongSums) {
  return { invoice_id: invoiceId, account_id: accountId, currency, expected, found };
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

export function transactionShape(row: TransactionRow, topHeight: number) {
  return {
    transaction_id: row.id,
    account_id: row.accountId,
    direction: row.direction,
    network: row.network,
    currency: row.currency,
    amount: row.amount,
    status: row.status,
    below_minimum: row.isBelowMinimum,
    tx_hash: row.txHash,
    from_address: row.fromAddress,
    to_address: row.toAddress,
    block_number: row.blockNumber,
    confirmations: confirmationsOf(topHeight, row),
    withdrawal_id: row.withdrawalId,
    sweep_id: row.sweepId,
    created_at: isoUtc(row.createdAtMs),
    confirmed_at: isoUtcOrNull(row.confirmedAtMs),
  };
}
