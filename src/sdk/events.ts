// Written by `deno task openapi` from the table of endpoints. Don't edit it.

import type { Amount, EventDelivery, Invoice, Time } from "./types.ts";

export interface CancelledWithdrawalEvent {
  /** 0 in samples. */
  readonly id: number;
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  readonly to_address: string;
  /** What the recipient gets. */
  readonly amount: Amount;
  /** Charged on top of the amount. */
  readonly fee: Amount;
  readonly status: "pending" | "broadcasted" | "confirmed" | "failed" | "cancelled";
  readonly tx_hash: string | null;
  /** Why it failed. */
  readonly error_message: string | null;
  readonly requested_at: Time;
  readonly broadcast_at: Time | null;
  readonly confirmed_at: Time | null;
  readonly client_reference: string | null;
  /** `rejected`: somebody decided against it; `expired`: too few approved it in time; `cancelled`: an operator took it back. */
  readonly reason: "rejected" | "expired" | "cancelled";
}

export type DeliveredEvent = {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "deposit.detected";
  readonly timestamp: Time;
  readonly data: DepositEvent;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
  readonly deliveries: readonly (EventDelivery)[];
} | {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "deposit.confirmed";
  readonly timestamp: Time;
  readonly data: DepositEvent;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
  readonly deliveries: readonly (EventDelivery)[];
} | {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "withdrawal.broadcasted";
  readonly timestamp: Time;
  readonly data: WithdrawalEvent;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
  readonly deliveries: readonly (EventDelivery)[];
} | {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "withdrawal.confirmed";
  readonly timestamp: Time;
  readonly data: WithdrawalEvent;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
  readonly deliveries: readonly (EventDelivery)[];
} | {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "withdrawal.failed";
  readonly timestamp: Time;
  readonly data: FailedWithdrawalEvent;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
  readonly deliveries: readonly (EventDelivery)[];
} | {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "withdrawal.approval_required";
  readonly timestamp: Time;
  readonly data: WithdrawalEvent;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
  readonly deliveries: readonly (EventDelivery)[];
} | {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "withdrawal.cancelled";
  readonly timestamp: Time;
  readonly data: CancelledWithdrawalEvent;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
  readonly deliveries: readonly (EventDelivery)[];
} | {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "invoice.processing";
  readonly timestamp: Time;
  readonly data: Invoice;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
  readonly deliveries: readonly (EventDelivery)[];
} | {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "invoice.paid";
  readonly timestamp: Time;
  readonly data: Invoice;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
  readonly deliveries: readonly (EventDelivery)[];
} | {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "invoice.underpaid";
  readonly timestamp: Time;
  readonly data: Invoice;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
  readonly deliveries: readonly (EventDelivery)[];
} | {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "invoice.expired";
  readonly timestamp: Time;
  readonly data: Invoice;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
  readonly deliveries: readonly (EventDelivery)[];
} | {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "invoice.cancelled";
  readonly timestamp: Time;
  readonly data: Invoice;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
  readonly deliveries: readonly (EventDelivery)[];
} | {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "invoice.reversed";
  readonly timestamp: Time;
  readonly data: Invoice;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
  readonly deliveries: readonly (EventDelivery)[];
};

export interface DepositConfirmedEvent {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "deposit.confirmed";
  readonly timestamp: Time;
  readonly data: DepositEvent;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
}

export interface DepositDetectedEvent {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "deposit.detected";
  readonly timestamp: Time;
  readonly data: DepositEvent;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
}

export interface DepositEvent {
  /** 0 in samples. */
  readonly transaction_id: number;
  /** Null if no request asked for this currency at this address. */
  readonly request_id: number | null;
  readonly address: string;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  readonly user_identifier: string | null;
  /** The transaction's hash on its network. */
  readonly tx_hash: string;
  readonly amount_decimal: Amount;
  /** The number of blocks from the transaction's block to the newest, counting both; 0 until it is in a block. */
  readonly confirmations: number;
  readonly status: "detected" | "confirmed" | "sweep_pending" | "swept" | "failed";
  /** The block it was first seen in; 0 until a transaction sent by the gateway is in a block. */
  readonly block_number: number;
  readonly detected_at: Time;
  readonly confirmed_at: Time | null;
  /** Credited, but less than the currency's minimum. */
  readonly below_minimum: boolean;
}

export interface FailedWithdrawalEvent {
  /** 0 in samples. */
  readonly id: number;
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  readonly to_address: string;
  /** What the recipient gets. */
  readonly amount: Amount;
  /** Charged on top of the amount. */
  readonly fee: Amount;
  readonly status: "pending" | "broadcasted" | "confirmed" | "failed" | "cancelled";
  readonly tx_hash: string | null;
  /** Why it failed. */
  readonly error_message: string | null;
  readonly requested_at: Time;
  readonly broadcast_at: Time | null;
  readonly confirmed_at: Time | null;
  readonly client_reference: string | null;
  readonly reason: "broadcast_rejected" | "no_hot_wallet" | "dropped" | "reverted" | "expired";
}

export interface InvoiceCancelledEvent {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "invoice.cancelled";
  readonly timestamp: Time;
  readonly data: Invoice;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
}

export interface InvoiceExpiredEvent {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "invoice.expired";
  readonly timestamp: Time;
  readonly data: Invoice;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
}

export interface InvoicePaidEvent {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "invoice.paid";
  readonly timestamp: Time;
  readonly data: Invoice;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
}

export interface InvoiceProcessingEvent {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "invoice.processing";
  readonly timestamp: Time;
  readonly data: Invoice;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
}

export interface InvoiceReversedEvent {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "invoice.reversed";
  readonly timestamp: Time;
  readonly data: Invoice;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
}

export interface InvoiceUnderpaidEvent {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "invoice.underpaid";
  readonly timestamp: Time;
  readonly data: Invoice;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
}

export type WebhookEvent =
  | DepositDetectedEvent
  | DepositConfirmedEvent
  | WithdrawalBroadcastedEvent
  | WithdrawalConfirmedEvent
  | WithdrawalFailedEvent
  | WithdrawalApproval_requiredEvent
  | WithdrawalCancelledEvent
  | InvoiceProcessingEvent
  | InvoicePaidEvent
  | InvoiceUnderpaidEvent
  | InvoiceExpiredEvent
  | InvoiceCancelledEvent
  | InvoiceReversedEvent;

export interface WithdrawalApproval_requiredEvent {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "withdrawal.approval_required";
  readonly timestamp: Time;
  readonly data: WithdrawalEvent;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
}

export interface WithdrawalBroadcastedEvent {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "withdrawal.broadcasted";
  readonly timestamp: Time;
  readonly data: WithdrawalEvent;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
}

export interface WithdrawalCancelledEvent {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "withdrawal.cancelled";
  readonly timestamp: Time;
  readonly data: CancelledWithdrawalEvent;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
}

export interface WithdrawalConfirmedEvent {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "withdrawal.confirmed";
  readonly timestamp: Time;
  readonly data: WithdrawalEvent;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
}

export interface WithdrawalEvent {
  /** 0 in samples. */
  readonly id: number;
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  readonly to_address: string;
  /** What the recipient gets. */
  readonly amount: Amount;
  /** Charged on top of the amount. */
  readonly fee: Amount;
  readonly status: "pending" | "broadcasted" | "confirmed" | "failed" | "cancelled";
  readonly tx_hash: string | null;
  /** Why it failed. */
  readonly error_message: string | null;
  readonly requested_at: Time;
  readonly broadcast_at: Time | null;
  readonly confirmed_at: Time | null;
  readonly client_reference: string | null;
}

export interface WithdrawalFailedEvent {
  /** The same on every retry. */
  readonly id: string;
  readonly type: "withdrawal.failed";
  readonly timestamp: Time;
  readonly data: FailedWithdrawalEvent;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
}
