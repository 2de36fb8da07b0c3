import type { Anchored } from "./reads.ts";
import { type SignedTransferRow, SignedTransfers } from "../transfers/table.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import { Withdrawals } from "../withdrawals/table.ts";
import { bidsFor } from "../transfers/reads/transfers.ts";
import { type Read, readAll, type View } from "../store/engine/workspace.ts";
import { hasMovedNothing } from "../books/arrival.ts";
import type { Deps } from "../deps/deps.ts";

export function anchoredReads({ transactions, transfers }: Anchored): Read[] {
  const withdrawalIds = transfers.map((row) => row.withdrawalId).filter((id) => id !== null);
  return [
    ...readAll(Transactions, transactions.map(({ id }) => [id])),
    ...readAll(SignedTransfers, transfers.map(({ id }) => [id])),
    ...readAll(Withdrawals, withdrawalIds.map((id) => [id])),
  ];
}

/** Includes bids that lost to a settled one: they may be mined in its place now. */
export async function withBids(deps: Deps, anchored: Anchored): Promise<Anchored> {
  const settled = anchored.transfers.filter(({ state }) => state === "settled");
  const bids = await Promise.all(settled.map((row) => bidsFor(deps.db, row)));
  const superseded = bids.flat().filter(({ state }) => state === "superseded");
  return { ...anchored, transfers: [...anchored.transfers, ...superseded] };
}

/** Rows in blocks of a lost branch are in no block until they are seen again. */
export function unanchor(view: View, { transactions, transfers }: Anchored): void {
  for (const { id } of transactions) {
    view.update(Transactions, view.raw.get(Transactions, [id]), { blockHash: null });
  }
  const current = transfers.map(({ id }) => view.raw.get(SignedTransfers, [id]));
  const isPaid = (row: SignedTransferRow) => isPayment(row) && !isGivenBack(view, row);
  const reopened = new Set(current.filter(isPaid).map(nonceOf));
  for (const row of current) {
    if (row.purpose === "foreign") view.remove(SignedTransfers, row);
    else if (row.state !== "superseded") unmine(view, row);
    else if (reopened.has(nonceOf(row))) view.update(SignedTransfers, row, { state: "open" });
  }
}

/**
 * What was final no longer is. A payment is watched and sent again. A transfer that had reverted is
 * not: its withdrawal was released, so its nonce is free for the next one. Nor is one mined after
 * its withdrawal was released, nor a sweep that moved nothing, which an operator was alerted to.
 */
function unmine(view: View, row: SignedTransferRow): void {
  const wasSettled = row.state === "settled";
  const isFailed = wasSettled &&
    (!row.isSuccessful || isEmptySweep(row) || isGivenBack(view, row));
  view.update(SignedTransfers, row, {
    blockHash: null,
    isSuccessful: null,
    feeRaw: null,
    arrivedRaw: null,
    state: isFailed ? "abandoned" : wasSettled ? "open" : row.state,
    liveNonce: isFailed ? null : row.liveNonce,
  });
}

/** Not a void: the payment that it replaced was released, and stays so. */
function isPayment(row: SignedTransferRow): boolean {
  const { state, isSuccessful, purpose } = row;
  return state === "settled" && isSuccessful === true && purpose !== "void" &&
    purpose !== "foreign" && !isEmptySweep(row);
}

function isGivenBack(view: View, { purpose, withdrawalId }: SignedTransferRow): boolean {
  if (purpose !== "withdrawal" || withdrawalId === null) return false;
  return view.raw.get(Withdrawals, [withdrawalId]).status === "failed";
}

function isEmptySweep(row: SignedTransferRow): boolean {
  return row.purpose === "sweep" && hasMovedNothing(row);
}

function nonceOf({ network, sender, nonce }: SignedTransferRow): string {
  return `${network}/${sender}/${nonce}`;
}
