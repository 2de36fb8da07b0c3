import { endLive, loadClaims } from "../books/claims.ts";
import { cursorOf } from "../books/find.ts";
import { eachGenuine } from "../books/tampered.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { readAll } from "../store/engine/workspace.ts";
import { bidsFor } from "../transfers/reads/claims.ts";
import { orphanedSweeps, withPayments } from "../transfers/reads/transfers.ts";
import {
  type Signed,
  SignedPayments,
  type SignedTransactionRow,
  SignedTransactions,
} from "../transfers/table.ts";
import { areRecorded, checkWhole, loadOwners } from "./_owners.ts";
import { releaseOwner } from "./_settle_owners.ts";

/**
 * A sweep of many addresses can't be mined without each of its outputs. When one of them has left the
 * chain, the others are swept without it: they spend the same outputs again, so that only one of the
 * two can ever be mined.
 */
export async function dropOrphaned(deps: Deps, network: NetworkRow): Promise<number> {
  if (familyOf(network.family).holdings !== "outputs") return 0;
  const { haltedReason } = await cursorOf(deps, network);
  if (haltedReason !== null) return 0;
  let dropped = 0;
  for (const tx of await orphanedSweeps(deps.db, network.code)) {
    const [isDropped] = await eachGenuine([tx], (one) => drop(deps, { network, tx: one }));
    if (isDropped) dropped++;
  }
  return dropped;
}

async function drop(
  deps: Deps,
  { network, tx }: { network: NetworkRow; tx: SignedTransactionRow },
): Promise<boolean> {
  const rivals = await withPayments(deps.db, await bidsFor(deps.db, tx));
  const bids = rivals.filter(({ tx: { state, isForeign } }) => state === "open" && !isForeign);
  const [owners, claimed] = await Promise.all([
    loadOwners(deps, { network, bids: rivals }),
    loadClaims(deps.db, bids.map((bid) => bid.tx)),
  ]);
  const nowMs = deps.clock.nowMs();
  const isDropped = await deps.db.write({
    reads: [
      ...readAll(SignedTransactions, bids.map((bid) => [bid.tx.id])),
      ...claimed.reads,
      ...owners.reads,
    ],
    decide: (view) => {
      const now = bids.map(({ tx: { id }, payments }): Signed => ({
        tx: view.get(SignedTransactions, [id]),
        payments: payments.map((payment) => view.get(SignedPayments, [payment.id])),
      }));
      const isOpen = now.length > 0 &&
        now.every((bid) => bid.tx.state === "open" && bid.tx.blockHash === null);
      if (!isOpen || !areRecorded(view, owners)) return false;
      for (const bid of now) {
        checkWhole(bid);
        endLive(view, { tx: bid.tx, claimed, patch: { state: "abandoned" } });
      }
      // One may have gathered more than the others.
      const byOwner = new Map(
        now.flatMap(({ payments }) => payments).toReversed()
          .map((payment) => [`${payment.withdrawalId}/${payment.sweepId}`, payment]),
      );
      for (const payment of byOwner.values()) releaseOwner(view, { payment, owners, nowMs });
      return true;
    },
  });
  const fields = { network: network.code, tx_hash: tx.txHash, is_given_up: isDropped };
  deps.log.warn("a deposit of a sweep has left the chain", fields);
  return isDropped;
}
