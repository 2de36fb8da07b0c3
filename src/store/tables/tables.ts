import { ApiKeys, RoleKeys } from "../../access/tables/keys.ts";
import { USER_TABLES } from "../../access/tables/users.ts";
import { AccountCurrencies, Accounts, ReceivingWallets } from "../../accounts/tables/accounts.ts";
import { CoinMoves, CoinSums } from "../../accounts/tables/coins.ts";
import { StorageUses } from "../../accounts/tables/storage.ts";
import { VOLUME_TABLES } from "../../accounts/tables/volumes.ts";
import { Alerts, NoticeReceivers, Notices } from "../../alerts/table.ts";
import { ApprovalRequests, Approvals } from "../../approvals/table.ts";
import { AuditLog } from "../../audit/table.ts";
import {
  AdjustmentReferences,
  Balances,
  Freezes,
  LedgerChecks,
  LedgerEntries,
} from "../../books/table.ts";
import { Collectors } from "../../collectors/table.ts";
import { COST_TABLES } from "../../costs/table.ts";
import { CheckoutLogos, Checkouts } from "../../checkout/table.ts";
import { Transactions } from "../../deposits/tables/transactions.ts";
import { NetworkBlocks, NetworkCursors, NetworkEndpoints } from "../../following/table.ts";
import { Stops } from "../../integrity/table.ts";
import { InvoiceAddresses, InvoicePayments, Invoices } from "../../invoices/tables/invoices.ts";
import { PaymentLinks, PaymentLinkStarts } from "../../invoices/tables/payment_links.ts";
import { Currencies, Networks } from "../../networks/table.ts";
import { Notes } from "../../notes/table.ts";
import { DepositInputs } from "../../deposits/tables/inputs.ts";
import { Outputs } from "../../outputs/table.ts";
import { Payees } from "../../payees/table.ts";
import { POLICY_TABLES } from "../../policies/table.ts";
import { Proposals } from "../../proposals/table.ts";
import { RATE_TABLES } from "../../rates/table.ts";
import { REFUND_TABLES } from "../../refunds/table.ts";
import { REQUEST_TABLES } from "../../request_log/table.ts";
import { Secrets } from "./secrets.ts";
import { RepeatedRequests, UsedSignatures } from "./signatures.ts";
import type { AnyRow, Table } from "./table.ts";
import { Sweeps } from "../../sweeps/table.ts";
import {
  Claims,
  FormerTransfers,
  SignedPayments,
  SignedTransactions,
} from "../../transfers/table.ts";
import { INSTANCE_TABLES } from "../../upkeep/table.ts";
import { Addresses, DepositRequests } from "../../wallets/tables/addresses.ts";
import { Xpubs } from "../../wallets/tables/xpubs.ts";
import { Events } from "../../webhooks/tables/events.ts";
import {
  WebhookAttempts,
  WebhookDeliveries,
  WebhookEndpoints,
} from "../../webhooks/tables/webhooks.ts";
import { AllowedRecipients, PayoutBatches, Withdrawals } from "../../withdrawals/table.ts";

/** Parents before children, so that a group's rows never break a reference. */
export const TABLES: readonly Table<AnyRow>[] = [
  Secrets,
  Stops,
  Networks,
  NetworkCursors,
  NetworkBlocks,
  NetworkEndpoints,
  Currencies,
  Accounts,
  AccountCurrencies,
  ReceivingWallets,
  AllowedRecipients,
  ApiKeys,
  RoleKeys,
  Xpubs,
  Addresses,
  DepositRequests,
  ...RATE_TABLES,
  Checkouts,
  CheckoutLogos,
  PaymentLinks,
  PaymentLinkStarts,
  // Before the payments whose changes mark them.
  Invoices,
  InvoiceAddresses,
  ...POLICY_TABLES,
  Payees,
  Proposals,
  Withdrawals,
  ...REFUND_TABLES,
  ApprovalRequests,
  Approvals,
  Sweeps,
  Transactions,
  DepositInputs,
  InvoicePayments,
  FormerTransfers,
  SignedTransactions,
  SignedPayments,
  Claims,
  Outputs,
  Collectors,
  Balances,
  Freezes,
  LedgerChecks,
  LedgerEntries,
  AdjustmentReferences,
  PayoutBatches,
  WebhookEndpoints,
  Events,
  WebhookDeliveries,
  WebhookAttempts,
  AuditLog,
  Alerts,
  Notices,
  NoticeReceivers,
  Notes,
  UsedSignatures,
  RepeatedRequests,
  ...INSTANCE_TABLES,
  ...USER_TABLES,
  ...VOLUME_TABLES,
  StorageUses,
  CoinMoves,
  CoinSums,
  ...COST_TABLES,
  ...REQUEST_TABLES,
];
