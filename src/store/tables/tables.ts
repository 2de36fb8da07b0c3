import { AdjustmentReferences } from "./adjustments.ts";
import type * as rows from "./rows.ts";
import { defineTable, type Table } from "./table.ts";
import { AllowedRecipients } from "./recipients.ts";
import { AuditLog } from "./audit.ts";
import { NetworkBlocks, NetworkCursors, NetworkEndpoints } from "./following.ts";
import { WebhookAttempts, WebhookDeliveries, WebhookEndpoints } from "./webhooks.ts";
import { INSTANCE_TABLES } from "./instances.ts";
import {
  AccountCurrencies,
  Accounts,
  ApiKeys,
  Currencies,
  Networks,
  ReceivingWallets,
  Secrets,
} from "./setup.ts";
import { UsedSignatures } from "./signatures.ts";
import { LedgerChecks } from "./ledger_checks.ts";
import { Stops } from "./stops.ts";
import { USER_TABLES } from "./users.ts";
import { VOLUME_TABLES } from "./volumes.ts";

export const Addresses = defineTable<rows.AddressRow>("addresses", {
  columns: {
    id: "int",
    accountId: "int",
    network: "text",
    purpose: "text",
    address: "text",
    keyCoinType: "int",
    keyAccount: "int",
    keyBranch: "int",
    keyIndex: "int",
    userIdentifier: "text",
    reusableAtMs: "int",
    currentRequestId: "int",
    haltedReason: "text",
    nonceFloor: "int",
    createdAtMs: "int",
  },
  primary: ["id"],
  unique: {
    address: ["network", "address"],
    key: ["keyCoinType", "keyAccount", "keyBranch", "keyIndex"],
    sticky: ["accountId", "network", "userIdentifier"],
  },
  isSerial: true,
  unguarded: ["reusableAtMs", "currentRequestId"],
});

export const DepositRequests = defineTable<rows.DepositRequestRow>("deposit_requests", {
  columns: {
    id: "int",
    accountId: "int",
    keyId: "text",
    idempotencyKey: "text",
    network: "text",
    currency: "text",
    contractAddress: "text",
    addressId: "int",
    address: "text",
    userIdentifier: "text",
    displayExpiresAtMs: "int",
    monitoredUntilMs: "int",
    createdAtMs: "int",
  },
  primary: ["id"],
  unique: { idempotency: ["keyId", "idempotencyKey"] },
  isSerial: true,
  unguarded: [],
});

export const Withdrawals = defineTable<rows.WithdrawalRow>("withdrawals", {
  columns: {
    id: "int",
    accountId: "int",
    keyId: "text",
    clientReference: "text",
    network: "text",
    currency: "text",
    toAddress: "text",
    amount: "text",
    fee: "text",
    status: "text",
    transferId: "int",
    txHash: "text",
    errorMessage: "text",
    failureReason: "text",
    requestedAtMs: "int",
    broadcastAtMs: "int",
    confirmedAtMs: "int",
  },
  primary: ["id"],
  unique: { reference: ["keyId", "clientReference"] },
  isSerial: true,
  unguarded: [],
});

export const Sweeps = defineTable<rows.SweepRow>("sweeps", {
  columns: {
    id: "int",
    accountId: "int",
    network: "text",
    currency: "text",
    addressId: "int",
    state: "text",
    open: "int",
    reason: "text",
    failures: "int",
    nextTryAtMs: "int",
    createdAtMs: "int",
  },
  primary: ["id"],
  unique: { open: ["addressId", "currency", "open"] },
  isSerial: true,
  unguarded: ["reason", "failures", "nextTryAtMs"],
});

export const Transactions = defineTable<rows.TransactionRow>("transactions", {
  columns: {
    id: "int",
    accountId: "int",
    network: "text",
    currency: "text",
    direction: "text",
    status: "text",
    txHash: "text",
    position: "int",
    live: "int",
    fromAddress: "text",
    toAddress: "text",
    amount: "text",
    blockNumber: "int",
    blockHash: "text",
    sender: "text",
    senderNonce: "int",
    addressId: "int",
    depositRequestId: "int",
    withdrawalId: "int",
    sweepId: "int",
    isBelowMinimum: "bool",
    createdAtMs: "int",
    confirmedAtMs: "int",
    minedAtMs: "int",
  },
  primary: ["id"],
  unique: { movement: ["network", "txHash", "position", "live"] },
  isSerial: true,
  unguarded: [],
});

export const SignedTransfers = defineTable<rows.SignedTransferRow>("signed_transfers", {
  columns: {
    id: "int",
    network: "text",
    sender: "text",
    nonce: "int",
    liveNonce: "int",
    txHash: "text",
    raw: "text",
    purpose: "text",
    withdrawalId: "int",
    sweepId: "int",
    transactionId: "int",
    toAddress: "text",
    contractAddress: "text",
    amountRaw: "text",
    nativeCostMaxRaw: "text",
    state: "text",
    blockNumber: "int",
    blockHash: "text",
    isSuccessful: "bool",
    feeRaw: "text",
    arrivedRaw: "text",
    signedAtHeight: "int",
    createdAtMs: "int",
    sentAtMs: "int",
    callsCode: "bool",
  },
  primary: ["id"],
  unique: { hash: ["network", "txHash"], nonce: ["network", "sender", "liveNonce"] },
  isSerial: true,
  unguarded: ["sentAtMs"],
});

export const Balances = defineTable<rows.BalanceRow>("balances", {
  columns: { accountId: "int", network: "text", currency: "text", balance: "text", held: "text" },
  primary: ["accountId", "network", "currency"],
  isSummed: true,
  unguarded: [],
});

export const Freezes = defineTable<rows.FreezeRow>("freezes", {
  columns: {
    accountId: "int",
    network: "text",
    currency: "text",
    reason: "text",
    createdAtMs: "int",
  },
  primary: ["accountId", "network", "currency"],
});

export const LedgerEntries = defineTable<rows.LedgerEntryRow>("ledger_entries", {
  columns: {
    id: "int",
    accountId: "int",
    network: "text",
    currency: "text",
    kind: "text",
    amount: "text",
    balanceAfter: "text",
    heldAfter: "text",
    transactionId: "int",
    withdrawalId: "int",
    note: "text",
    createdAtMs: "int",
  },
  primary: ["id"],
  unique: { transaction: ["transactionId", "kind"], withdrawal: ["withdrawalId", "kind"] },
  isSerial: true,
  unguarded: [],
});

export const Events = defineTable<rows.EventRow>("events", {
  columns: {
    id: "int",
    eventId: "text",
    accountId: "int",
    type: "text",
    transactionId: "int",
    withdrawalId: "int",
    payload: "json",
    createdAtMs: "int",
  },
  primary: ["id"],
  unique: { eventId: ["eventId"] },
  isSerial: true,
  unguarded: [],
});

export const Alerts = defineTable<rows.AlertRow>("alerts", {
  columns: {
    id: "int",
    kind: "text",
    subject: "text",
    message: "text",
    open: "int",
    createdAtMs: "int",
    resolvedAtMs: "int",
  },
  primary: ["id"],
  unique: { open: ["kind", "subject", "open"] },
  isSerial: true,
});

/** Parents before children, so that a group's rows go in without breaking a reference. */
export const TABLES: readonly Table<object>[] = [
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
  Addresses,
  DepositRequests,
  Withdrawals,
  Sweeps,
  Transactions,
  SignedTransfers,
  Balances,
  Freezes,
  LedgerChecks,
  LedgerEntries,
  AdjustmentReferences,
  WebhookEndpoints,
  Events,
  WebhookDeliveries,
  WebhookAttempts,
  AuditLog,
  Alerts,
  UsedSignatures,
  ...INSTANCE_TABLES,
  ...USER_TABLES,
  ...VOLUME_TABLES,
];
