// Written by `deno task openapi` from the table of endpoints. Don't edit it.

import type { EventType } from "./events.ts";

export interface ListBalancesQuery {
  /** Only this currency. Its symbol is not case-sensitive. */
  readonly currency?: string;
  /** Only this network. Its code is not case-sensitive. */
  readonly network?: string;
}

export interface CreateDepositAddressBody {
  readonly currency: string;
  readonly network: string;
  /** Your name for the customer, who then always gets the same address on this network. */
  readonly user_identifier?: string;
  /** Repeating a request with the same key returns what the first one created. */
  readonly idempotency_key?: string;
}

export interface CreateWithdrawalBody {
  readonly currency: string;
  readonly network: string;
  readonly to_address: string;
  /** What the recipient gets. Digits beyond the currency's `decimals` are cut off. */
  readonly amount: string | number;
  /** Your own name for this withdrawal. A repeated request with the same name never pays twice, so always give one. */
  readonly client_reference?: string;
}

export interface ListWithdrawalsQuery {
  readonly status?: "pending" | "broadcasted" | "confirmed" | "failed" | "cancelled";
  /** Only this network. Its code is not case-sensitive. */
  readonly network?: string;
  /** Only this currency. Its symbol is not case-sensitive. */
  readonly currency?: string;
  /** Only rows from this time on. ISO 8601 with an offset; a date alone is its midnight in UTC. */
  readonly from?: string;
  /** Only rows before this time. ISO 8601 with an offset; a date alone is its midnight in UTC. */
  readonly until?: string;
  /** Only those with this reference, whichever of the account's keys sent it. */
  readonly client_reference?: string;
  /** Only this address, in any spelling. */
  readonly to_address?: string;
  /** Only those of this invoice. */
  readonly invoice_id?: number;
  /** The `next_cursor` of the previous page. */
  readonly cursor?: number;
  /** How many rows; 50 if it isn't given. */
  readonly limit?: number;
}

export interface ListTransactionsQuery {
  readonly direction?: "deposit" | "withdrawal" | "sweep" | "gas_topup";
  readonly status?: "detected" | "confirmed" | "sweep_pending" | "swept" | "failed";
  /** Only this network. Its code is not case-sensitive. */
  readonly network?: string;
  /** Only this currency. Its symbol is not case-sensitive. */
  readonly currency?: string;
  /** The `next_cursor` of the previous page. */
  readonly cursor?: number;
  readonly limit?: number;
}

export interface ReadHotWalletAddressQuery {
  /** The network's code, such as ETH or TRX. */
  readonly network: string;
}

export interface CheckWithdrawalBody {
  readonly currency: string;
  readonly network: string;
  readonly to_address: string;
  /** What the recipient gets. Digits beyond the currency's `decimals` are cut off. */
  readonly amount: string | number;
  /** Your own name for this withdrawal. A repeated request with the same name never pays twice, so always give one. */
  readonly client_reference?: string;
}

export interface ListDepositRequestsQuery {
  readonly status?: "active" | "expired_for_display" | "settled";
  /** Only this customer's. */
  readonly user_identifier?: string;
  /** Only this address, in any spelling. */
  readonly address?: string;
  /** Only this network. Its code is not case-sensitive. */
  readonly network?: string;
  /** Only this currency. Its symbol is not case-sensitive. */
  readonly currency?: string;
  /** Only rows from this time on. ISO 8601 with an offset; a date alone is its midnight in UTC. */
  readonly from?: string;
  /** Only rows before this time. ISO 8601 with an offset; a date alone is its midnight in UTC. */
  readonly until?: string;
  /** The `next_cursor` of the previous page. */
  readonly cursor?: number;
  /** How many rows; 50 if it isn't given. */
  readonly limit?: number;
}

export interface ListDepositsQuery {
  readonly status?: "detected" | "confirmed" | "sweep_pending" | "swept" | "failed";
  /** Only this customer's. */
  readonly user_identifier?: string;
  /** Only this address, in any spelling. */
  readonly address?: string;
  /** Only this network. Its code is not case-sensitive. */
  readonly network?: string;
  /** Only this currency. Its symbol is not case-sensitive. */
  readonly currency?: string;
  /** Only rows from this time on. ISO 8601 with an offset; a date alone is its midnight in UTC. */
  readonly from?: string;
  /** Only rows before this time. ISO 8601 with an offset; a date alone is its midnight in UTC. */
  readonly until?: string;
  /** Only this transaction, in any spelling of its hash. */
  readonly tx_hash?: string;
  /** Only those of this invoice. */
  readonly invoice_id?: number;
  /** The `next_cursor` of the previous page. */
  readonly cursor?: number;
  /** How many rows; 50 if it isn't given. */
  readonly limit?: number;
}

export interface ListLedgerQuery {
  /** Only this network. Its code is not case-sensitive. */
  readonly network?: string;
  /** Only this currency. Its symbol is not case-sensitive. */
  readonly currency?: string;
  /** Only rows from this time on. ISO 8601 with an offset; a date alone is its midnight in UTC. */
  readonly from?: string;
  /** Only rows before this time. ISO 8601 with an offset; a date alone is its midnight in UTC. */
  readonly until?: string;
  readonly kind?: "credit" | "reversal" | "hold" | "release" | "debit" | "adjust";
  /** The `next_cursor` of the previous page. */
  readonly cursor?: number;
  /** How many rows; 50 if it isn't given. */
  readonly limit?: number;
}

export interface CreateWebhookBody {
  /** An https URL on the public internet. It must respond with 2xx within ten seconds. */
  readonly url: string;
  /** By default all, including future types. */
  readonly events?: readonly (EventType)[];
}

export interface ListWebhooksQuery {
  /** The `next_cursor` of the previous page. */
  readonly cursor?: number;
  /** How many rows; 50 if it isn't given. */
  readonly limit?: number;
}

export interface ChangeWebhookBody {
  /** An https URL on the public internet. It must respond with 2xx within ten seconds. */
  readonly url?: string;
  readonly events?: readonly (EventType)[];
  /** Events wait while it is false. True also ends a pause, and resumes after a 410. */
  readonly active?: boolean;
}

export interface ListEventsQuery {
  /** The `next_cursor` of the previous page. */
  readonly cursor?: string;
  /** How many rows; 50 if it isn't given. */
  readonly limit?: number;
}

export interface CreateInvoiceBody {
  readonly amount: string;
  /** One with rates, such as EUR, or the symbol of an enabled coin. */
  readonly currency: string;
  /** What the payer may choose from. By default every coin enabled for deposits. */
  readonly methods?: readonly ({
    readonly network: string;
    readonly currency: string;
  })[];
  /** If the payer has chosen already: the response then has its address. */
  readonly method?: {
    readonly network: string;
    readonly currency: string;
  };
  /** Your name for it. */
  readonly reference?: string;
  /** Shown to the payer. */
  readonly description?: string;
  /** Your name for the customer. The payer doesn't see it. */
  readonly customer?: string;
  /** At most 20 texts of your own. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The way back to the shop, an https URL, with `invoice_id` and `status` added. */
  readonly redirect_url?: string;
  readonly language?:
    | "en"
    | "de"
    | "es"
    | "fr"
    | "it"
    | "pt"
    | "pl"
    | "tr"
    | "ru"
    | "uk"
    | "zh"
    | "ja"
    | "ko"
    | "ar"
    | "hi";
  /** In seconds. By default the account's, which is 900 unless it was set. */
  readonly expires_in?: number;
  /** An underpayment up to this counts as paid. By default the account's, which is "0.5" unless it was set. */
  readonly tolerance_percent?: string;
  /** Repeating a request with the same key returns what the first one created. */
  readonly idempotency_key?: string;
}

export interface ListInvoicesQuery {
  readonly status?: "open" | "processing" | "paid" | "underpaid" | "expired" | "cancelled";
  /** Only those with this one. */
  readonly reference?: string;
  /** Only this customer's. */
  readonly customer?: string;
  /** Only rows from this time on. ISO 8601 with an offset; a date alone is its midnight in UTC. */
  readonly from?: string;
  /** Only rows before this time. ISO 8601 with an offset; a date alone is its midnight in UTC. */
  readonly until?: string;
  /** The `next_cursor` of the previous page. */
  readonly cursor?: number;
  /** How many rows; 50 if it isn't given. */
  readonly limit?: number;
}

export interface ChooseInvoiceMethodBody {
  readonly network: string;
  readonly currency: string;
}

export interface ExtendInvoiceBody {
  /** In seconds, from now. */
  readonly expires_in: number;
}

export interface AcceptInvoiceBody {
  readonly reason: string;
}

export interface RefundInvoiceBody {
  readonly currency: string;
  readonly network: string;
  readonly to_address: string;
  /** What the recipient gets. Digits beyond the currency's `decimals` are cut off. */
  readonly amount: string | number;
  /** Your own name for this withdrawal. A repeated request with the same name never pays twice, so always give one. */
  readonly client_reference?: string;
}

export interface CreateRefundLinkBody {
  readonly network: string;
  readonly currency: string;
  /** What the recipient gets. Digits beyond the currency's `decimals` are cut off. */
  readonly amount: string | number;
}

export interface CreatePaymentLinkBody {
  /** Shown to the payer. It becomes the description of each invoice. */
  readonly title: string;
  /** Without it, or with null, the payer chooses. */
  readonly amount?: string | null;
  /** The least that the payer may choose. */
  readonly min?: string;
  /** The most that the payer may choose. */
  readonly max?: string;
  /** One with rates, such as EUR, or the symbol of an enabled coin. */
  readonly currency: string;
  /** The way back to the shop, an https URL, with `invoice_id` and `status` added. */
  readonly redirect_url?: string;
  /** Repeating a request with the same key returns what the first one created. */
  readonly idempotency_key?: string;
}

export interface ListPaymentLinksQuery {
  /** The `next_cursor` of the previous page. */
  readonly cursor?: number;
  /** How many rows; 50 if it isn't given. */
  readonly limit?: number;
}
