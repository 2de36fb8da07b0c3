import { refuse } from "../domain/refusals/refuse.ts";
import { NetworkBlocks, NetworkCursors } from "../following/table.ts";
import { type SignedTransferRow, SignedTransfers } from "../transfers/table.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { type FoundSpend, paidBy } from "./found_spend.ts";
import { ADOPTED } from "../books/trail.ts";
import { recordMovements } from "../following/record_movements.ts";
import { recordAudit } from "../books/records.ts";
import { isDeep } from "./settle_transfer.ts";
import type { Actor, Deps } from "../deps/deps.ts";

type Owner = Pick<
  SignedTransferRow,
  "purpose" | "withdrawalId" | "sweepId" | "transactionId"
>;

export const NOBODY = { withdrawalId: null, sweepId: null, transactionId: null } as const;

/** Its owner. Both parts run in the unit that books it; if they throw, nothing is booked. */
export interface Claim {
  readonly reads: readonly Read[];
  owner(view: View, nowMs: number): Owner;
  /** Updates what its owner and the account see. */
  updateOwner(view: View, at: { transfer: SignedTransferRow; nowMs: number }): void;
}

/**
 * Turns it into what it would be had these books signed it: in its block, and open until it is
 * settled like any other. Undefined: somebody else booked it first.
 */
export async function bookSpend(
  deps: Deps,
  { found, claim, actor }: { found: FoundSpend; claim: Claim; actor: Actor },
): Promise<SignedTransferRow | undefined> {
  const { network, row, bids, received } = found;
  const { code } = network;
  return await deps.db.write({
    reads: [
      read(NetworkCursors, [code]),
      read(NetworkBlocks, [code, row.blockNumber]),
      read(SignedTransfers, [code, row.txHash], "hash"),
      read(SignedTransfers, [code, row.sender, row.nonce], "nonce"),
      ...readAll(SignedTransfers, bids.map(({ id }) => [id])),
      alertRead("foreign_spend", row.txHash),
      alertRead("own_funds_moved", row.txHash),
      ...received.reads,
      ...claim.reads,
    ],
    decide: (view) => {
      const current = view.find(SignedTransfers, [code, row.txHash], "hash");
      if (current?.purpose !== "foreign") return undefined;
      checkStanding(view, { current, found });
      const nowMs = deps.clock.nowMs();
      const owner = claim.owner(view, nowMs);
      const transfer = replace(view, { current, found, owner });
      claim.updateOwner(view, { transfer, nowMs });
      if (owner.purpose === "withdrawal") recordReceived(view, { found, nowMs });
      closeAlert(view, { kind: "foreign_spend", subject: row.txHash, nowMs });
      const { purpose, withdrawalId, sweepId } = owner;
      recordAudit(view, {
        actor,
        action: ADOPTED,
        subject: `transfer:${transfer.id}`,
        detail: { network: code, tx_hash: row.txHash, purpose, withdrawalId, sweepId },
        nowMs,
      });
      return view.find(SignedTransfers, [transfer.id]);
    },
  });
}

/** A withdrawal to one of our deposit addresses is also a deposit, which wasn't seen before. */
function recordReceived(
  view: View,
  { found: { network, row, received }, nowMs }: { found: FoundSpend; nowMs: number },
): void {
  const { topHeight } = view.get(NetworkCursors, [network.code]);
  recordMovements(view, { plan: received, network, topHeight, nowMs });
  closeAlert(view, { kind: "own_funds_moved", subject: row.txHash, nowMs });
}

/** Checked again inside the unit: a rewind may have happened in between. */
function checkStanding(
  view: View,
  { current, found }: { current: SignedTransferRow; found: FoundSpend },
): void {
  const { network, row, bids } = found;
  const cursor = view.get(NetworkCursors, [network.code]);
  const block = view.find(NetworkBlocks, [network.code, row.blockNumber]);
  const isThere = current.blockHash === row.blockHash && (!block || block.hash === row.blockHash);
  const areOpen = bids.every(({ id }) => view.find(SignedTransfers, [id])?.state === "open");
  if (cursor.haltedReason === null && isThere && areOpen && isDeep(current, { cursor, network })) {
    return;
  }
  throw refuse("state_changed");
}

/** Inserted as a new row, because its owner may be new too, and references are checked in order. */
function replace(
  view: View,
  { current, found, owner }: { current: SignedTransferRow; found: FoundSpend; owner: Owner },
): SignedTransferRow {
  const { sent, spend } = found;
  const { id: _, ...anchored } = current;
  const isTaken = view.find(
    SignedTransfers,
    [current.network, current.sender, current.nonce],
    "nonce",
  ) !== undefined;
  view.remove(SignedTransfers, current);
  const paid = owner.purpose === "void"
    ? { toAddress: sent.sender, contractAddress: null, amountRaw: "0", arrivedRaw: null }
    : paidBy(sent, spend);
  const coinsRaw = paid.contractAddress === null ? BigInt(paid.amountRaw) : 0n;
  return view.insert(SignedTransfers, {
    ...anchored,
    ...paid,
    ...owner,
    raw: sent.raw,
    nativeCostMaxRaw: (coinsRaw + spend.feeRaw).toString(),
    state: "open",
    liveNonce: isTaken && current.liveNonce === null ? null : current.nonce,
  });
}
