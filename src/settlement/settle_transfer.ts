import { present } from "../base/assert.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { isFinal } from "../books/depth.ts";
import { reportTampered } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { notFinalAsRead } from "../following/final_view.ts";
import { NetworkBlocks, type NetworkCursorRow, NetworkCursors } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { areRecorded, checkWhole, loadOwners, openBeside } from "./_owners.ts";
import { settleOwners } from "./_settle_owners.ts";
import { read, readAll, type View } from "../store/engine/workspace.ts";
import {
  checkClaims,
  type Claimed,
  endLive,
  loadClaims,
  makeLive,
  settleLive,
} from "../books/claims.ts";
import { bidsFor } from "../transfers/reads/claims.ts";
import { withPayments } from "../transfers/reads/transfers.ts";
import {
  Claims,
  type Paying,
  type Signed,
  SignedPayments,
  type SignedTransactionRow,
  SignedTransactions,
} from "../transfers/table.ts";

interface Settlement {
  readonly network: NetworkRow;
  readonly tx: SignedTransactionRow;
}

const NONE: ReadonlySet<number> = new Set();

export function isDeep(
  tx: SignedTransactionRow,
  { cursor, network }: { cursor: NetworkCursorRow; network: NetworkRow },
): boolean {
  return tx.blockHash !== null && isFinal(tx.blockNumber, { cursor, network });
}

/**
 * These bytes were mined for good, so no other bid for their claims ever will be. All consequences
 * for their owners follow in one unit.
 */
export async function settleTransfer(
  deps: Deps,
  { network, tx, emptyIds = NONE }: Settlement & {
    /** Payments that were logged, and moved nothing. */
    emptyIds?: ReadonlySet<number>;
  },
): Promise<void> {
  const bids = await withPayments(deps.db, await bidsFor(deps.db, tx));
  const isLoser = (bid: Signed) => bid.tx.id !== tx.id && bid.tx.state === "open";
  const others = await openBeside(deps, { bids, losers: bids.filter(isLoser) });
  const [owners, claimed, spared] = await Promise.all([
    loadOwners(deps, { network, bids }),
    loadClaims(deps.db, bids.map((bid) => bid.tx)),
    loadClaims(deps.db, others.map((one) => one.tx)),
  ]);
  const nowMs = deps.clock.nowMs();
  const doubt = notFinalAsRead(tx);
  const faults = await deps.db.write({
    reads: [
      read(NetworkCursors, [network.code]),
      read(NetworkBlocks, [network.code, tx.blockNumber]),
      ...readAll(SignedTransactions, bids.map((bid) => [bid.tx.id])),
      ...claimed.reads,
      ...owners.reads,
      ...readAll(SignedTransactions, others.map((one) => [one.tx.id])),
      ...readAll(SignedPayments, others.map((one) => [one.payment.id])),
      ...spared.reads,
      ...spared.rows.map(({ claim }) => read(Claims, [network.code, claim], "live")),
      alertRead(doubt.kind, doubt.subject),
    ],
    decide: (view) => {
      const mined = view.get(SignedTransactions, [tx.id]);
      if (!isMinedForGood(view, { network, tx: mined }) || !areRecorded(view, owners)) return [];
      const now = bids.map((bid): Signed => ({
        tx: view.get(SignedTransactions, [bid.tx.id]),
        payments: bid.payments.map(({ id }) => view.get(SignedPayments, [id])).map((row) =>
          emptyIds.has(row.id) ? view.update(SignedPayments, row, { arrivedRaw: "0" }) : row
        ),
      }));
      checkClaims(view, claimed);
      const losers = now.filter(isLoser);
      for (const loser of losers) checkWhole(loser);
      for (const { tx: loser } of losers) {
        endLive(view, { tx: loser, claimed, patch: { state: "superseded" } });
      }
      const { payments } = present(now.find((bid) => bid.tx.id === tx.id), "It is one of its bids");
      checkWhole({ tx: mined, payments });
      const winner = { tx: settleLive(view, { tx: mined, payments, claimed }), payments };
      const beside = others.map((one): Paying => ({
        tx: view.get(SignedTransactions, [one.tx.id]),
        payment: view.get(SignedPayments, [one.payment.id]),
      })).filter((one) => one.tx.state === "open");
      reviveNewest(view, { signed: beside.map((one) => one.tx), claimed: spared });
      closeAlert(view, { ...doubt, nowMs });
      return settleOwners(view, { network, winner, losers, beside, owners, nowMs });
    },
  });
  for (const fault of faults) await reportTampered(deps, fault);
}

/** What the newest bid had replaced is sent again, now that this one has lost. */
function reviveNewest(
  view: View,
  { signed, claimed }: { signed: readonly SignedTransactionRow[]; claimed: Claimed },
): void {
  const ordered = signed.toSorted((a, b) => a.id - b.id);
  const newest = new Map(ordered.map((tx) => [`${tx.sender}/${tx.place}`, tx]));
  for (const tx of newest.values()) {
    const isFree = claimed.rows.filter(({ signedId }) => signedId === tx.id)
      .every(({ network, claim }) => !view.find(Claims, [network, claim], "live"));
    if (!tx.isLive && isFree) makeLive(view, { tx, claimed });
  }
}

/** Checked again inside the unit: a rewind may have happened in between. */
function isMinedForGood(view: View, { network, tx }: Settlement): boolean {
  const cursor = view.get(NetworkCursors, [network.code]);
  const block = view.find(NetworkBlocks, [network.code, tx.blockNumber]);
  if (block && block.hash !== tx.blockHash) return false;
  return tx.state === "open" && isDeep(tx, { cursor, network });
}
