import { present } from "../base/assert.ts";
import { outgoingPosition } from "./move_transaction.ts";
import { isGenuine } from "./tampered.ts";
import type { Direction } from "../deposits/rules/transaction_moves.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import {
  InvoiceAddresses,
  type InvoiceAddressRow,
  InvoicePayments,
} from "../invoices/tables/invoices.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import type { View } from "../store/engine/workspace.ts";
import { type Paying, SignedPayments } from "../transfers/table.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";

type PaymentColumn =
  | "txHash"
  | "position"
  | "fromAddress"
  | "sender"
  | "senderNonce"
  | "blockNumber"
  | "blockHash"
  | "minedAtMs"
  | "depositRequestId";

/** What only some chains' payments have. */
type WaitColumn = "creditFrom";

interface NewDeposit {
  readonly payment: Pick<TransactionRow, PaymentColumn> & Partial<Pick<TransactionRow, WaitColumn>>;
  readonly currency: CurrencyRow;
  readonly address: AddressRow;
  readonly amount: Amount;
  readonly nowMs: number;
}

/** A payment to one of our addresses, not credited yet. */
export function insertDeposit(view: View, deposit: NewDeposit): TransactionRow {
  const { payment, currency, address, amount, nowMs } = deposit;
  return view.insert(Transactions, {
    creditFrom: null,
    ...payment,
    seenAtMs: null,
    accountId: present(address.accountId, "A deposit address belongs to an account"),
    network: currency.network,
    currency: currency.symbol,
    direction: "deposit",
    status: "detected",
    live: 1,
    toAddress: address.address,
    amount: amount.toString(),
    addressId: address.id,
    withdrawalId: null,
    sweepId: null,
    isBelowMinimum: amount.isLessThan(Amount.parse(currency.minDepositAmount, amount.asset)),
    createdAtMs: nowMs,
    confirmedAtMs: null,
  });
}

interface OutgoingRow {
  readonly accountId: number;
  readonly currency: string;
  readonly direction: Exclude<Direction, "deposit">;
  readonly toAddress: string;
  /** Plain digits. */
  readonly amount: string;
  readonly nowMs: number;
}

/**
 * The columns that depend on the bid that counts: when emptying an address, a more expensive bid
 * moves less.
 */
export function bidColumns(
  { tx: { txHash }, payment }: Paying,
  { code, nativeSymbol, nativeDecimals: decimals }: NetworkRow,
): Pick<TransactionRow, "txHash"> & Partial<Pick<TransactionRow, "amount">> {
  const { purpose, contractAddress, amountRaw } = payment;
  if (purpose !== "sweep" || contractAddress !== null) return { txHash };
  const asset = assetOf({ network: code, currency: nativeSymbol });
  return { txHash, amount: Amount.fromRaw(BigInt(amountRaw), { asset, decimals }).toString() };
}

/** The row that an account sees for a signed payment: one, whichever of its bids is mined. */
export function insertOutgoing(
  view: View,
  { tx, payment, row }: Paying & { row: OutgoingRow },
): TransactionRow {
  const { nowMs, ...shown } = row;
  const inserted = view.insert(Transactions, {
    ...shown,
    network: tx.network,
    status: "detected",
    txHash: tx.txHash,
    position: outgoingPosition(payment),
    live: 1,
    fromAddress: payment.fromAddress,
    // A worker may have seen it in a block before this row was written.
    blockNumber: tx.blockNumber,
    blockHash: tx.blockHash,
    sender: tx.sender,
    senderNonce: tx.place,
    addressId: null,
    depositRequestId: null,
    withdrawalId: payment.withdrawalId,
    sweepId: payment.sweepId,
    isBelowMinimum: false,
    createdAtMs: nowMs,
    confirmedAtMs: null,
    minedAtMs: null,
    seenAtMs: null,
    creditFrom: null,
  });
  view.update(SignedPayments, payment, { transactionId: inserted.id });
  return inserted;
}

/** The invoice that this request gave its address to. */
export async function invoiceOfRequest(
  deps: Deps,
  requestId: number,
): Promise<InvoiceAddressRow | undefined> {
  const row = await deps.db.find(InvoiceAddresses, [requestId], "request");
  return row && await isGenuine(deps, InvoiceAddresses, row) ? row : undefined;
}

export function linkPayment(
  view: View,
  payment: { readonly invoiceId: number; readonly transactionId: number },
): void {
  const unjudged = { laterRate: null, ratedAtMs: null, isWorthless: null, testChanges: null };
  view.insert(InvoicePayments, { ...payment, ...unjudged });
}
