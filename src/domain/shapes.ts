import type { TransactionStatus } from "../deposits/rules/transaction_moves.ts";
import type { WithdrawalStatus } from "../withdrawals/rules/moves.ts";
import { isoUtc, isoUtcOrNull } from "./time.ts";

export interface WithdrawalFacts {
  readonly id: number;
  readonly currency: string;
  readonly network: string;
  readonly toAddress: string;
  readonly amount: string;
  readonly fee: string;
  readonly status: WithdrawalStatus;
  readonly txHash: string | null;
  readonly errorMessage: string | null;
  readonly requestedAtMs: number;
  readonly broadcastAtMs: number | null;
  readonly confirmedAtMs: number | null;
}

/** The status-read shape (spec 2.5), the same in replies and events. */
export function withdrawalStatusShape(row: WithdrawalFacts) {
  return {
    id: row.id,
    currency: row.currency,
    network: row.network,
    to_address: row.toAddress,
    amount: row.amount,
    fee: row.fee,
    status: row.status,
    tx_hash: row.txHash,
    error_message: row.errorMessage,
    requested_at: isoUtc(row.requestedAtMs),
    broadcast_at: isoUtcOrNull(row.broadcastAtMs),
    confirmed_at: isoUtcOrNull(row.confirmedAtMs),
  };
}

/** The answer to a successful first POST (spec 2.5). */
export function withdrawalSubmissionShape(
  row: WithdrawalFacts & { readonly approval?: "waiting" | "approved" | null },
) {
  return {
    withdrawal_id: row.id,
    // A fast chain may have mined it before the node's answer came; the answer still says this.
    status: row.approval === "waiting" ? "pending" as const : "broadcasted" as const,
    tx_hash: row.txHash,
    network: row.network,
    currency: row.currency,
    to_address: row.toAddress,
    amount_decimal: row.amount,
    fee_decimal: row.fee,
  };
}

export interface DepositFacts {
  readonly id: number;
  readonly network: string;
  readonly currency: string;
  readonly toAddress: string;
  readonly txHash: string;
  readonly amount: string;
  readonly status: TransactionStatus;
  readonly blockNumber: number;
  readonly isBelowMinimum: boolean;
  readonly createdAtMs: number;
  readonly confirmedAtMs: number | null;
}

interface DepositEventContext {
  readonly requestId: number | null;
  readonly userIdentifier: string | null;
  readonly confirmations: number;
}

export function depositEventData(row: DepositFacts, context: DepositEventContext) {
  return {
    transaction_id: row.id,
    request_id: context.requestId,
    address: row.toAddress,
    network: row.network,
    currency: row.currency,
    user_identifier: context.userIdentifier,
    tx_hash: row.txHash,
    amount_decimal: row.amount,
    confirmations: context.confirmations,
    status: row.status,
    block_number: row.blockNumber,
    detected_at: isoUtc(row.createdAtMs),
    confirmed_at: isoUtcOrNull(row.confirmedAtMs),
    below_minimum: row.isBelowMinimum,
  };
}
