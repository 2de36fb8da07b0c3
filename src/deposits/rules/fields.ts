import { z } from "zod";
import { answersAbout } from "../../domain/answer.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import * as wire from "../../domain/wire.ts";
import { TRANSACTION_STATUSES, type TransactionStatus } from "./transaction_moves.ts";

/** What clients hear of a deposit. */
export interface DepositFacts {
  readonly id: number;
  /** Null if no request asked for this currency at this address. */
  readonly requestId: number | null;
  readonly userIdentifier: string | null;
  readonly network: string;
  readonly currency: string;
  readonly toAddress: string;
  readonly txHash: string;
  readonly amount: string;
  readonly status: TransactionStatus;
  readonly blockNumber: number;
  readonly confirmations: number;
  readonly isBelowMinimum: boolean;
  readonly createdAtMs: number;
  readonly confirmedAtMs: number | null;
}

export const DEPOSIT_EVENT = answersAbout<DepositFacts>()({
  transaction_id: [z.int().min(0).meta({ description: "0 in samples." }), ({ id }) => id],
  request_id: [
    wire.Id.nullable().meta({
      description: "Null if no request asked for this currency at this address.",
    }),
    ({ requestId }) => requestId,
  ],
  address: [z.string(), ({ toAddress }) => toAddress],
  network: [wire.Network, ({ network }) => network],
  currency: [wire.Currency, ({ currency }) => currency],
  user_identifier: [z.string().nullable(), ({ userIdentifier }) => userIdentifier],
  tx_hash: [wire.TxHash, ({ txHash }) => txHash],
  amount_decimal: [wire.Amount, ({ amount }) => amount],
  confirmations: [wire.Confirmations, ({ confirmations }) => confirmations],
  status: [z.enum(TRANSACTION_STATUSES), ({ status }) => status],
  block_number: [wire.BlockNumber, ({ blockNumber }) => blockNumber],
  detected_at: [wire.Time, ({ createdAtMs }) => isoUtc(createdAtMs)],
  confirmed_at: [wire.Time.nullable(), ({ confirmedAtMs }) => isoUtcOrNull(confirmedAtMs)],
  below_minimum: [
    z.boolean().meta({ description: "Credited, but less than the currency's minimum." }),
    ({ isBelowMinimum }) => isBelowMinimum,
  ],
});

/** In the document, and with other values in sample events. */
export const EXAMPLE: DepositFacts = {
  id: 4711,
  requestId: 17,
  userIdentifier: "customer-7",
  network: "ETH",
  currency: "USDT",
  toAddress: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  txHash: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
  amount: "25",
  status: "detected",
  blockNumber: 24312001,
  confirmations: 1,
  isBelowMinimum: false,
  createdAtMs: Date.UTC(2026, 0, 31, 12, 4, 11),
  confirmedAtMs: null,
};
