import type { Payout } from "./rules/fields.ts";
import {
  isUnpaid,
  OPEN_WITHDRAWAL_STATUSES,
  WITHDRAWAL_STATUSES,
  type WithdrawalStatus,
  type WithdrawalTrigger,
} from "./rules/moves.ts";
import { defineTable, int, json, type RowOf, text } from "../store/tables/table.ts";

export const Withdrawals = defineTable("withdrawals", {
  columns: {
    id: int(),
    accountId: int(),
    keyId: text(),
    clientReference: text().orNull(),
    network: text(),
    currency: text(),
    toAddress: text(),
    amount: text(),
    fee: text(),
    status: text<WithdrawalStatus>(),
    /** The signed bytes that may pay it; null before signing and after they were given up. */
    transferId: int().orNull(),
    txHash: text().orNull(),
    errorMessage: text().orNull(),
    failureReason: text<WithdrawalTrigger>().orNull(),
    requestedAtMs: int(),
    broadcastAtMs: int().orNull(),
    confirmedAtMs: int().orNull(),
    /** waiting: nothing is signed before people approve it. Null: nobody has to. */
    approval: text<"waiting" | "approved">().orNull(),
    /** Its value when it was requested, by the currencies in which rules limited it then. */
    policyValues: json<Readonly<Record<string, string>>>().orNull(),
  },
  primary: ["id"],
  unique: { reference: ["keyId", "clientReference"] },
  isSerial: true,
  sealedExcept: [],
});
export type WithdrawalRow = RowOf<typeof Withdrawals>;

/** For SQL: ('pending', 'broadcasted') */
export const OPEN_WITHDRAWALS = `('${OPEN_WITHDRAWAL_STATUSES.join("', '")}')`;
/** For SQL: those whose money is the account's again. */
export const UNPAID_WITHDRAWALS = `('${WITHDRAWAL_STATUSES.filter(isUnpaid).join("', '")}')`;
/** Exactly as in the indexes of those that are over. */
export const ENDED = `status NOT IN ${OPEN_WITHDRAWALS}`;

/** An operator has looked: failures up to then no longer count. */
export const AllowedRecipients = defineTable("allowed_recipients", {
  columns: {
    accountId: int(),
    network: text(),
    address: text(),
    allowedAtMs: int(),
  },
  primary: ["accountId", "network", "address"],
  sealedExcept: [],
});
export type AllowedRecipientRow = RowOf<typeof AllowedRecipients>;

/** One payout of a batch, as it was checked. */
export interface BatchLine extends Payout {
  /** In the file, counted from 1. */
  readonly line: number;
  /** Of the withdrawal that pays it, and of no other. */
  readonly reference: string;
}

export const PayoutBatches = defineTable("payout_batches", {
  columns: {
    id: int(),
    accountId: int(),
    /** The actor. */
    createdBy: text(),
    size: int(),
    lines: json<readonly BatchLine[]>(),
    /** By line: why it wasn't paid when it was last tried. */
    refusals: json<Readonly<Record<string, string>>>(),
    /** Null: a draft, of which nothing is paid. */
    startedAtMs: int().orNull(),
    createdAtMs: int(),
  },
  primary: ["id"],
  isSerial: true,
  sealedExcept: ["refusals", "startedAtMs"],
});
export type PayoutBatchRow = RowOf<typeof PayoutBatches>;
