import type { Endpoint } from "./endpoint.ts";
import { listBalances } from "./routes/balances.ts";
import { listCurrencies } from "./routes/currencies.ts";
import { listDeposits } from "./routes/deposit_list.ts";
import { listDepositRequests } from "./routes/deposit_request_list.ts";
import { createDepositAddress, readDepositRequest } from "./routes/deposits.ts";
import { readHotWalletAddress } from "./routes/hot_wallet.ts";
import { listLedger } from "./routes/ledger.ts";
import {
  acceptInvoice,
  cancelInvoice,
  chooseInvoiceMethod,
  createInvoice,
  extendInvoice,
  listInvoices,
  readInvoice,
} from "./routes/invoices/invoices.ts";
import { createRefundLink, refundInvoice } from "./routes/invoices/refunds.ts";
import {
  createPaymentLink,
  deactivatePaymentLink,
  listPaymentLinks,
  readPaymentLink,
} from "./routes/invoices/payment_links.ts";
import { ping } from "./routes/ping.ts";
import { listTransactions } from "./routes/transactions.ts";
import { listWithdrawals } from "./routes/withdrawal_list.ts";
import { listEvents, readEvent, sendAgain } from "./routes/webhooks/events.ts";
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  readWebhook,
  rotateSecret,
  tryWebhook,
} from "./routes/webhooks/webhooks.ts";
import { checkWithdrawal } from "./routes/withdrawal_check.ts";
import { createWithdrawal, readWithdrawal } from "./routes/withdrawals.ts";

/** The whole API: the nine endpoints of the spec's section 4 in its order, and then the others. */
export const ENDPOINTS: readonly Endpoint[] = [
  ping,
  listCurrencies,
  listBalances,
  createDepositAddress,
  readDepositRequest,
  createWithdrawal,
  readWithdrawal,
  listTransactions,
  readHotWalletAddress,
  checkWithdrawal,
  listWithdrawals,
  listDepositRequests,
  listDeposits,
  listLedger,
  createWebhook,
  listWebhooks,
  readWebhook,
  changeWebhook,
  deleteWebhook,
  rotateSecret,
  tryWebhook,
  listEvents,
  readEvent,
  sendAgain,
  createInvoice,
  listInvoices,
  readInvoice,
  chooseInvoiceMethod,
  cancelInvoice,
  extendInvoice,
  acceptInvoice,
  refundInvoice,
  createRefundLink,
  createPaymentLink,
  listPaymentLinks,
  readPaymentLink,
  deactivatePaymentLink,
];
