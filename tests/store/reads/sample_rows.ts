import * as users from "../../../src/access/tables/users.ts";
import { Settings } from "../../../src/access/tables/users.ts";
import { CoinMoves, CoinSums } from "../../../src/accounts/tables/coins.ts";
import { CostHours, CostMarks, NodeCalls } from "../../../src/costs/table.ts";
import { StorageUses } from "../../../src/accounts/tables/storage.ts";
import * as volumes from "../../../src/accounts/tables/volumes.ts";
import { Alerts, NoticeReceivers, Notices } from "../../../src/alerts/table.ts";
import { AuditLog, type AuditRow } from "../../../src/audit/table.ts";
import {
  AdjustmentReferences,
  Balances,
  Freezes,
  LedgerChecks,
  LedgerEntries,
} from "../../../src/books/table.ts";
import { DepositInputs } from "../../../src/deposits/tables/inputs.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import * as chain from "../../../src/following/table.ts";
import { Stops } from "../../../src/integrity/table.ts";
import { PaymentLinkStarts } from "../../../src/invoices/tables/payment_links.ts";
import { Notes } from "../../../src/notes/table.ts";
import * as requests from "../../../src/request_log/table.ts";
import { chainRows } from "../../../src/store/engine/chain_rows.ts";
import {
  AccountCurrencies,
  Accounts,
  ReceivingWallets,
} from "../../../src/accounts/tables/accounts.ts";
import { Currencies, Networks } from "../../../src/networks/table.ts";
import { ApiKeys, RoleKeys } from "../../../src/access/tables/keys.ts";
import { Secrets } from "../../../src/store/tables/secrets.ts";
import { RepeatedRequests, UsedSignatures } from "../../../src/store/tables/signatures.ts";
import { type AnyRow, fromValues, type Table, toValues } from "../../../src/store/tables/table.ts";
import { Collectors } from "../../../src/collectors/table.ts";
import { Outputs } from "../../../src/outputs/table.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import {
  Claims,
  FormerTransfers,
  SignedPayments,
  SignedTransactions,
} from "../../../src/transfers/table.ts";
import * as instances from "../../../src/upkeep/table.ts";
import { Addresses, DepositRequests } from "../../../src/wallets/tables/addresses.ts";
import { Xpubs } from "../../../src/wallets/tables/xpubs.ts";
import { Events } from "../../../src/webhooks/tables/events.ts";
import * as webhooks from "../../../src/webhooks/tables/webhooks.ts";
import { AllowedRecipients, PayoutBatches, Withdrawals } from "../../../src/withdrawals/table.ts";
import { APPROVAL_SAMPLES, CONTROL_SAMPLES, PROPOSAL_SAMPLES } from "./control_samples.ts";
import {
  INVOICE_PAYMENT_SAMPLES,
  INVOICE_SAMPLES,
  PAYMENT_LINK_SAMPLES,
  REFUND_SAMPLES,
} from "./invoice_samples.ts";
import { makeNotice, makeReceiver } from "./make_notices.ts";
import { makeRejected } from "./make_requests.ts";
import {
  HARD_TEXTS,
  LONG_AMOUNT,
  makeAddress,
  makeAlert,
  makeApiKey,
  makeCurrency,
  makeCursor,
  makeEnablement,
  makeEntry,
  makeEvent,
  makeFormerTransfer,
  makeNetwork,
  makeOutput,
  makePayment,
  makeRequest,
  makeSigned,
  makeSweep,
  makeTransaction,
  makeWithdrawal,
  NOW_MS,
} from "./make_rows.ts";
import { makeAudit, makeSession, makeUser } from "./make_users.ts";
import { makeAttempt, makeDelivery, makeEndpoint } from "./make_webhook_rows.ts";

const DEPOSIT_INPUT = { network: "LTC", txHash: "bb", outpoint: "aa:0", spender: "bb" };
const OWNERS = { withdrawalId: 1, sweepId: 1, transactionId: 1 };
const USDT = { accountId: 1, network: "ETH", currency: "USDT" };

/** Rows of every table, parents first: one with all it can hold, one with as little as it can. */
export const SAMPLES: readonly { table: Table<AnyRow>; row: AnyRow }[] = [
  ...samples(Secrets, [
    { name: "seed", sealed: HARD_TEXTS[3]! },
    { name: "", sealed: "" },
  ]),
  ...samples(Settings, [{
    id: 1,
    requiresSecondFactor: true,
    dualControl: true,
  }]),
  ...samples(Stops, [{ id: 1, reason: HARD_TEXTS[1]!, stoppedAtMs: NOW_MS }]),
  ...samples(Networks, [makeNetwork("ETH", "0xabc"), makeNetwork("TRX", null)]),
  ...samples(chain.NetworkCursors, [
    makeCursor({ network: "ETH", finalizedHeight: 90, haltedReason: "too deep" }),
    makeCursor({ network: "TRX", finalizedHeight: null, haltedReason: null }),
  ]),
  ...samples(chain.NetworkBlocks, [
    { network: "ETH", height: 0, hash: "0x0", parentHash: "" },
    { network: "ETH", height: Number.MAX_SAFE_INTEGER, hash: "0x1", parentHash: "0x0" },
  ]),
  ...samples(chain.NetworkEndpoints, [
    {
      network: "ETH",
      place: 0,
      host: "rpc.example.com",
      isReachable: true,
      height: 100,
      finalizedHeight: 90,
      isTracing: true,
      lastError: "rpc.example.com did not answer within 5000 ms",
      failedAtMs: NOW_MS,
      answeredAtMs: NOW_MS,
      isPushing: false,
      pushError: "it closed the connection",
    },
    {
      network: "ETH",
      place: 1,
      host: "",
      isReachable: false,
      height: null,
      finalizedHeight: null,
      isTracing: null,
      lastError: null,
      failedAtMs: null,
      answeredAtMs: null,
      isPushing: null,
      pushError: null,
    },
  ]),
  ...samples(Currencies, [
    makeCurrency("USDT", "0xdAC17F958D2ee523a2206206994597C13D831ec7"),
    makeCurrency("007", null),
  ]),
  ...samples(
    Accounts,
    HARD_TEXTS.map((name, i) => ({
      ...{ id: i + 1, name, mayPush: i % 2 === 0, createdAtMs: NOW_MS },
      ...i === 0
        ? {
          coolingMs: 60_000,
          requiresSecondFactor: true,
          dualControl: true,
          reporting: "EUR",
          quotaMb: 128,
          delegatesNative: true,
        }
        : {
          coolingMs: null,
          requiresSecondFactor: null,
          dualControl: null,
          reporting: null,
          quotaMb: null,
          delegatesNative: null,
        },
      ...i === 0
        ? { suspendedAtMs: NOW_MS, suspendedReason: "unpaid" }
        : { suspendedAtMs: null, suspendedReason: null },
    })),
  ),
  ...samples(AccountCurrencies, [
    makeEnablement("USDT", { isDepositEnabled: true, isWithdrawalEnabled: false }),
    makeEnablement("007", { isDepositEnabled: false, isWithdrawalEnabled: true }),
  ]),
  ...samples(ReceivingWallets, [
    { accountId: 1, network: "ETH", address: "0xR", nextAddress: null, nextAtMs: null },
    { accountId: 1, network: "TRX", address: "TR", nextAddress: "TN", nextAtMs: NOW_MS },
  ]),
  ...samples(
    AdjustmentReferences,
    HARD_TEXTS.map((reference) => ({
      accountId: 1,
      reference,
      network: "ETH",
      currency: "USDT",
      amount: "-1.5",
      balanceAfter: "007",
      heldAfter: "0",
      createdAtMs: NOW_MS,
    })),
  ),
  ...samples(
    PayoutBatches,
    HARD_TEXTS.map((text, i) => ({
      id: i + 1,
      accountId: 1,
      createdBy: text,
      size: 1,
      lines: [{
        ...{ line: 1, network: "ETH", currency: text, toAddress: text, amount: "1.5" },
        reference: text,
      }],
      refusals: { 1: text },
      startedAtMs: i % 2 === 0 ? null : NOW_MS,
      createdAtMs: NOW_MS,
    })),
  ),
  ...samples(ApiKeys, [
    makeApiKey({ keyId: "k1", permissions: ["withdraw", "read_balance"], revokedAtMs: NOW_MS }),
    makeApiKey({ keyId: "007", permissions: [], revokedAtMs: null }),
  ]),
  ...samples(
    RoleKeys,
    HARD_TEXTS.map((text) => ({
      ...{ keyId: text, role: "finance", accountId: 1, label: text, secretSealed: text },
      ...{ ipList: [text], rateLimit: 600, madeBy: text, createdAtMs: NOW_MS, revokedAtMs: null },
    })),
  ),
  ...samples(
    RepeatedRequests,
    HARD_TEXTS.map((text, i) => ({
      ...{ keyId: text, path: text, idempotencyKey: text, bodyHash: text },
      status: i % 2 === 0 ? null : 200,
      answerSealed: i % 2 === 0 ? null : text,
      createdAtMs: NOW_MS,
    })),
  ),
  ...samples(Addresses, [
    makeAddress({
      id: 1,
      accountId: 1,
      userIdentifier: "1.0",
      reusableAtMs: 5,
      currentRequestId: 1,
    }),
    makeAddress({ id: 2, accountId: null, haltedReason: null }),
    makeAddress({
      id: 3,
      accountId: 2,
      purpose: "hot",
      haltedReason: "key used elsewhere",
      haltedCode: "used_elsewhere",
    }),
  ]),
  ...samples(DepositRequests, [
    makeRequest({ id: 1, idempotencyKey: "1e5", contractAddress: "0xC", userIdentifier: "u" }),
    makeRequest({ id: 2, idempotencyKey: null, contractAddress: null, userIdentifier: null }),
    makeRequest({ id: 3, currency: "ETH", sharedWithId: 2 }),
  ]),
  ...PAYMENT_LINK_SAMPLES,
  ...INVOICE_SAMPLES,
  ...CONTROL_SAMPLES,
  ...PROPOSAL_SAMPLES,
  ...samples(Withdrawals, [
    makeWithdrawal({
      id: 1,
      clientReference: "007",
      status: "confirmed",
      transferId: 1,
      txHash: "0xT",
      approval: "approved",
    }),
    makeWithdrawal({
      id: 2,
      clientReference: null,
      failureReason: "no_hot_wallet",
      errorMessage: "x",
    }),
  ]),
  ...REFUND_SAMPLES,
  ...APPROVAL_SAMPLES,
  ...samples(Sweeps, [
    makeSweep({ id: 1, state: "waiting", open: 1, reason: "dust", code: "below_minimum" }),
    makeSweep({ id: 2, state: "done", open: null, reason: null }),
  ]),
  ...samples(Transactions, [
    makeTransaction({
      id: 1,
      live: 1,
      blockHash: "0xB",
      addressId: 1,
      depositRequestId: 1,
      sweepId: 1,
    }),
    makeTransaction({ id: 2, live: null, blockHash: null, withdrawalId: 1, confirmedAtMs: NOW_MS }),
  ]),
  ...INVOICE_PAYMENT_SAMPLES,
  ...samples(FormerTransfers, [
    makeFormerTransfer({ id: 1, liveNonce: 7, isSuccessful: true, feeRaw: LONG_AMOUNT, ...OWNERS }),
    makeFormerTransfer({ id: 2, liveNonce: null, isSuccessful: false, sentAtMs: 9 }),
  ]),
  ...samples(SignedTransactions, [
    makeSigned({ id: 1, place: 7, isLive: true, isSuccessful: true, feeRaw: LONG_AMOUNT }),
    makeSigned({ id: 2, isSuccessful: false, sentAtMs: 9 }),
    makeSigned({ id: 3, place: 8, isLive: true }),
  ]),
  ...samples(SignedPayments, [
    makePayment({ id: 1, isSuccessful: true, callsCode: true, ...OWNERS }),
    makePayment({ id: 2, isSuccessful: false, contractAddress: "0xC", arrivedRaw: "0" }),
    makePayment({ id: 3, purpose: "void" }),
  ]),
  ...samples(Claims, [
    { signedId: 1, claim: "0xH/7", network: "ETH", isOnce: true, liveClaim: "0xH/7" },
    { signedId: 2, claim: "0xH/3", network: "ETH", isOnce: true, liveClaim: null },
    { signedId: 2, claim: "gas/0xA", network: "ETH", isOnce: false, liveClaim: null },
  ]),
  ...samples(Outputs, [
    makeOutput({ id: 1, maturesAt: 103, isOwn: true, blockHash: "0xb" }),
    makeOutput({ id: 2, open: null }),
  ]),
  ...samples(DepositInputs, [
    { id: 1, ...DEPOSIT_INPUT, spentBy: "ff", spentHeight: 9, spentHash: "0xb" },
    {
      id: 2,
      ...DEPOSIT_INPUT,
      outpoint: "aa:1",
      spentBy: null,
      spentHeight: null,
      spentHash: null,
    },
  ]),
  ...samples(Xpubs, [{ id: 1, keyId: "02ab", accountId: 1, createdAtMs: NOW_MS }]),
  ...samples(Collectors, [{
    network: "ETH",
    owner: "0xG",
    build: "0xb",
    nonce: 3,
    address: "0xC",
    codeHash: "0xc",
    createdAtMs: NOW_MS,
  }]),
  ...samples(Balances, [
    { accountId: 1, network: "ETH", currency: "USDT", balance: LONG_AMOUNT, held: "0" },
    {
      accountId: 2,
      network: "ETH",
      currency: "USDT",
      balance: "-1.000000000000000001",
      held: "1.0",
    },
  ]),
  ...samples(AllowedRecipients, [
    { accountId: 1, network: "ETH", address: HARD_TEXTS[2]!, allowedAtMs: NOW_MS },
  ]),
  ...samples(Freezes, [
    { ...USDT, reason: HARD_TEXTS[2]!, createdAtMs: NOW_MS, code: "tampered" },
  ]),
  ...samples(LedgerChecks, [{ ...USDT, entryId: 7, balance: LONG_AMOUNT, held: "0.10" }]),
  ...samples(LedgerEntries, [
    makeEntry({ id: 1, kind: "credit", transactionId: 1, note: null }),
    makeEntry({ id: 2, kind: "hold", withdrawalId: 1, note: null }),
    makeEntry({ id: 4, kind: "debit", value: LONG_AMOUNT, valueCurrency: "EUR" }),
    makeEntry({ id: 3, kind: "adjust", note: HARD_TEXTS[3]! }),
  ]),
  ...samples(webhooks.WebhookEndpoints, [
    makeEndpoint({ id: 1, eventTypes: ["deposit.confirmed"], leaseOwner: "i1", failures: 3 }),
    makeEndpoint({
      id: 2,
      accountId: 2,
      oldSecretSealed: "v1.old",
      oldSecretUntilMs: NOW_MS,
      disabledAtMs: NOW_MS,
      disabledReason: "it answered 410 Gone",
      failingSinceMs: NOW_MS,
      failedEventId: 1,
    }),
  ]),
  ...samples(Events, [
    makeEvent({ id: 1, payload: { a: [1, "1", null, true], text: HARD_TEXTS, deep: { n: 1.5 } } }),
    makeEvent({ id: 2, payload: [], transactionId: 1, withdrawalId: 1 }),
    makeEvent({ id: 3, payload: "text" }),
  ]),
  ...samples(webhooks.WebhookDeliveries, [
    makeDelivery({ eventId: 1, endpointId: 2, state: "dead", settledAtMs: NOW_MS }),
    makeDelivery({ eventId: 2, endpointId: 2, state: "pending", settledAtMs: null }),
  ]),
  ...samples(webhooks.WebhookAttempts, [
    makeAttempt({ id: 1, status: null, error: HARD_TEXTS[2]!, response: null }),
    makeAttempt({ id: 2, status: 200, error: null, response: HARD_TEXTS[3]! }),
  ]),
  ...samples(
    AuditLog,
    chained([
      makeAudit({ id: 1, ip: "::1", detail: { note: "1.0", text: HARD_TEXTS } }),
      makeAudit({ id: 2, ip: null }),
    ]),
  ),
  ...samples(Alerts, [
    makeAlert({ id: 1, open: 1, resolvedAtMs: null }),
    makeAlert({ id: 2, open: null, resolvedAtMs: NOW_MS }),
    makeAlert({ id: 3, open: null, resolvedAtMs: NOW_MS, accountId: 1, noticedAtMs: NOW_MS }),
  ]),
  ...samples(Notices, [
    makeNotice({ id: 1, accountId: null }),
    makeNotice({ id: 2, accountId: 1, title: HARD_TEXTS.join(" ") }),
  ]),
  ...samples(NoticeReceivers, [
    makeReceiver({ id: 1, accountId: 1, secretSealed: null, sendingTo: 7, failingSinceMs: NOW_MS }),
    makeReceiver({ id: 2, accountId: null, secretSealed: "v1.sealed", lastError: "no answer" }),
  ]),
  ...samples(Notes, [
    { id: 1, accountId: 1, about: "deposit", name: "7", text: "x", author: "cli", createdAtMs: 1 },
    {
      ...{ id: 2, accountId: 1, about: "customer", name: HARD_TEXTS.join(" ") },
      ...{ text: HARD_TEXTS.join("\n"), author: "user:7", createdAtMs: NOW_MS },
    },
  ]),
  ...samples(UsedSignatures, [{ signature: "00ff", expiresAtMs: NOW_MS }]),
  ...samples(instances.Instances, [
    {
      ...{ instance: "007", beat: 1, masterKeyId: "00", startedAtMs: NOW_MS, seenAtMs: NOW_MS },
      publicUrl: null,
    },
    {
      ...{ instance: "008", beat: 1, masterKeyId: "00", startedAtMs: NOW_MS, seenAtMs: NOW_MS },
      publicUrl: "https://pay.example.com",
    },
  ]),
  ...samples(instances.Leases, [
    { job: "follow", network: "ETH", instance: "007", fence: 1 },
    { job: "follow", network: "", instance: null, fence: Number.MAX_SAFE_INTEGER },
  ]),
  ...samples(instances.RateBuckets, [
    { keyId: "007", tokensMicro: 100_000_000_000, updatedAtMs: NOW_MS },
  ]),
  ...samples(instances.MasterKeys, [
    { id: 1, keyId: "00", oldKeyId: "11", newByOld: "a", oldByNew: "b", changedAtMs: NOW_MS },
  ]),
  ...samples(users.Users, [
    makeUser({ id: 1, role: "operator", accountId: null, passwordHash: "s$1", totpSealed: "v1.a" }),
    makeUser({
      id: 2,
      role: "merchant",
      accountId: 1,
      disabledAtMs: NOW_MS,
      disabledBy: "account",
    }),
  ]),
  ...samples(users.Sessions, [makeSession({ id: 1 }), makeSession({ id: 2, stage: "code" })]),
  ...samples(users.SetUpLinks, [{ slot: "first", tokenHash: "h", endsAtMs: NOW_MS }]),
  ...samples(users.Throttles, [{ name: "ip ::1", tries: 3, endsAtMs: NOW_MS }]),
  ...samples(volumes.ApiKeyUses, [{ keyId: "k1", usedAtMs: NOW_MS, ip: "::1" }]),
  ...samples(volumes.Volumes, [{
    ...{ accountId: 0, span: "day", startsAtMs: 0, network: "ETH", currency: "USDT" },
    ...{ direction: "deposit", amount: LONG_AMOUNT, movements: 2 },
  }]),
  ...samples(requests.RequestLog, [
    makeRejected({ id: 1 }),
    makeRejected({ id: 2, skewS: -400, canonical: "1\nGET\n/\n\n0", body: HARD_TEXTS[2]! }),
  ]),
  ...samples(requests.RequestCounts, [{
    ...{ accountId: 1, hourMs: 0, keyId: "k1", route: "GET /v1/_ping" },
    ...{ succeeded: 2, rejected: 1 },
  }]),
  ...samples(requests.RequestLogDays, [{ accountId: 0, dayMs: 0, kept: 2, unproven: 1 }]),
  ...samples(requests.RequestLogHours, [{ hourMs: 0, kept: 2_000, unproven: 1_000 }]),
  ...samples(PaymentLinkStarts, [{ linkId: 1, accountId: 1, sinceMs: NOW_MS, unpaid: 3 }]),
  ...samples(StorageUses, [{ accountId: 1, dayMs: 0, bytes: 1, payoutBytes: 2 }]),
  ...samples(volumes.VolumeCursor, [{ id: 1, entryId: 7 }]),
  ...samples(CoinMoves, [{
    ...{ id: 900, accountId: 1, network: "ETH", currency: "USDT", kind: "swept", sign: -1 },
    ...{ amount: LONG_AMOUNT, atMs: NOW_MS },
  }]),
  ...samples(CoinSums, [{
    ...{ accountId: 1, network: "ETH", currency: "USDT", kind: "booked" },
    ...{ amount: LONG_AMOUNT, sinceMs: NOW_MS },
  }]),
  ...samples(CostHours, [{
    ...{ network: "ETH", startsAtMs: 0, currency: "USDT", way: "batch" },
    ...{ sweeps: 3, firstSweeps: 1, deposits: 4, feeRaw: "1000000000000000000000", gas: 90_000 },
  }]),
  ...samples(CostMarks, [{ id: 900, network: "ETH", startsAtMs: 0 }]),
  ...samples(NodeCalls, [{ network: "ETH", dayMs: 0, host: "node.example.com", calls: 60_000 }]),
];

function samples<Row extends AnyRow>(table: Table<Row>, list: readonly Row[]) {
  return list.map((row) => ({ table: table as Table<AnyRow>, row }));
}

function chained(rows: readonly AuditRow[]): AuditRow[] {
  const values = rows.map((row) => toValues(AuditLog, row));
  chainRows(AuditLog, values, { lastHash: null, mac: undefined });
  return values.map((each) => fromValues(AuditLog, each));
}
