// Written by `deno task openapi` from the table of endpoints. Don't edit it.

import type {
  DeliveredEvent,
  Redelivery,
  Webhook,
  WebhookEvent,
  WebhookTest,
  WebhookWithSecret,
} from "./events.ts";
import type { Invoice, PaymentLink, RefundLink } from "./invoices.ts";
import type {
  Balance,
  CheckedWithdrawal,
  Currency,
  Deposit,
  DepositRequest,
  HotWallet,
  LedgerEntry,
  ListedDepositRequest,
  ListedWithdrawal,
  Ping,
  RequestedAddress,
  SubmittedWithdrawal,
  Transaction,
  Withdrawal,
} from "./types.ts";
import type {
  AcceptInvoiceBody,
  ChangeWebhookBody,
  CheckWithdrawalBody,
  ChooseInvoiceMethodBody,
  CreateDepositAddressBody,
  CreateInvoiceBody,
  CreatePaymentLinkBody,
  CreateRefundLinkBody,
  CreateWebhookBody,
  CreateWithdrawalBody,
  ExtendInvoiceBody,
  ListBalancesQuery,
  ListDepositRequestsQuery,
  ListDepositsQuery,
  ListEventsQuery,
  ListInvoicesQuery,
  ListLedgerQuery,
  ListPaymentLinksQuery,
  ListTransactionsQuery,
  ListWebhooksQuery,
  ListWithdrawalsQuery,
  ReadHotWalletAddressQuery,
  RefundInvoiceBody,
} from "./requests.ts";
import type { Rows } from "./rows.ts";

export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: object;
  readonly body?: object;
  readonly reference?: string;
}

/** A method for each operation of the API. */
export abstract class Operations {
  protected abstract call<T>(operation: Operation): Promise<T>;
  protected abstract rows<T>(operation: Operation): Rows<T>;

  /** Check credentials. Returns the id of the key that signed the request. Permission: `read_balance` */
  ping(): Promise<Ping> {
    return this.call({ method: "GET", path: "/v1/_ping" });
  }

  /** List currencies. Every currency that the account may receive or pay out, with its limits and fees. Not paginated. Permission: `list_currencies` */
  listCurrencies(): Rows<Currency> {
    return this.rows({ method: "GET", path: "/v1/currencies" });
  }

  /** List balances. One row for each currency and network that ever had a balance. Not paginated. Permission: `read_balance` */
  listBalances(query: ListBalancesQuery = {}): Rows<Balance> {
    return this.rows({ method: "GET", path: "/v1/balances", query });
  }

  /** Get an address for a payment. With `user_identifier`, you get the customer's own address. Without it, you get one from a pool, which is reused for other requests later. Permission: `request_deposit_address` */
  createDepositAddress(body: CreateDepositAddressBody): Promise<RequestedAddress> {
    return this.call({
      method: "POST",
      path: "/v1/deposit-addresses",
      body,
      reference: "idempotency_key",
    });
  }

  /** Read a deposit request. Includes the payments received for it: to its address, in its currency. Permission: `read_deposit_status` */
  readDepositRequest(request_id: number): Promise<DepositRequest> {
    return this.call({ method: "GET", path: `/v1/deposit-requests/${request_id}` });
  }

  /** Pay out. Holds the amount and the fee, sends the payment, and then responds. Repeating the request with the same `client_reference` pays nothing: the response is the first withdrawal as it is now, whatever else the request says. That response has the fields of `GET /v1/withdrawals/{withdrawal_id}`: `id`, `amount` and `fee` instead of `withdrawal_id`, `amount_decimal` and `fee_decimal`. Its header `X-CPG-Replay` is `same`, or `different` if the first request asked for something else. Permission: `withdraw` */
  createWithdrawal(body: CreateWithdrawalBody): Promise<SubmittedWithdrawal | Withdrawal> {
    return this.call({
      method: "POST",
      path: "/v1/withdrawals",
      body,
      reference: "client_reference",
    });
  }

  /** List withdrawals. All withdrawals of the account, newest first. `from` and `until` refer to `requested_at`. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `read_withdrawal_status` */
  listWithdrawals(query: ListWithdrawalsQuery = {}): Rows<ListedWithdrawal> {
    return this.rows({ method: "GET", path: "/v1/withdrawals", query });
  }

  /** Read a withdrawal. Returns its current state. While it is `broadcasted`, its `tx_hash` may change. Permission: `read_withdrawal_status` */
  readWithdrawal(withdrawal_id: number): Promise<Withdrawal> {
    return this.call({ method: "GET", path: `/v1/withdrawals/${withdrawal_id}` });
  }

  /** List transactions. Everything that moved the account's money on a chain, newest first. Permission: `list_transactions` */
  listTransactions(query: ListTransactionsQuery = {}): Rows<Transaction> {
    return this.rows({ method: "GET", path: "/v1/transactions", query });
  }

  /** Read the hot wallet's address. The wallet that pays the account's withdrawals on a network. It needs the currency that is paid out, and the network's own coin for gas. Permission: `request_withdrawal_funding_address` */
  readHotWalletAddress(query: ReadHotWalletAddressQuery): Promise<HotWallet> {
    return this.call({ method: "GET", path: "/v1/hot-wallet-address", query });
  }

  /** Check a payout. Says how the same withdrawal would be answered now, and what it would cost. Nothing is written or held, and nothing is promised. Permission: `withdraw` */
  checkWithdrawal(body: CheckWithdrawalBody): Promise<CheckedWithdrawal> {
    return this.call({ method: "POST", path: "/v1/withdrawals/check", body });
  }

  /** List deposit requests. All deposit requests, newest first, without their payments. `from` and `until` refer to `created_at`. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `read_deposit_status` */
  listDepositRequests(query: ListDepositRequestsQuery = {}): Rows<ListedDepositRequest> {
    return this.rows({ method: "GET", path: "/v1/deposit-requests", query });
  }

  /** List deposits. All payments to the account's addresses, newest first. `from` and `until` refer to `detected_at`. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `read_deposit_status` */
  listDeposits(query: ListDepositsQuery = {}): Rows<Deposit> {
    return this.rows({ method: "GET", path: "/v1/deposits", query });
  }

  /** List ledger entries. Every entry that changed a balance or its held part, newest first. For each currency, the amounts add up to `balance`, and the held amounts to `held`. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `read_balance` */
  listLedger(query: ListLedgerQuery = {}): Rows<LedgerEntry> {
    return this.rows({ method: "GET", path: "/v1/ledger", query });
  }

  /** Add a webhook. Sends the account's events to a URL from now on. Only this response contains the secret. An account has at most 20 webhooks. The demo, like any gateway started with `CPG_WEBHOOK_ALLOW_PRIVATE=true`, also takes http addresses and those of your own machine, such as `http://127.0.0.1:9000/hook`. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_webhooks` */
  createWebhook(body: CreateWebhookBody): Promise<WebhookWithSecret> {
    return this.call({ method: "POST", path: "/v1/webhooks", body });
  }

  /** List webhooks. The account's webhooks, newest first, without their secrets. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_webhooks` */
  listWebhooks(query: ListWebhooksQuery = {}): Rows<Webhook> {
    return this.rows({ method: "GET", path: "/v1/webhooks", query });
  }

  /** Read a webhook. Without its secret. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_webhooks` */
  readWebhook(webhook_id: number): Promise<Webhook> {
    return this.call({ method: "GET", path: `/v1/webhooks/${webhook_id}` });
  }

  /** Change a webhook. Fields that aren't given stay as they are. Waiting events go to the new URL. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_webhooks` */
  changeWebhook(webhook_id: number, body: ChangeWebhookBody): Promise<Webhook> {
    return this.call({ method: "PATCH", path: `/v1/webhooks/${webhook_id}`, body });
  }

  /** Remove a webhook. Events that wait for it are dropped. Returns the webhook as it was. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_webhooks` */
  deleteWebhook(webhook_id: number): Promise<Webhook> {
    return this.call({ method: "DELETE", path: `/v1/webhooks/${webhook_id}` });
  }

  /** Rotate a webhook's secret. Only this response contains the new secret. For 24 hours, events are also signed with the previous one. A second rotation ends that. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_webhooks` */
  rotateWebhookSecret(webhook_id: number): Promise<WebhookWithSecret> {
    return this.call({ method: "POST", path: `/v1/webhooks/${webhook_id}/rotate` });
  }

  /** Send a ping to a webhook. Sends a signed event of type `ping` immediately, and returns the status of the response but not its body. It isn't retried. At most 20 a minute. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_webhooks` */
  testWebhook(webhook_id: number): Promise<WebhookTest> {
    return this.call({ method: "POST", path: `/v1/webhooks/${webhook_id}/test` });
  }

  /** List events. Everything that webhooks were sent, or would have been, newest first. Use it to catch up after an outage. Delivered events are kept for 30 days. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_webhooks` */
  listEvents(query: ListEventsQuery = {}): Rows<WebhookEvent> {
    return this.rows({ method: "GET", path: "/v1/events", query });
  }

  /** Read an event. Includes its delivery to each webhook. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_webhooks` */
  readEvent(event_id: string): Promise<DeliveredEvent> {
    return this.call({ method: "GET", path: `/v1/events/${encodeURIComponent(event_id)}` });
  }

  /** Send an event again. To every webhook that now receives its type, even if it was delivered before. It keeps its id. At most 60 a minute. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_webhooks` */
  redeliverEvent(event_id: string): Promise<Redelivery> {
    return this.call({
      method: "POST",
      path: `/v1/events/${encodeURIComponent(event_id)}/redeliver`,
    });
  }

  /** Create an invoice. Locks the price of each coin that can pay it. Send the payer to `url`, or show an address of `methods` yourself. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_invoices` */
  createInvoice(body: CreateInvoiceBody): Promise<Invoice> {
    return this.call({ method: "POST", path: "/v1/invoices", body, reference: "idempotency_key" });
  }

  /** List invoices. All invoices, newest first, each with at most 3 of its `payments` and of its `refunds`: read one to see more. `from` and `until` refer to `created_at`. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `read_invoices` */
  listInvoices(query: ListInvoicesQuery = {}): Rows<Invoice> {
    return this.rows({ method: "GET", path: "/v1/invoices", query });
  }

  /** Read an invoice. With its payments and what is still due. It lists at most 100 `payments`, those worth most, and the newest 100 `refunds`. `GET /v1/deposits` and `GET /v1/withdrawals` list all of them by `invoice_id`. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `read_invoices` */
  readInvoice(invoice_id: number): Promise<Invoice> {
    return this.call({ method: "GET", path: `/v1/invoices/${invoice_id}` });
  }

  /** Choose how an invoice is paid. Gives the invoice an address on this network, as the payer's page does. The coin must be one of its `methods`. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_invoices` */
  chooseInvoiceMethod(invoice_id: number, body: ChooseInvoiceMethodBody): Promise<Invoice> {
    return this.call({ method: "POST", path: `/v1/invoices/${invoice_id}/methods`, body });
  }

  /** Cancel an invoice. Payments that arrive later are still credited and listed. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_invoices` */
  cancelInvoice(invoice_id: number): Promise<Invoice> {
    return this.call({ method: "POST", path: `/v1/invoices/${invoice_id}/cancel` });
  }

  /** Give the payer more time. `expires_in` counts from now. The rates stay the same. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_invoices` */
  extendInvoice(invoice_id: number, body: ExtendInvoiceBody): Promise<Invoice> {
    return this.call({ method: "POST", path: `/v1/invoices/${invoice_id}/extend`, body });
  }

  /** Accept an invoice as paid. With whatever has been credited for it. The key must have been made by somebody whose role may accept invoices: an operator, or a user with the role merchant or finance. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_invoices` */
  acceptInvoice(invoice_id: number, body: AcceptInvoiceBody): Promise<Invoice> {
    return this.call({ method: "POST", path: `/v1/invoices/${invoice_id}/accept`, body });
  }

  /** Refund an invoice. Pays out at most what was credited for the invoice in this currency and wasn't refunded yet. Your account pays the fee, and the minimum doesn't apply, but less than the network fee is refunded only if it is all that is left. Otherwise it is a withdrawal like any other, and shares its `client_reference`s. So if any payout with this key already had this `client_reference`, nothing is refunded: the response is 200 with that payout, in the fields of `GET /v1/withdrawals/{withdrawal_id}`, and the header `X-CPG-Replay` is `different`, or `same` if it was this refund. A refund of an invoice from before a restore of the books waits for an approval. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `withdraw`, `manage_invoices` */
  refundInvoice(
    invoice_id: number,
    body: RefundInvoiceBody,
  ): Promise<SubmittedWithdrawal | Withdrawal> {
    return this.call({
      method: "POST",
      path: `/v1/invoices/${invoice_id}/refunds`,
      body,
      reference: "client_reference",
    });
  }

  /** Let the payer say where to refund. The page behind `url` asks once for an address, within 7 days. The refund then waits until somebody of the account approves it. Nobody can read the link again, so send it to the payer now. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `withdraw`, `manage_invoices` */
  createRefundLink(invoice_id: number, body: CreateRefundLinkBody): Promise<RefundLink> {
    return this.call({ method: "POST", path: `/v1/invoices/${invoice_id}/refund-links`, body });
  }

  /** Create a payment link. Whoever opens `url` can start an invoice, as often as they like. Its `metadata` has the `payment_link_id`. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_invoices` */
  createPaymentLink(body: CreatePaymentLinkBody): Promise<PaymentLink> {
    return this.call({
      method: "POST",
      path: "/v1/payment-links",
      body,
      reference: "idempotency_key",
    });
  }

  /** List payment links. All payment links, newest first. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `read_invoices` */
  listPaymentLinks(query: ListPaymentLinksQuery = {}): Rows<PaymentLink> {
    return this.rows({ method: "GET", path: "/v1/payment-links", query });
  }

  /** Read a payment link. Invoices that were started through it have its id in their `metadata`. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `read_invoices` */
  readPaymentLink(payment_link_id: number): Promise<PaymentLink> {
    return this.call({ method: "GET", path: `/v1/payment-links/${payment_link_id}` });
  }

  /** Deactivate a payment link. For good. Invoices that were started through it stay as they are. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `manage_invoices` */
  deactivatePaymentLink(payment_link_id: number): Promise<PaymentLink> {
    return this.call({ method: "POST", path: `/v1/payment-links/${payment_link_id}/deactivate` });
  }
}
