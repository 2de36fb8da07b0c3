// Written by `deno task openapi` from the table of endpoints. Don't edit it.

import type { Amount, Time } from "./types.ts";

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
  /** It takes coins of test networks, which are worth nothing */
  readonly test: boolean;
  readonly language: string;
  readonly reference: string | null;
  readonly description: string | null;
  readonly customer: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly redirect_url: string | null;
  /** The payer's page. */
  readonly url: string;
  readonly methods: readonly (InvoiceMethod)[];
  /** Those worth most, the oldest first. All of them count. */
  readonly payments: readonly (InvoicePayment)[];
  /** How many there are, listed or not. */
  readonly payments_count: number;
  /** The newest ones, the oldest of them first. */
  readonly refunds: readonly (InvoiceRefund)[];
  /** How many there are, listed or not, paid or not. */
  readonly refunds_count: number;
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
  /** Null until this coin is chosen. */
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

export interface RefundLink {
  /** For the payer. */
  readonly url: string;
}
