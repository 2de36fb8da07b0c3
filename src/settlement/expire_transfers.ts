import { cursorOf } from "../books/find.ts";
import { eachGenuine } from "../books/tampered.ts";
import type { Chain } from "../chains/chain.ts";
import type { Outcome } from "../chains/transfer.ts";
import type { Deps } from "../deps/deps.ts";
import { NetworkBlocks, NetworkCursors } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { areRecorded, loadOwners } from "./_owners.ts";
import { releaseOwners } from "./_settle_owners.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { lifetimeOf } from "../transfers/next_nonce.ts";
import { openTransfersOfNetwork } from "../transfers/reads/transfers.ts";
import { type SignedTransferRow, SignedTransfers } from "../transfers/table.ts";

type Expired = Extract<Outcome, { kind: "expired" }>;

/** Gives up transfers that can never be mined any more; their owners go on without them. */
export async function expireTransfers(deps: Deps, network: NetworkRow): Promise<number> {
  if (lifetimeOf(network) === null) return 0;
  const cursor = await cursorOf(deps, network);
  const { finalizedHeight: finalHeight } = cursor;
  if (cursor.haltedReason !== null || finalHeight === null) return 0;
  const open = await openTransfersOfNetwork(deps.db, network.code);
  // The first to expire is asked about first: if it hasn't expired, none of the others has.
  const waiting = open.filter(({ blockHash }) => blockHash === null)
    .toSorted((a, b) => a.nonce - b.nonce);
  let expired = 0;
  for (const row of waiting) {
    const outcome = await outcomeOf(deps.chains.of(network), { network, row, finalHeight });
    if (outcome.kind === "unseen") break;
    if (outcome.kind !== "expired") continue;
    const expiry = { network, row, outcome };
    const [isExpired] = await eachGenuine([expiry], (it) => expire(deps, it));
    if (isExpired) expired++;
  }
  return expired;
}

function outcomeOf(
  chain: Chain,
  { network, row, finalHeight }: {
    network: NetworkRow;
    row: SignedTransferRow;
    finalHeight: number;
  },
): Promise<Outcome> {
  return chain.outcome(row, { depth: network.minConfirmations, finalHeight });
}

interface Expiry {
  readonly network: NetworkRow;
  readonly row: SignedTransferRow;
  readonly outcome: Expired;
}

async function expire(deps: Deps, { network, row, outcome }: Expiry): Promise<boolean> {
  const owners = await loadOwners(deps, { network, bids: [row] });
  const nowMs = deps.clock.nowMs();
  const isExpired = await deps.db.write({
    reads: [
      read(NetworkCursors, [network.code]),
      read(NetworkBlocks, [network.code, outcome.height]),
      read(SignedTransfers, [row.id]),
      ...owners.reads,
    ],
    decide: (view) => {
      const transfer = view.get(SignedTransfers, [row.id]);
      if (transfer.state !== "open" || transfer.blockHash !== null) return false;
      if (!haveWeReadPast(view, { network, outcome }) || !areRecorded(view, owners)) return false;
      view.update(SignedTransfers, transfer, { state: "abandoned", liveNonce: null });
      releaseOwners(view, { bid: transfer, owners, nowMs });
      return true;
    },
  });
  const fields = { network: network.code, tx_hash: row.txHash, is_given_up: isExpired };
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
