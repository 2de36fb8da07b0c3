import { cursorOf } from "../books/find.ts";
import { eachGenuine } from "../books/tampered.ts";
import type { Chain } from "../chains/chain.ts";
import type { Outcome } from "../chains/transfer.ts";
import type { Deps } from "../deps/deps.ts";
import { NetworkBlocks, NetworkCursors } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { areRecorded, checkWhole, loadOwners } from "./_owners.ts";
import { releaseOwner } from "./_settle_owners.ts";
import { familyOf } from "../chains/registry.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { endLive, loadClaims } from "../books/claims.ts";
import { openTransactions, withPayments } from "../transfers/reads/transfers.ts";
import {
  SignedPayments,
  type SignedTransactionRow,
  SignedTransactions,
} from "../transfers/table.ts";

type Expired = Extract<Outcome, { kind: "expired" }>;

/** Gives up what can never be mined any more; their owners go on without them. */
export async function expireTransfers(deps: Deps, network: NetworkRow): Promise<number> {
  if (familyOf(network.family).transferLifetimeMs === null) return 0;
  const cursor = await cursorOf(deps, network);
  const { finalizedHeight: finalHeight } = cursor;
  if (cursor.haltedReason !== null || finalHeight === null) return 0;
  const open = await openTransactions(deps.db, network.code);
  // The first to expire is asked about first: if it hasn't expired, none of the others has.
  const waiting = open.filter(({ blockHash }) => blockHash === null)
    .toSorted((a, b) => a.place - b.place);
  let expired = 0;
  for (const tx of waiting) {
    const outcome = await outcomeOf(deps.chains.of(network), { network, tx, finalHeight });
    if (outcome.kind === "unseen") break;
    if (outcome.kind !== "expired") continue;
    const expiry = { network, tx, outcome };
    const [isExpired] = await eachGenuine([expiry], (it) => expire(deps, it));
    if (isExpired) expired++;
  }
  return expired;
}

function outcomeOf(
  chain: Chain,
  { network, tx: { txHash, sender, place: nonce }, finalHeight }: {
    network: NetworkRow;
    tx: SignedTransactionRow;
    finalHeight: number;
  },
): Promise<Outcome> {
  return chain.outcome({ txHash, sender, nonce }, { depth: network.minConfirmations, finalHeight });
}

interface Expiry {
  readonly network: NetworkRow;
  readonly tx: SignedTransactionRow;
  readonly outcome: Expired;
}

async function expire(deps: Deps, { network, tx, outcome }: Expiry): Promise<boolean> {
  const bids = await withPayments(deps.db, [tx]);
  const [owners, claimed] = await Promise.all([
    loadOwners(deps, { network, bids }),
    loadClaims(deps.db, [tx]),
  ]);
  const payments = bids.flatMap((bid) => bid.payments);
  const nowMs = deps.clock.nowMs();
  const isExpired = await deps.db.write({
    reads: [
      read(NetworkCursors, [network.code]),
      read(NetworkBlocks, [network.code, outcome.height]),
      read(SignedTransactions, [tx.id]),
      ...claimed.reads,
      ...owners.reads,
    ],
    decide: (view) => {
      const current = view.get(SignedTransactions, [tx.id]);
      if (current.state !== "open" || current.blockHash !== null) return false;
      if (!haveWeReadPast(view, { network, outcome }) || !areRecorded(view, owners)) return false;
      const now = payments.map(({ id }) => view.get(SignedPayments, [id]));
      checkWhole({ tx: current, payments: now });
      endLive(view, { tx: current, claimed, patch: { state: "abandoned" } });
      for (const payment of now) releaseOwner(view, { payment, owners, nowMs });
      return true;
    },
  });
  const fields = { network: network.code, tx_hash: tx.txHash, is_given_up: isExpired };
  deps.log.warn("transfer expired", fields);
  return isExpired;
}

/**
 * A node's word is not enough: the block after the expiry must be one we have read, and none before
 * it contained the transfer.
 */
function haveWeReadPast(
  view: View,
  { network: { code }, outcome: { height, blockHash } }: Pick<Expiry, "network" | "outcome">,
): boolean {
  const { scanHeight } = view.get(NetworkCursors, [code]);
  return scanHeight >= height && view.find(NetworkBlocks, [code, height])?.hash === blockHash;
}
