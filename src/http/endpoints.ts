import type { Endpoint } from "./endpoint.ts";
import { listBalances } from "../books/api/balances.ts";
import { listCurrencies } from "../networks/api.ts";
import { listDeposits } from "../deposits/api/deposit_list.ts";
import { listDepositRequests } from "../deposits/api/deposit_request_list.ts";
import { createDepositAddress, readDepositRequest } from "../deposits/api/deposits.ts";
import { readHotWalletAddress } from "../wallets/api.ts";
import { listLedger } from "../books/api/ledger.ts";
import {
  acceptInvoice,
  cancelInvoice,
  chooseInvoiceMethod,
  createInvoice,
  extendInvoice,
  listInvoices,
  readInvoice,
} from "../invoices/api/invoices.ts";
import { createRefundLink, refundInvoice } from "../invoices/api/refunds.ts";
import {
  createPaymentLink,
  deactivatePaymentLink,
  listPaymentLinks,
  readPaymentLink,
} from "../invoices/api/payment_links.ts";
import { ping } from "./routes/ping.ts";
import { listTransactions } from "../deposits/api/transactions.ts";
import { listWithdrawals } from "../withdrawals/api/withdrawal_list.ts";
import { listEvents, readEvent, sendAgain } from "../webhooks/api/events.ts";
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  readWebhook,
  rotateSecret,
  tryWebhook,
} from "../webhooks/api/webhooks.ts";
import { checkWithdrawal } from "../withdrawals/api/withdrawal_check.ts";
import { createWithdrawal, readWithdrawal } from "../withdrawals/api/withdrawals.ts";

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
