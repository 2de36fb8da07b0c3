import { Addresses, DepositRequests } from "./addresses.ts";
import { Alerts, NoticeReceivers, Notices } from "./alerts.ts";
import { ApprovalRequests, Approvals } from "./control/approvals.ts";
import { AuditLog } from "./audit.ts";
import { Events } from "./events.ts";
import { NetworkBlocks, NetworkCursors, NetworkEndpoints } from "./following.ts";
import { INSTANCE_TABLES } from "./instances.ts";
import { CheckoutLogos, Checkouts } from "./checkout/checkouts.ts";
import { CoinMoves, CoinSums } from "./coins.ts";
import { InvoiceAddresses, InvoicePayments, Invoices } from "./checkout/invoices.ts";
import { REFUND_TABLES } from "./checkout/refunds.ts";
import { PaymentLinks, PaymentLinkStarts } from "./checkout/payment_links.ts";
import { AdjustmentReferences, Balances, Freezes, LedgerChecks, LedgerEntries } from "./ledger.ts";
import { Notes } from "./control/notes.ts";
import { Payees } from "./control/payees.ts";
import { POLICY_TABLES } from "./control/policies.ts";
import { RATE_TABLES } from "./control/rates.ts";
import { Proposals } from "./control/proposals.ts";
import {
  AccountCurrencies,
  Accounts,
  ApiKeys,
  Currencies,
  Networks,
  ReceivingWallets,
  RoleKeys,
  Secrets,
} from "./setup.ts";
import { REQUEST_TABLES } from "./requests.ts";
import { RepeatedRequests, UsedSignatures } from "./signatures.ts";
import { SignedTransfers } from "./signed_transfers.ts";
import { StorageUses } from "./storage.ts";
import { Stops } from "./stops.ts";
import { Sweeps } from "./sweeps.ts";
import type { AnyRow, Table } from "./table.ts";
import { Transactions } from "./transactions.ts";
import { USER_TABLES } from "./users.ts";
import { VOLUME_TABLES } from "./volumes.ts";
import { WebhookAttempts, WebhookDeliveries, WebhookEndpoints } from "./webhooks.ts";
import { AllowedRecipients, PayoutBatches, Withdrawals } from "./withdrawals.ts";

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
  InvoicePayments,
  SignedTransfers,
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
  ...REQUEST_TABLES,
];
