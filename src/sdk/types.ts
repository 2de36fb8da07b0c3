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
  /** The block it was first seen in; 0 until a transaction sent by the gateway, or a payment that was seen before its block, is in one. */
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

export interface HotWallet {
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
  /** Send coins and tokens for payouts here. It never changes. */
  readonly address: string;
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
  /** The withdrawal's, or the `reference` of the invoice that was paid. */
  readonly client_reference: string | null;
  /** The invoice that was paid or refunded. */
  readonly invoice_id: number | null;
  /** The transaction on the chain; a withdrawal's as it is now. */
  readonly tx_hash: string | null;
}

export interface ListedDeposit {
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

export interface Ping {
  readonly key_id: string;
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
  /** The block it was first seen in; 0 until a transaction sent by the gateway, or a payment that was seen before its block, is in one. */
  readonly block_number: number;
  readonly created_at: Time;
  readonly confirmed_at: Time | null;
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
