// Written by `deno task openapi` from the table of endpoints. Don't edit it.

import type { Invoice } from "./invoices.ts";
import type { Amount, Time } from "./types.ts";

interface Reported<Type, Data> {
  /** The same on every retry. */
  readonly id: string;
  readonly type: Type;
  readonly timestamp: Time;
  readonly data: Data;
  /** Only in samples, which don't report anything real. */
  readonly sample?: true;
}

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

export type DeliveredEvent =
  & (
    | Reported<"deposit.detected", DepositEvent>
    | Reported<"deposit.confirmed", DepositEvent>
    | Reported<"withdrawal.broadcasted", WithdrawalEvent>
    | Reported<"withdrawal.confirmed", WithdrawalEvent>
    | Reported<"withdrawal.failed", FailedWithdrawalEvent>
    | Reported<"withdrawal.approval_required", WithdrawalEvent>
    | Reported<"withdrawal.cancelled", CancelledWithdrawalEvent>
    | Reported<"invoice.processing", Invoice>
    | Reported<"invoice.paid", Invoice>
    | Reported<"invoice.underpaid", Invoice>
    | Reported<"invoice.expired", Invoice>
    | Reported<"invoice.cancelled", Invoice>
    | Reported<"invoice.reversed", Invoice>
  )
  & {
    readonly deliveries: readonly (EventDelivery)[];
  };

export type DepositConfirmedEvent = Reported<"deposit.confirmed", DepositEvent>;

export type DepositDetectedEvent = Reported<"deposit.detected", DepositEvent>;

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
  /** The block it was first seen in; 0 until a transaction sent by the gateway, or a payment that was seen before its block, is in one. */
  readonly block_number: number;
  readonly detected_at: Time;
  readonly confirmed_at: Time | null;
  /** Credited, but less than the currency's minimum. */
  readonly below_minimum: boolean;
}

export interface EventDelivery {
  readonly webhook_id: number;
  /** `dead` after the last attempt has failed. */
  readonly state: "pending" | "delivered" | "dead";
  readonly attempts: number;
  /** Null unless it is pending. */
  readonly next_try_at: Time | null;
  /** The HTTP status of the last attempt. */
  readonly last_status: number | null;
  readonly last_error: string | null;
  /** When it was delivered or given up. */
  readonly settled_at: Time | null;
}

export type EventType =
  | "deposit.detected"
  | "deposit.confirmed"
  | "withdrawal.broadcasted"
  | "withdrawal.confirmed"
  | "withdrawal.failed"
  | "withdrawal.approval_required"
  | "withdrawal.cancelled"
  | "invoice.processing"
  | "invoice.paid"
  | "invoice.underpaid"
  | "invoice.expired"
  | "invoice.cancelled"
  | "invoice.reversed";

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

export type InvoiceCancelledEvent = Reported<"invoice.cancelled", Invoice>;

export type InvoiceExpiredEvent = Reported<"invoice.expired", Invoice>;

export type InvoicePaidEvent = Reported<"invoice.paid", Invoice>;

export type InvoiceProcessingEvent = Reported<"invoice.processing", Invoice>;

export type InvoiceReversedEvent = Reported<"invoice.reversed", Invoice>;

export type InvoiceUnderpaidEvent = Reported<"invoice.underpaid", Invoice>;

export interface Redelivery {
  readonly event_id: string;
  /** The number of webhooks it is sent to. */
  readonly redelivered: number;
}

export interface Webhook {
  readonly webhook_id: number;
  readonly url: string;
  readonly events: readonly (EventType)[];
  /** While it is false, events wait. */
  readonly active: boolean;
  /** Why it isn't active. */
  readonly disabled_reason: string | null;
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** Set after many failures in a row: until then, nothing is sent. */
  readonly paused_until: Time | null;
  /** Until then, events are also signed with the previous secret. */
  readonly old_secret_until: Time | null;
  readonly created_at: Time;
}

export type WebhookEvent =
  | DepositDetectedEvent
  | DepositConfirmedEvent
  | WithdrawalBroadcastedEvent
  | WithdrawalConfirmedEvent
  | WithdrawalFailedEvent
  | WithdrawalApprovalRequiredEvent
  | WithdrawalCancelledEvent
  | InvoiceProcessingEvent
  | InvoicePaidEvent
  | InvoiceUnderpaidEvent
  | InvoiceExpiredEvent
  | InvoiceCancelledEvent
  | InvoiceReversedEvent;

export interface WebhookTest {
  readonly webhook_id: number;
  readonly url: string;
  readonly event_id: string;
  readonly delivered: boolean;
  /** The HTTP status; null if there was no response. */
  readonly status: number | null;
  readonly latency_ms: number;
  /** Why it doesn't count as delivered. */
  readonly error: string | null;
}

export interface WebhookWithSecret {
  readonly webhook_id: number;
  readonly url: string;
  readonly events: readonly (EventType)[];
  /** While it is false, events wait. */
  readonly active: boolean;
  /** Why it isn't active. */
  readonly disabled_reason: string | null;
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** Set after many failures in a row: until then, nothing is sent. */
  readonly paused_until: Time | null;
  /** Until then, events are also signed with the previous secret. */
  readonly old_secret_until: Time | null;
  readonly created_at: Time;
  /** Events are signed with it. It isn't shown again. */
  readonly secret: string;
}

export type WithdrawalApprovalRequiredEvent = Reported<
  "withdrawal.approval_required",
  WithdrawalEvent
>;

export type WithdrawalBroadcastedEvent = Reported<"withdrawal.broadcasted", WithdrawalEvent>;

export type WithdrawalCancelledEvent = Reported<"withdrawal.cancelled", CancelledWithdrawalEvent>;

export type WithdrawalConfirmedEvent = Reported<"withdrawal.confirmed", WithdrawalEvent>;

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

export type WithdrawalFailedEvent = Reported<"withdrawal.failed", FailedWithdrawalEvent>;
