import { confirmationsOf } from "./rules/transaction_moves.ts";
import type { TransactionRow } from "./tables/transactions.ts";
import { isoUtc, isoUtcOrNull } from "../domain/time.ts";

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
