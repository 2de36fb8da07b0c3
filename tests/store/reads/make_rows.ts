import type { OutputRow } from "../../../src/outputs/table.ts";
import type { ApiKeyRow } from "../../../src/access/tables/keys.ts";
import type { AccountCurrencyRow, AccountRow } from "../../../src/accounts/tables/accounts.ts";
import type { AlertRow } from "../../../src/alerts/table.ts";
import type { LedgerEntryRow } from "../../../src/books/table.ts";
import type { TransactionRow } from "../../../src/deposits/tables/transactions.ts";
import type { NetworkCursorRow } from "../../../src/following/table.ts";
import type { CurrencyRow, NetworkRow } from "../../../src/networks/table.ts";
import type { AnyRow } from "../../../src/store/tables/table.ts";
import type { SweepRow } from "../../../src/sweeps/table.ts";
import type {
  FormerTransferRow,
  SignedPaymentRow,
  SignedTransactionRow,
} from "../../../src/transfers/table.ts";
import type { AddressRow, DepositRequestRow } from "../../../src/wallets/tables/addresses.ts";
import type { EventRow } from "../../../src/webhooks/tables/events.ts";
import type { WithdrawalRow } from "../../../src/withdrawals/table.ts";

/** Text that a careless statement would change: numbers, quotes, JSON, wide letters. */
export const HARD_TEXTS = [
  "007",
  "1.0",
  "1e5",
  "a \"b\" \\ 'c'",
  '{"x":1}',
  "ž🦕漢",
  " ",
  "null",
  "\n\t",
];
export const LONG_AMOUNT = "9".repeat(78);
export const NOW_MS = 1_767_225_600_123;

export function makeNetwork(code: string, genesisHash: string | null): NetworkRow {
  return {
    code,
    family: code === "TRX" ? "tron" : "evm",
    name: HARD_TEXTS[3]!,
    nativeSymbol: code,
    nativeDecimals: 18,
    chainId: "1",
    genesisHash,
    rpcUrls: ['http://a/?k="1"', "http://b"],
    minConfirmations: 12,
    pollIntervalMs: 2000,
    startHeight: 0,
    finality: "none",
    quorum: 1,
    traces: "auto",
    feeModel: "l1",
    feeMax: genesisHash === null ? null : "0.050",
    gasPriceMaxRaw: genesisHash === null ? null : LONG_AMOUNT,
    hotGasTarget: "0.10",
    isActive: genesisHash !== null,
    createdAtMs: NOW_MS,
    isTest: genesisHash === null ? null : false,
    testChanges: genesisHash === null ? null : 2,
    wsUrls: genesisHash === null ? null : ["wss://a.example"],
    collect: genesisHash === null ? null : "auto",
    collectWaitMs: genesisHash === null ? null : 30_000,
    finalBlocks: genesisHash === null ? null : 24,
    rpcUrlsSealed: null,
    wsUrlsSealed: null,
    feeTarget: genesisHash === null ? null : 6,
  };
}

export function accountFields(account: Partial<AccountRow> = {}): Omit<AccountRow, "id"> {
  return {
    ...{ name: "Acme", mayPush: false, suspendedAtMs: null, suspendedReason: null },
    ...{
      coolingMs: null,
      requiresSecondFactor: null,
      dualControl: null,
      reporting: null,
      quotaMb: null,
      delegatesNative: null,
    },
    ...{ createdAtMs: 1, ...account },
  };
}

export function makeCurrency(symbol: string, contractAddress: string | null): CurrencyRow {
  return {
    network: "ETH",
    symbol,
    name: "ž🦕",
    contractAddress,
    decimals: 6,
    minDepositAmount: "0",
    minWithdrawalAmount: "1.0",
    feeFlat: LONG_AMOUNT,
    feePercent: "0.50",
    sweepMinAmount: "0",
    nativeRate: contractAddress === null ? null : "0.00030",
    gasMax: contractAddress === null ? null : 300_000,
    isActive: contractAddress !== null,
    createdAtMs: NOW_MS,
  };
}

export function makeCursor(
  options: Pick<NetworkCursorRow, "network" | "finalizedHeight" | "haltedReason">,
): NetworkCursorRow {
  const heights = { scanHeight: 100, topHeight: 101, tipHeight: 105 };
  const isRead = options.finalizedHeight !== null;
  const paid = {
    paidRaw: isRead ? LONG_AMOUNT : null,
    paidAtMs: isRead ? NOW_MS : null,
    refusedGas: isRead ? "25200" : null,
  };
  return {
    ...{ ...options, ...heights, ...paid },
    tipAtMs: null,
    finalizedAgeMs: options.finalizedHeight,
    updatedAtMs: NOW_MS,
  };
}

export function makeEnablement(
  currency: string,
  options: Pick<AccountCurrencyRow, "isDepositEnabled" | "isWithdrawalEnabled">,
): AccountCurrencyRow {
  return {
    ...{ accountId: 1, network: "ETH", currency, ...options },
    ...{ isDepositBarred: !options.isDepositEnabled, isWithdrawalBarred: false },
  };
}

export function makeApiKey(
  options: Pick<ApiKeyRow, "keyId" | "permissions" | "revokedAtMs">,
): ApiKeyRow {
  return {
    accountId: 1,
    label: "ci",
    secretSealed: "v1.a.b",
    ipList: options.revokedAtMs === null ? [] : ["10.0.0.0/8", "::1"],
    rateLimit: 600,
    createdAtMs: NOW_MS,
    ownRateLimit: 600,
    ...options,
  };
}

export type Some<Row extends AnyRow & { id: number }> = Partial<Row> & Pick<Row, "id">;

export function makeAddress(options: Some<AddressRow>): AddressRow {
  return {
    accountId: 1,
    network: "ETH",
    purpose: "deposit",
    address: `0xA${options.id}`,
    keyCoinType: 60,
    keyAccount: 1,
    keyBranch: 0,
    keyIndex: options.id,
    userIdentifier: null,
    reusableAtMs: null,
    currentRequestId: null,
    haltedReason: null,
    nonceFloor: 0,
    createdAtMs: NOW_MS,
    haltedCode: null,
    ...options,
  };
}

export function makeRequest(options: Some<DepositRequestRow>): DepositRequestRow {
  return {
    accountId: 1,
    keyId: "k1",
    idempotencyKey: null,
    network: "ETH",
    currency: "USDT",
    contractAddress: null,
    addressId: 1,
    address: "0xA1",
    userIdentifier: null,
    displayExpiresAtMs: NOW_MS,
    monitoredUntilMs: NOW_MS,
    createdAtMs: NOW_MS,
    sharedWithId: null,
    ...options,
  };
}

export function makeWithdrawal(options: Some<WithdrawalRow>): WithdrawalRow {
  return {
    accountId: 1,
    keyId: "k1",
    clientReference: null,
    network: "ETH",
    currency: "USDT",
    toAddress: " 0xB",
    amount: LONG_AMOUNT,
    fee: "0.000000000000000001",
    status: "pending",
    transferId: null,
    txHash: null,
    errorMessage: null,
    failureReason: null,
    requestedAtMs: NOW_MS,
    broadcastAtMs: null,
    confirmedAtMs: null,
    approval: null,
    policyValues: null,
    ...options,
  };
}

export function makeTransaction(options: Some<TransactionRow>): TransactionRow {
  return {
    accountId: 1,
    network: "ETH",
    currency: "USDT",
    direction: "deposit",
    status: "detected",
    txHash: `0xT${options.id}`,
    position: 0,
    live: 1,
    fromAddress: "0xF",
    toAddress: "0xA1",
    amount: "1.0",
    blockNumber: 50,
    blockHash: "0xB50",
    sender: "0xF",
    senderNonce: 0,
    addressId: null,
    depositRequestId: null,
    withdrawalId: null,
    sweepId: null,
    isBelowMinimum: options.id % 2 === 0,
    createdAtMs: NOW_MS,
    confirmedAtMs: null,
    minedAtMs: null,
    seenAtMs: null,
    creditFrom: null,
    ...options,
  };
}

export function makeSweep(options: Some<SweepRow>): SweepRow {
  return {
    ...{ accountId: 1, network: "ETH", currency: "USDT", addressId: 1, state: "waiting", open: 1 },
    ...{
      code: null,
      reason: null,
      failures: 0,
      batchFailures: 0,
      nextTryAtMs: NOW_MS,
      createdAtMs: NOW_MS,
    },
    ...options,
  };
}

export function makeSigned(options: Some<SignedTransactionRow>): SignedTransactionRow {
  return {
    ...{ network: "ETH", sender: "0xH", place: 3, isLive: false, isForeign: false },
    paymentCount: 1,
    ...{ txHash: `0xT${options.id}`, raw: "0x02", nativeCostMaxRaw: LONG_AMOUNT, state: "open" },
    ...{ blockNumber: 0, blockHash: null, isSuccessful: null, feeRaw: null },
    ...{ signedAtHeight: 99, createdAtMs: NOW_MS, sentAtMs: null },
    ...options,
  };
}

export function makeOutput(options: Some<OutputRow>): OutputRow {
  return {
    ...{ network: "LTC", txHash: `aa${options.id}`, position: 0, address: "ltc1", maturesAt: null },
    ...{ amountRaw: LONG_AMOUNT, isOwn: false, blockNumber: 0, blockHash: null, open: 1 },
    ...options,
  };
}

export function makeFormerTransfer(options: Some<FormerTransferRow>): FormerTransferRow {
  return {
    ...{ network: "ETH", sender: "0xH", nonce: options.liveNonce ?? 3, liveNonce: null },
    ...{ txHash: `0xT${options.id}`, raw: "0x02", purpose: "withdrawal", withdrawalId: null },
    ...{ sweepId: null, transactionId: null, toAddress: "0xB", contractAddress: null },
    ...{ amountRaw: "0", nativeCostMaxRaw: LONG_AMOUNT, state: "open", blockNumber: 0 },
    ...{ blockHash: null, isSuccessful: null, feeRaw: null, arrivedRaw: null },
    ...{ signedAtHeight: 99, createdAtMs: NOW_MS, sentAtMs: null, callsCode: null },
    ...options,
  };
}

export function makePayment(options: Some<SignedPaymentRow>): SignedPaymentRow {
  return {
    ...{ signedId: options.id, position: 0, network: "ETH", purpose: "withdrawal" },
    ...{ withdrawalId: null, sweepId: null, transactionId: null, fromAddress: "0xH" },
    ...{ toAddress: "0xB", contractAddress: null, amountRaw: "0", isSuccessful: null },
    ...{ blockHash: null, arrivedRaw: null, callsCode: null, unsettled: null },
    ...options,
  };
}

export function makeEntry(options: Some<LedgerEntryRow>): LedgerEntryRow {
  return {
    accountId: 1,
    network: "ETH",
    currency: "USDT",
    kind: "credit",
    amount: "5",
    balanceAfter: "5.0",
    heldAfter: "0",
    transactionId: null,
    withdrawalId: null,
    note: null,
    createdAtMs: NOW_MS,
    value: null,
    valueCurrency: null,
    ...options,
  };
}

export function makeEvent(options: Some<EventRow> & { payload: unknown }): EventRow {
  return {
    eventId: `evt_${options.id}`,
    accountId: 1,
    type: "deposit.detected",
    transactionId: null,
    withdrawalId: null,
    createdAtMs: NOW_MS,
    ...options,
  };
}

export function makeAlert(options: Some<AlertRow>): AlertRow {
  return {
    kind: "k",
    subject: "s",
    message: "m",
    open: 1,
    createdAtMs: NOW_MS,
    resolvedAtMs: null,
    advice: null,
    accountId: null,
    noticedAtMs: null,
    ...options,
  };
}
