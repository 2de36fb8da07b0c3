import type { EventType } from "../events.ts";
import { depositEventData, type WithdrawalFacts, withdrawalStatusShape } from "../shapes.ts";
import type { TransactionStatus } from "../states/transaction_moves.ts";

/** Nobody has its key, and no customer is ever given it. */
const NOWHERE = `0x${"0".repeat(40)}`;
const NO_TX = `0x${"0".repeat(64)}`;
const COIN = { network: "ETH", currency: "ETH" };

const SAMPLES: Readonly<Record<EventType, (nowMs: number) => object>> = {
  "deposit.detected": (nowMs) => deposit("detected", nowMs),
  "deposit.confirmed": (nowMs) => deposit("confirmed", nowMs),
  "withdrawal.broadcasted": (nowMs) =>
    withdrawal({ status: "broadcasted", txHash: NO_TX, broadcastAtMs: nowMs }, nowMs),
  "withdrawal.confirmed": (nowMs) =>
    withdrawal(
      { status: "confirmed", txHash: NO_TX, broadcastAtMs: nowMs, confirmedAtMs: nowMs },
      nowMs,
    ),
  "withdrawal.failed": (nowMs) => ({
    ...withdrawal({ status: "failed", errorMessage: "broadcast_rejected" }, nowMs),
    reason: "broadcast_rejected",
  }),
  "withdrawal.approval_required": (nowMs) => withdrawal({ status: "pending" }, nowMs),
  "withdrawal.cancelled": (nowMs) => ({
    ...withdrawal({ status: "cancelled" }, nowMs),
    reason: "rejected",
  }),
};

/** What an event of this type carries, about records that don't exist: their ids are 0. */
export function sampleData(type: EventType, nowMs: number): object {
  return SAMPLES[type](nowMs);
}

function deposit(status: TransactionStatus, nowMs: number): object {
  const isConfirmed = status === "confirmed";
  const row = {
    id: 0,
    ...COIN,
    toAddress: NOWHERE,
    txHash: NO_TX,
    amount: "0.01",
    status,
    blockNumber: 0,
    isBelowMinimum: false,
    createdAtMs: nowMs,
    confirmedAtMs: isConfirmed ? nowMs : null,
  };
  const confirmations = isConfirmed ? 12 : 0;
  return depositEventData(row, { requestId: null, userIdentifier: "sample", confirmations });
}

function withdrawal(
  fields: Pick<WithdrawalFacts, "status"> & Partial<WithdrawalFacts>,
  nowMs: number,
): object {
  const row = {
    id: 0,
    ...COIN,
    toAddress: NOWHERE,
    amount: "0.01",
    fee: "0",
    txHash: null,
    errorMessage: null,
    requestedAtMs: nowMs,
    broadcastAtMs: null,
    confirmedAtMs: null,
    ...fields,
  };
  return { ...withdrawalStatusShape(row), client_reference: "sample" };
}
