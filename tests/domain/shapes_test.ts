import assert from "node:assert/strict";
import { DEPOSIT_EVENT, type DepositFacts } from "../../src/deposits/rules/fields.ts";
import {
  EXAMPLE,
  OWNED,
  STATUS,
  SUBMITTED,
  WITHDRAWAL as LISTED,
  WITHDRAWAL_COLUMNS,
  type WithdrawalFacts,
} from "../../src/withdrawals/rules/fields.ts";

const AT_MS = Date.UTC(2026, 0, 31, 12);

const WITHDRAWAL: WithdrawalFacts = {
  id: 7,
  clientReference: "order-7",
  currency: "USDT",
  network: "ETH",
  toAddress: "0xb",
  amount: "5",
  fee: "0.025",
  status: "broadcasted",
  txHash: "0xt",
  errorMessage: null,
  requestedAtMs: AT_MS,
  broadcastAtMs: AT_MS + 1000,
  confirmedAtMs: null,
};

const DEPOSIT: DepositFacts = {
  id: 9,
  requestId: 3,
  userIdentifier: "u",
  confirmations: 12,
  network: "ETH",
  currency: "USDT",
  toAddress: "0xa",
  txHash: "0xt",
  amount: "1.5",
  status: "confirmed",
  blockNumber: 50,
  isBelowMinimum: false,
  createdAtMs: AT_MS,
  confirmedAtMs: AT_MS + 60_000,
};

/** Rows with columns beyond the facts, which must never reach a caller. */
const withMore = <Facts extends object>(facts: Facts): Facts => ({
  ...facts,
  keyId: "k1",
  accountId: 1,
  transferId: 3,
  senderNonce: 4,
});

Deno.test("spec 2.5: the status-read shape of a withdrawal has these fields and no others", () => {
  assert.deepEqual(STATUS.of(withMore(WITHDRAWAL)), {
    id: 7,
    currency: "USDT",
    network: "ETH",
    to_address: "0xb",
    amount: "5",
    fee: "0.025",
    status: "broadcasted",
    tx_hash: "0xt",
    error_message: null,
    requested_at: "2026-01-31T12:00:00+00:00",
    broadcast_at: "2026-01-31T12:00:01+00:00",
    confirmed_at: null,
  });
});

Deno.test("spec 2.5: the submission shape of a withdrawal has these fields and no others", () => {
  assert.deepEqual(SUBMITTED.of(withMore(WITHDRAWAL)), {
    withdrawal_id: 7,
    status: "broadcasted",
    tx_hash: "0xt",
    network: "ETH",
    currency: "USDT",
    to_address: "0xb",
    amount_decimal: "5",
    fee_decimal: "0.025",
  });
});

Deno.test("spec 2.5: the submission shape says broadcasted even if it was mined meanwhile", () => {
  const mined = { ...WITHDRAWAL, status: "confirmed" as const, confirmedAtMs: AT_MS };
  assert.equal(SUBMITTED.of(mined).status, "broadcasted");
});

Deno.test("contract 4: a deposit's event data has these fields and no others", () => {
  assert.deepEqual(DEPOSIT_EVENT.of(withMore(DEPOSIT)), {
    transaction_id: 9,
    request_id: 3,
    address: "0xa",
    network: "ETH",
    currency: "USDT",
    user_identifier: "u",
    tx_hash: "0xt",
    amount_decimal: "1.5",
    confirmations: 12,
    status: "confirmed",
    block_number: 50,
    detected_at: "2026-01-31T12:00:00+00:00",
    confirmed_at: "2026-01-31T12:01:00+00:00",
    below_minimum: false,
  });
});

Deno.test("a deposit without a request, or not confirmed, says so with null", () => {
  const data = DEPOSIT_EVENT.of({
    ...DEPOSIT,
    ...{ requestId: null, userIdentifier: null, confirmedAtMs: null, isBelowMinimum: true },
  });
  assert.deepEqual([data.request_id, data.user_identifier, data.confirmed_at], [null, null, null]);
  assert.equal(data.below_minimum, true);
});

Deno.test("a withdrawal's first answer has every field of its status, or says why not", () => {
  const older: Readonly<Record<string, string>> = {
    ...{ id: "withdrawal_id", amount: "amount_decimal", fee: "fee_decimal" },
  };
  const left = Object.keys(STATUS.fields).filter((name) =>
    !((older[name] ?? name) in SUBMITTED.fields)
  );
  // It was asked for just now, and hasn't failed.
  assert.deepEqual(left, ["error_message", "requested_at", "broadcast_at", "confirmed_at"]);
});

/** As programs have counted them since 1.1.0. */
const FIRST_COLUMNS: readonly [what: string, columns: readonly string[], first: string][] = [
  [
    "GET /v1/withdrawals",
    Object.keys(LISTED.fields),
    "id,currency,network,to_address,amount,fee,status,tx_hash,error_message,requested_at,broadcast_at,confirmed_at,client_reference",
  ],
  [
    "the page's file",
    WITHDRAWAL_COLUMNS.map(([name]) => name),
    "id,account_id,client_reference,requested_at,broadcast_at,confirmed_at,network,currency,amount,fee,status,failure_reason,to_address,tx_hash,invoice_id",
  ],
];

Deno.test("the columns of a withdrawal's CSV files keep their places, and new ones follow", () => {
  for (const [what, columns, first] of FIRST_COLUMNS) {
    assert.equal(columns.slice(0, first.split(",").length).join(), first, what);
  }
});

Deno.test("every field of a withdrawal that clients see is a column of its CSV file, or says why not", () => {
  const left = Object.keys(OWNED.fields).filter((name) =>
    !WITHDRAWAL_COLUMNS.some(([it]) => it === name)
  );
  // failure_reason says the same in one word.
  assert.deepEqual(left, ["error_message"]);
  assert.equal(LISTED.of(EXAMPLE).client_reference, EXAMPLE.clientReference);
});
