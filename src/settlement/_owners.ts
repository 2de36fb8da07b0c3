import { first, zip } from "../base/lists.ts";
import { alertRead } from "../books/alerts.ts";
import { loadClaims } from "../books/claims.ts";
import { balanceRead } from "../books/records.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { hasOutputs } from "../networks/fitting.ts";
import type { NetworkRow } from "../networks/table.ts";
import { tampered } from "../store/engine/tampered_row.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import { depositsOfSweep } from "../sweeps/reads/sweeps.ts";
import { Sweeps } from "../sweeps/table.ts";
import {
  signedForSweep,
  signedForWithdrawal,
  sweepsSignedSince,
} from "../transfers/reads/transfers.ts";
import {
  type Paying,
  type Signed,
  type SignedPaymentRow,
  SignedPayments,
  type SignedTransactionRow,
  SignedTransactions,
} from "../transfers/table.ts";
import { Addresses } from "../wallets/tables/addresses.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";

/** Whatever the bids for the same claims were signed for. */
interface Owners {
  readonly withdrawalIds: readonly number[];
  readonly reads: readonly Read[];
  readonly depositsOf: ReadonlyMap<number, readonly TransactionRow[]>;
  /** Sweeps that something else was signed for later, perhaps with more deposits. */
  readonly signedAgain: ReadonlySet<number>;
  /** Where money lies in outputs: those that each bid spends, by its id. */
  readonly spentBy: ReadonlyMap<number, ReadonlySet<string>>;
}

export async function loadOwners(
  deps: Deps,
  { network, bids }: { network: NetworkRow; bids: readonly Signed[] },
): Promise<Owners> {
  const payments = bids.flatMap((bid) => bid.payments);
  const withdrawalIds = idsOf(payments, (row) => row.withdrawalId);
  const sweepIds = idsOf(payments, (row) => row.sweepId);
  const transactionIds = idsOf(payments, (row) => row.transactionId);
  const [withdrawals, deposits, signedAgain, claimed] = await Promise.all([
    Promise.all(withdrawalIds.map((id) => deps.db.get(Withdrawals, [id]))),
    Promise.all(sweepIds.map((id) => depositsOfSweep(deps.db, id))),
    sweepsSignedSince(deps.db, { sweepIds, signedIds: bids.map(({ tx }) => tx.id) }),
    hasOutputs(network) ? loadClaims(deps.db, bids.map(({ tx }) => tx)) : undefined,
  ]);
  const spent = Map.groupBy(claimed?.rows ?? [], ({ signedId }) => signedId);
  return {
    withdrawalIds,
    signedAgain,
    spentBy: new Map([...spent].map(([id, rows]) => [id, new Set(rows.map(({ claim }) => claim))])),
    depositsOf: new Map(zip(sweepIds, deposits)),
    reads: [
      ...readAll(Transactions, transactionIds.map((id) => [id])),
      ...readAll(Sweeps, sweepIds.map((id) => [id])),
      ...readAll(Transactions, deposits.flat().map(({ id }) => [id])),
      ...withdrawals.flatMap(withdrawalReads),
      ...sweepIds.flatMap((id) => [
        alertRead("sweep_parked", `sweep:${id}`),
        alertRead("sweep_short", `sweep:${id}`),
      ]),
      read(Addresses, [network.code, first(bids).tx.sender], "address"),
      ...readAll(SignedPayments, payments.map(({ id }) => [id])),
    ],
  };
}

/**
 * What else may be mined for the owners of these. Where money lies in outputs, a transaction may take
 * a coin that only one bid of several has added, and leaves the others as they are.
 */
export async function openBeside(
  { db }: Deps,
  { bids, losers }: { bids: readonly Signed[]; losers: readonly Signed[] },
): Promise<Paying[]> {
  const known = new Set(bids.map(({ tx }) => tx.id));
  const payments = losers.flatMap((loser) => loser.payments);
  const [withdrawals, sweeps] = await Promise.all([
    Promise.all(
      idsOf(payments, (row) => row.withdrawalId).map((id) => signedForWithdrawal(db, id)),
    ),
    Promise.all(idsOf(payments, (row) => row.sweepId).map((id) => signedForSweep(db, id))),
  ]);
  return [...withdrawals, ...sweeps].flat()
    .filter(({ tx, payment }) =>
      tx.state === "open" && payment.purpose !== "gas_topup" && !known.has(tx.id)
    );
}

/** Another one may still do what this one was signed for. */
export function isHeldBy(beside: readonly Paying[], payment: SignedPaymentRow): boolean {
  const { purpose, withdrawalId, sweepId } = payment;
  return purpose !== "gas_topup" &&
    beside.some(({ payment: other }) =>
      other.withdrawalId === withdrawalId && other.sweepId === sweepId
    );
}

function withdrawalReads(row: WithdrawalRow): Read[] {
  return [
    read(Withdrawals, [row.id]),
    balanceRead(row),
    alertRead("withdrawal_dropped", `withdrawal:${row.id}`),
    alertRead("withdrawal_unpaid", `withdrawal:${row.id}`),
  ];
}

/** A payment of one of the bids for the same claims, and the one that was mined for good. */
export interface Settling {
  readonly network: NetworkRow;
  readonly tx: SignedTransactionRow;
  readonly payment: SignedPaymentRow;
  readonly winner: Signed;
  /** It is the winner's. */
  readonly isMined: boolean;
  readonly owners: Owners;
  readonly nowMs: number;
}

/**
 * A transaction and its payments are rows that are only genuine one by one: a payment put back from
 * before the block would look as if it had failed, and one without its row as if it paid nobody.
 */
export function checkWhole({ tx, payments }: Signed): void {
  if (payments.length !== tx.paymentCount) throw tampered(SignedTransactions, tx);
  const other = payments.find((payment) => !fits(payment, tx));
  if (other) throw tampered(SignedPayments, other);
}

/** In a batch, what is collected from others may fail by itself, or not be tried. */
function fits(
  { isSuccessful, blockHash, fromAddress }: SignedPaymentRow,
  { sender, isSuccessful: isMined, blockHash: block }: SignedTransactionRow,
): boolean {
  if (blockHash !== block) return false;
  return isSuccessful === isMined || (fromAddress !== sender && isMined === true);
}

/** Their senders haven't recorded yet that they were sent, which must happen first. */
export function areRecorded(view: View, { withdrawalIds }: Owners): boolean {
  return withdrawalIds.every((id) => view.get(Withdrawals, [id]).status !== "pending");
}

export function sweptIn(view: View, { sweepId }: SignedPaymentRow, { depositsOf }: Owners) {
  const deposits = (sweepId === null ? undefined : depositsOf.get(sweepId)) ?? [];
  return deposits.map(({ id }) => view.get(Transactions, [id]));
}

function idsOf(
  payments: readonly SignedPaymentRow[],
  idOf: (row: SignedPaymentRow) => number | null,
): number[] {
  return [...new Set(payments.map(idOf).filter((id) => id !== null))];
}
