import {
  OPEN_WITHDRAWAL_STATUSES,
  type WithdrawalStatus,
  type WithdrawalTrigger,
} from "../../domain/states/withdrawal_moves.ts";
import { defineTable, int, type RowOf, text } from "./table.ts";

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
  },
  primary: ["id"],
  unique: { reference: ["keyId", "clientReference"] },
  isSerial: true,
  sealedExcept: [],
});
export type WithdrawalRow = RowOf<typeof Withdrawals>;

/** For SQL: ('pending', 'broadcasted') */
export const OPEN_WITHDRAWALS = `('${OPEN_WITHDRAWAL_STATUSES.join("', '")}')`;

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
