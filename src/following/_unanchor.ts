import { zip } from "../base/lists.ts";
import type { Anchored } from "./reads.ts";
import { hasMovedNothing } from "../books/arrival.ts";
import { DepositInputs } from "../deposits/tables/inputs.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import { type Claimed, endLive, loadClaims, reopenLive } from "../books/claims.ts";
import { bidsFor } from "../transfers/reads/claims.ts";
import { withPayments } from "../transfers/reads/transfers.ts";
import {
  Claims,
  type Signed,
  type SignedPaymentRow,
  SignedPayments,
  type SignedTransactionRow,
  SignedTransactions,
} from "../transfers/table.ts";
import { outputRowReads, unanchorOutputs } from "../outputs/record.ts";
import { Withdrawals } from "../withdrawals/table.ts";

/** What is in blocks of a lost branch, and everything that may change with it. */
export interface Unanchoring {
  readonly transactions: Anchored["transactions"];
  readonly signed: readonly Signed[];
  readonly outputs: Anchored["outputs"];
  readonly inputs: Anchored["inputs"];
  readonly claimed: Claimed;
  /** Those that lost to a settled one, by its id: they may be mined in its place now. */
  readonly losersOf: ReadonlyMap<number, readonly SignedTransactionRow[]>;
  readonly reads: readonly Read[];
}

export async function planUnanchoring(deps: Deps, anchored: Anchored): Promise<Unanchoring> {
  const { transactions, signed: rows, outputs, inputs } = anchored;
  const settled = rows.filter(({ state }) => state === "settled");
  const bids = await Promise.all(settled.map((tx) => bidsFor(deps.db, tx)));
  const losersOf = new Map(
    zip(settled, bids).map(([{ id }, all]) => [
      id,
      all.filter(({ state }) => state === "superseded"),
    ]),
  );
  const [signed, claimed] = await Promise.all([
    withPayments(deps.db, rows),
    loadClaims(deps.db, rows),
  ]);
  const payments = signed.flatMap(({ payments }) => payments);
  const withdrawalIds = payments.map((row) => row.withdrawalId).filter((id) => id !== null);
  const losers = [...losersOf.values()].flat();
  const reads = [
    ...readAll(Transactions, transactions.map(({ id }) => [id])),
    ...readAll(SignedTransactions, [...rows, ...losers].map(({ id }) => [id])),
    ...readAll(SignedPayments, payments.map(({ id }) => [id])),
    ...readAll(Withdrawals, withdrawalIds.map((id) => [id])),
    ...outputRowReads(outputs),
    ...readAll(DepositInputs, inputs.map(({ id }) => [id])),
    ...claimed.reads,
    ...claimed.rows.map(({ network, claim }) => read(Claims, [network, claim], "live")),
  ];
  return { transactions, signed, outputs, inputs, claimed, losersOf, reads };
}

/** Rows in blocks of a lost branch are in no block until they are seen again. */
export function unanchor(
  view: View,
  { transactions, signed, outputs, inputs, claimed, losersOf }: Unanchoring,
  nowMs: number,
): void {
  unanchorOutputs(view, outputs);
  for (const { id } of inputs) {
    const row = view.raw.find(DepositInputs, [id]);
    if (row) view.update(DepositInputs, row, { spentHash: null });
  }
  for (const { id } of transactions) {
    const row = view.raw.get(Transactions, [id]);
    // From now on it waits to be seen again.
    const seen = row.status === "detected" && row.direction === "deposit" && { seenAtMs: nowMs };
    view.update(Transactions, row, { blockHash: null, ...seen });
  }
  for (const one of signed) {
    const tx = view.raw.get(SignedTransactions, [one.tx.id]);
    const payments = one.payments.map(({ id }) => view.raw.get(SignedPayments, [id]));
    const isPaid = tx.state === "settled" &&
      (hasDeployed(tx) || payments.some((row) => isPayment(view, row)));
    if (tx.isForeign) forget(view, { tx, claimed });
    else if (tx.state !== "superseded") unmine(view, { tx, payments, claimed });
    if (isPaid) reopen(view, losersOf.get(tx.id) ?? []);
  }
}

/** Somebody else signed it: the row says only what a block says. */
export function forget(
  view: View,
  { tx, claimed }: { tx: SignedTransactionRow; claimed: Claimed },
): void {
  for (const { signedId, claim } of claimed.rows) {
    if (signedId === tx.id) view.remove(Claims, view.raw.get(Claims, [signedId, claim]));
  }
  view.remove(SignedTransactions, tx);
}

function reopen(view: View, losers: readonly SignedTransactionRow[]): void {
  for (const { id } of losers) {
    const loser = view.raw.get(SignedTransactions, [id]);
    if (loser.state === "superseded") view.update(SignedTransactions, loser, { state: "open" });
  }
}

/**
 * What was final no longer is. A payment is watched and sent again. A transaction that had reverted
 * is not: its withdrawal was released, so its place is free for the next one. Nor is one mined after
 * its withdrawal was released, nor a sweep that moved nothing, which an operator was alerted to.
 */
function unmine(view: View, { tx, payments, claimed }: Signed & { claimed: Claimed }): void {
  const wasSettled = tx.state === "settled";
  const isFailed = wasSettled && !hasDeployed(tx) &&
    !payments.some((row) => isWanted(view, row));
  for (const payment of payments) {
    view.update(SignedPayments, payment, { isSuccessful: null, blockHash: null, arrivedRaw: null });
  }
  const loose = view.update(SignedTransactions, tx, {
    blockHash: null,
    isSuccessful: null,
    feeRaw: null,
  });
  if (isFailed) endLive(view, { tx: loose, claimed, patch: { state: "abandoned" } });
  else if (wasSettled) reopenLive(view, { tx: loose, claimed });
}

/** Or released an address: it pays nothing, and is wanted as long as it can be. */
function hasDeployed({ paymentCount, isSuccessful }: SignedTransactionRow): boolean {
  return paymentCount === 0 && isSuccessful === true;
}

/** It did what it was signed for, and its order still stands. */
function isWanted(view: View, row: SignedPaymentRow): boolean {
  return row.isSuccessful === true && !isEmptySweep(row) && !isGivenBack(view, row);
}

/** Not a void: the payment that it replaced was released, and stays so. */
function isPayment(view: View, row: SignedPaymentRow): boolean {
  return row.purpose !== "void" && isWanted(view, row);
}

function isGivenBack(view: View, { purpose, withdrawalId }: SignedPaymentRow): boolean {
  if (purpose !== "withdrawal" || withdrawalId === null) return false;
  return view.raw.get(Withdrawals, [withdrawalId]).status === "failed";
}

function isEmptySweep(row: SignedPaymentRow): boolean {
  return row.purpose === "sweep" && hasMovedNothing(row);
}
