import { first, zip } from "../base/lists.ts";
import { alertRead } from "../books/alerts.ts";
import { balanceRead } from "../books/records.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import { depositsOfSweep } from "../sweeps/reads/sweeps.ts";
import { Sweeps } from "../sweeps/table.ts";
import type { SignedTransferRow } from "../transfers/table.ts";
import { Addresses } from "../wallets/tables/addresses.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";

/** Whatever the bids for one nonce were signed for. */
interface Owners {
  readonly withdrawalIds: readonly number[];
  readonly reads: readonly Read[];
  readonly depositsOf: ReadonlyMap<number, readonly TransactionRow[]>;
}

export async function loadOwners(
  deps: Deps,
  { network, bids }: { network: NetworkRow; bids: readonly SignedTransferRow[] },
): Promise<Owners> {
  const withdrawalIds = idsOf(bids, (row) => row.withdrawalId);
  const sweepIds = idsOf(bids, (row) => row.sweepId);
  const transactionIds = idsOf(bids, (row) => row.transactionId);
  const withdrawals = await Promise.all(withdrawalIds.map((id) => deps.db.get(Withdrawals, [id])));
  const deposits = await Promise.all(sweepIds.map((id) => depositsOfSweep(deps.db, id)));
  return {
    withdrawalIds,
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
      read(Addresses, [network.code, first(bids).sender], "address"),
    ],
  };
}

function withdrawalReads(row: WithdrawalRow): Read[] {
  return [
    read(Withdrawals, [row.id]),
    balanceRead(row),
    alertRead("withdrawal_dropped", `withdrawal:${row.id}`),
    alertRead("withdrawal_unpaid", `withdrawal:${row.id}`),
  ];
}

/** One of the bids for a nonce, and the one that was mined for good. */
export interface Settling {
  readonly network: NetworkRow;
  readonly bid: SignedTransferRow;
  readonly winner: SignedTransferRow;
  readonly owners: Owners;
  readonly nowMs: number;
}

/** Their senders haven't recorded yet that they were sent, which must happen first. */
export function areRecorded(view: View, { withdrawalIds }: Owners): boolean {
  return withdrawalIds.every((id) => view.get(Withdrawals, [id]).status !== "pending");
}

export function sweptIn(view: View, { sweepId }: SignedTransferRow, { depositsOf }: Owners) {
  const deposits = (sweepId === null ? undefined : depositsOf.get(sweepId)) ?? [];
  return deposits.map(({ id }) => view.get(Transactions, [id]));
}

function idsOf(
  bids: readonly SignedTransferRow[],
  idOf: (row: SignedTransferRow) => number | null,
): number[] {
  return [...new Set(bids.map(idOf).filter((id) => id !== null))];
}
