import { z } from "zod";
import { answersAbout } from "../../domain/answer.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import * as wire from "../../domain/wire.ts";
import { WITHDRAWAL_STATUSES, type WithdrawalStatus, type WithdrawalTrigger } from "./moves.ts";

/** What is paid, and to whom. */
export interface Payout {
  readonly network: string;
  readonly currency: string;
  readonly toAddress: string;
  /** Plain digits. */
  readonly amount: string;
}

/** What a merchant gives with it and sees again. A new one is optional, and null where none was given. */
export interface Given {
  /** A repeated one is the same withdrawal. */
  readonly clientReference: string | null;
}

export type PayoutOrder = Payout & Given;

export const CLIENT_REFERENCE_MAX = 128;

/** As it is stored. */
export function givenOf({ clientReference }: Given): Required<Given> {
  return { clientReference };
}

/** What clients may know of a withdrawal. */
export interface WithdrawalFacts extends Payout, Required<Given> {
  readonly id: number;
  readonly fee: string;
  readonly status: WithdrawalStatus;
  readonly txHash: string | null;
  readonly errorMessage: string | null;
  readonly requestedAtMs: number;
  readonly broadcastAtMs: number | null;
  readonly confirmedAtMs: number | null;
}

const ABOUT = answersAbout<WithdrawalFacts>();

/**
 * In lists and events, and on all surfaces that show more than the status. These are the columns of
 * the API's CSV, which programs may count, so a new field goes to the end.
 */
export const WITHDRAWAL = ABOUT({
  id: [wire.Id, ({ id }) => id],
  currency: [wire.Currency, ({ currency }) => currency],
  network: [wire.Network, ({ network }) => network],
  to_address: [z.string(), ({ toAddress }) => toAddress],
  amount: [wire.Amount.describe("What the recipient gets."), ({ amount }) => amount],
  fee: [wire.Amount.describe("Charged on top of the amount."), ({ fee }) => fee],
  status: [z.enum(WITHDRAWAL_STATUSES), ({ status }) => status],
  tx_hash: [wire.TxHash.nullable(), ({ txHash }) => txHash],
  error_message: [
    z.string().nullable().meta({ description: "Why it failed." }),
    ({ errorMessage }) => errorMessage,
  ],
  requested_at: [wire.Time, ({ requestedAtMs }) => isoUtc(requestedAtMs)],
  broadcast_at: [wire.Time.nullable(), ({ broadcastAtMs }) => isoUtcOrNull(broadcastAtMs)],
  confirmed_at: [wire.Time.nullable(), ({ confirmedAtMs }) => isoUtcOrNull(confirmedAtMs)],
  client_reference: [
    z.string().nullable().meta({ description: "Your name for it." }),
    ({ clientReference }) => clientReference,
  ],
});

const { client_reference: _, ...OF_STATUS } = WITHDRAWAL.fields;

/** The status-read shape (spec 2.5): whatever is said of a withdrawal has these fields. */
export const STATUS = ABOUT(OF_STATUS);

/** What only its owner and operators see, in files. */
export const OWNED = answersAbout<
  WithdrawalFacts & {
    readonly accountId: number;
    readonly failureReason: WithdrawalTrigger | null;
    /** That it refunds. */
    readonly invoiceId: number | null;
  }
>()({
  ...WITHDRAWAL.fields,
  account_id: [wire.Id, ({ accountId }) => accountId],
  failure_reason: [z.string().nullable(), ({ failureReason }) => failureReason],
  invoice_id: [wire.Id.nullable(), ({ invoiceId }) => invoiceId],
});

/** The columns of the page's CSV file; programs may count them, so new ones go to the end. */
export const WITHDRAWAL_COLUMNS = OWNED.columns([
  "id",
  "account_id",
  "client_reference",
  "requested_at",
  "broadcast_at",
  "confirmed_at",
  "network",
  "currency",
  "amount",
  "fee",
  "status",
  "failure_reason",
  "to_address",
  "tx_hash",
  "invoice_id",
]);

const { id, network, currency, to_address, amount, fee } = STATUS.fields;

/** The answer to a successful first POST (spec 2.5). */
export const SUBMITTED = answersAbout<
  WithdrawalFacts & { readonly approval?: "waiting" | "approved" | null }
>()({
  withdrawal_id: id,
  status: [
    z.enum(["broadcasted", "pending"]).meta({
      description: "`pending`: a rule of the owner asks for an approval first.",
    }),
    // A fast chain may have mined it before the node's answer came; the answer still says this.
    ({ approval }) => approval === "waiting" ? "pending" as const : "broadcasted" as const,
  ],
  tx_hash: [
    wire.TxHash.nullable().meta({
      description:
        "Null while the payment waits for its turn. It is sent soon; read the withdrawal to get the hash.",
    }),
    ({ txHash }) => txHash,
  ],
  network,
  currency,
  to_address,
  amount_decimal: amount,
  fee_decimal: fee,
});

/** In the document, and with other values in sample events. */
export const EXAMPLE: WithdrawalFacts = {
  id: 42,
  clientReference: "order-7",
  network: "ETH",
  currency: "USDT",
  toAddress: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  amount: "20",
  fee: "1.1",
  status: "confirmed",
  txHash: "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
  errorMessage: null,
  requestedAtMs: Date.UTC(2026, 0, 31, 12),
  broadcastAtMs: Date.UTC(2026, 0, 31, 12, 0, 1),
  confirmedAtMs: Date.UTC(2026, 0, 31, 12, 2, 37),
};
