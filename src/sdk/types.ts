// Written by `deno task openapi` from the table of endpoints. Don't edit it.

/** A decimal in human units: plain digits, no exponent, no trailing zeros. Never parse it as a float. */
export type Amount = string;

export interface Balance {
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  /** What was credited and has not been paid out yet. */
  readonly balance: Amount;
  /** The part of it that withdrawals in progress have reserved. */
  readonly held: Amount;
  /** `balance` minus `held`: what can be withdrawn, fees included. */
  readonly available: Amount;
}

export interface CheckedWithdrawal {
  /** What the owner's rules say: `approve` holds it until people approve it, `refuse` is a 403. */
  readonly outcome: "allow" | "approve" | "refuse";
  /** The rules that match. */
  readonly rules: readonly ({
    readonly policy_id: number;
    readonly label: string;
    readonly outcome: "approve" | "refuse";
  })[];
  /** Charged on top of the amount. */
  readonly fee_decimal: Amount;
  /** Whether the hot wallet could pay it now. */
  readonly payable: boolean;
  /** What would refuse it before the rules are asked. */
  readonly blocked: "balance" | "suspended" | "stopped" | null;
}

export interface Currency {
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  /** A name to show to people. */
  readonly name: string;
  /** False for the network's own coin. */
  readonly is_token: boolean;
  /** Null for the network's own coin. */
  readonly contract_address: string | null;
  /** Decimal places on the chain, for display only. */
  readonly decimals: number;
  readonly deposit_enabled: boolean;
  readonly withdrawal_enabled: boolean;
  /** Smaller deposits are still credited. */
  readonly min_deposit_amount: Amount;
  /** Smaller withdrawals are refused. */
  readonly min_withdrawal_amount: Amount;
  /** Charged for each withdrawal, in its currency. */
  readonly withdrawal_fee_flat: Amount;
  /** Charged on top of that: "0.5" is half a percent. */
  readonly withdrawal_fee_percent: Amount;
}

export interface Deposit {
  readonly id: number;
  /** Null if no request asked for this currency at this address. */
  readonly request_id: number | null;
  readonly address: string;
  /** Null for addresses from the pool. */
  readonly user_identifier: string | null;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  readonly from_address: string;
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

export interface DepositRequest {
  readonly request_id: number;
  /** Where the customer sends the money. */
  readonly address: string;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  /** Null for addresses from the pool. */
  readonly user_identifier: string | null;
  /** When to stop showing the address. What arrives later is still credited. */
  readonly display_expires_at: Time;
  readonly created_at: Time;
  readonly status: "active" | "expired_for_display" | "settled";
  readonly transactions: readonly (ListedDeposit)[];
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

export interface HotWallet {
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  /** Send coins and tokens for payouts here. It never changes. */
  readonly address: string;
}

export interface Invoice {
  /** 0 in samples. */
  readonly invoice_id: number;
  readonly status: "open" | "processing" | "paid" | "underpaid" | "expired" | "cancelled";
  readonly amount: Amount;
  readonly currency: string;
  /** The value of payments that were seen, confirmed or not. */
  readonly paid: Amount;
  /** The value of those that are confirmed and credited. */
  readonly confirmed: Amount;
  /** What is still missing, never below 0. */
  readonly due: Amount;
  readonly overpaid: Amount;
  /** Whether a payment after the grace period was needed. */
  readonly is_late: boolean;
  readonly tolerance_percent: Amount;
  readonly language: string;
  readonly reference: string | null;
  readonly description: string | null;
  readonly customer: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly redirect_url: string | null;
  /** The payer's page. */
  readonly url: string;
  readonly methods: readonly (InvoiceMethod)[];
  readonly payments: readonly (InvoicePayment)[];
  readonly refunds: readonly (InvoiceRefund)[];
  readonly expires_at: Time;
  readonly created_at: Time;
  readonly paid_at: Time | null;
  readonly cancelled_at: Time | null;
}

export interface InvoiceMethod {
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  /** Rounded up, so that paying it always suffices. */
  readonly amount_decimal: Amount;
  /** What is still missing; from a minute after the end on, at the current price. */
  readonly due_decimal: Amount;
  /** The price of one coin in the invoice's currency, locked. */
  readonly rate: Amount;
  readonly rate_at: Time;
  /** Null until this network is chosen. */
  readonly address: string | null;
  /** Asks a wallet for what is due. */
  readonly payment_uri: string | null;
  readonly deposit_request_id: number | null;
}

export interface InvoicePayment {
  readonly transaction_id: number;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  /** The transaction's hash on its network. */
  readonly tx_hash: string;
  readonly amount_decimal: Amount;
  /** In the invoice's currency. Null: there was no rate, and you decide whether to accept it. */
  readonly value: Amount | null;
  /** The number of blocks from the transaction's block to the newest, counting both; 0 until it is in a block. */
  readonly confirmations: number;
  readonly status: "detected" | "confirmed" | "sweep_pending" | "swept" | "failed";
  readonly detected_at: Time;
  readonly confirmed_at: Time | null;
}

export interface InvoiceRefund {
  readonly withdrawal_id: number;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  readonly amount: Amount;
  readonly status: "pending" | "broadcasted" | "confirmed" | "failed" | "cancelled";
}

export interface LedgerEntry {
  readonly id: number;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  /** `credit`: a deposit was confirmed; `reversal`: it vanished later. `hold`: a withdrawal was accepted; `release`: it failed or was cancelled; `debit`: it was confirmed. `adjust`: an operator's entry. */
  readonly kind: "credit" | "reversal" | "hold" | "release" | "debit" | "adjust";
  /** How `balance` changed. */
  readonly amount: Amount;
  /** How `held` changed. */
  readonly held_amount: Amount;
  readonly balance_after: Amount;
  readonly held_after: Amount;
  /** The deposit that caused it, if any. */
  readonly transaction_id: number | null;
  /** The withdrawal that caused it, if any. */
  readonly withdrawal_id: number | null;
  /** The operator's comment. */
  readonly note: string | null;
  readonly created_at: Time;
  /** What `amount` was worth then in the account's reporting currency. Null if it had none, or if there was no rate. */
  readonly value: Amount | null;
  /** What `held_amount` was worth then. */
  readonly held_value: Amount | null;
  /** The currency of both values. */
  readonly value_currency: string | null;
}

export interface ListedDeposit {
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
}

export interface ListedDepositRequest {
  readonly request_id: number;
  /** Where the customer sends the money. */
  readonly address: string;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  /** Null for addresses from the pool. */
  readonly user_identifier: string | null;
  /** When to stop showing the address. What arrives later is still credited. */
  readonly display_expires_at: Time;
  readonly created_at: Time;
  readonly status: "active" | "expired_for_display" | "settled";
}

export interface ListedWithdrawal {
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
  /** Your name for it. */
  readonly client_reference: string | null;
}

export interface PaymentLink {
  readonly payment_link_id: number;
  /** The page that starts an invoice. */
  readonly url: string;
  readonly title: string;
  /** Null: the payer chooses. */
  readonly amount: Amount | null;
  readonly min: Amount | null;
  readonly max: Amount | null;
  readonly currency: string;
  readonly redirect_url: string | null;
  readonly active: boolean;
  readonly created_at: Time;
  readonly deactivated_at: Time | null;
}

export interface Ping {
  readonly key_id: string;
}

export interface Redelivery {
  readonly event_id: string;
  /** The number of webhooks it is sent to. */
  readonly redelivered: number;
}

export interface RefundLink {
  /** For the payer. */
  readonly url: string;
}

export interface RequestedAddress {
  readonly request_id: number;
  /** Where the customer sends the money. */
  readonly address: string;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  /** Null for the network's own coin. */
  readonly contract_address: string | null;
  /** Null for addresses from the pool. */
  readonly user_identifier: string | null;
  /** When to stop showing the address. What arrives later is still credited. */
  readonly display_expires_at: Time;
  readonly created_at: Time;
}

export interface SubmittedWithdrawal {
  readonly withdrawal_id: number;
  /** `pending`: a rule of the owner asks for an approval first. */
  readonly status: "broadcasted" | "pending";
  /** Null while the payment waits for its turn. It is sent soon; read the withdrawal to get the hash. */
  readonly tx_hash: string | null;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  readonly to_address: string;
  /** What the recipient gets. */
  readonly amount_decimal: Amount;
  /** Charged on top of the amount. */
  readonly fee_decimal: Amount;
}

/** ISO 8601 in UTC, to the second. */
export type Time = string;

export interface Transaction {
  readonly id: number;
  /** The transaction's hash on its network. */
  readonly tx_hash: string;
  readonly direction: "deposit" | "withdrawal" | "sweep" | "gas_topup";
  readonly status: "detected" | "confirmed" | "sweep_pending" | "swept" | "failed";
  /** The symbol. It may exist on several networks, so always pair it with the network. */
  readonly currency: string;
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  readonly from_address: string;
  readonly to_address: string;
  readonly amount_decimal: Amount;
  /** The number of blocks from the transaction's block to the newest, counting both; 0 until it is in a block. */
  readonly confirmations: number;
  /** The block it was first seen in; 0 until a transaction sent by the gateway is in a block. */
  readonly block_number: number;
  readonly created_at: Time;
  readonly confirmed_at: Time | null;
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

export interface Withdrawal {
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
}
