import type { NetworkRow } from "../networks/table.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { NetworkBlocks, NetworkCursors } from "../following/table.ts";
import { checkClaims, type Claimed, insertClaims, loadClaims } from "../books/claims.ts";
import type { Claim as Used } from "../chains/family.ts";
import { familyOf } from "../chains/registry.ts";
import { lastPlace } from "../transfers/reads/places.ts";
import {
  Claims,
  type Paying,
  type Signed,
  type SignedPaymentRow,
  SignedPayments,
  type SignedTransactionRow,
  SignedTransactions,
} from "../transfers/table.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { type FoundSpend, paidBy } from "./found_spend.ts";
import { ADOPTED } from "../books/trail.ts";
import { recordMovements } from "../following/record_movements.ts";
import { recordAudit } from "../books/records.ts";
import { isDeep } from "./settle_transfer.ts";
import type { Actor, Deps } from "../deps/deps.ts";

type Owner = Pick<
  SignedPaymentRow,
  "purpose" | "withdrawalId" | "sweepId" | "transactionId"
>;

export const NOBODY = { withdrawalId: null, sweepId: null, transactionId: null } as const;

/** Its owner. Both parts run in the unit that books it; if they throw, nothing is booked. */
export interface Claim {
  readonly reads: readonly Read[];
  owner(view: View, nowMs: number): Owner;
  /** Of what it was signed again for: they may share no coin, and only one of them may be mined. */
  readonly place?: number;
  /** Updates what its owner and the account see. */
  updateOwner(view: View, at: Paying & { nowMs: number }): void;
}

/**
 * Turns it into what it would be had these books signed it: in its block, and open until it is
 * settled like any other. Undefined: somebody else booked it first.
 */
export async function bookSpend(
  deps: Deps,
  { found, claim, actor }: { found: FoundSpend; claim: Claim; actor: Actor },
): Promise<SignedTransactionRow | undefined> {
  const { network, tx, bids, received } = found;
  const { code } = network;
  const claimed = await loadClaims(deps.db, [tx, ...bids.map((bid) => bid.tx)]);
  const claims = [...claimsOfSpend(found), ...placesIn(found, [claim])];
  const place = claim.place ?? await placeOf(deps, found);
  return await deps.db.write({
    reads: [
      read(NetworkCursors, [code]),
      read(NetworkBlocks, [code, tx.blockNumber]),
      read(SignedTransactions, [code, tx.txHash], "hash"),
      ...claims.map(({ claim }) => read(Claims, [code, claim], "live")),
      ...readAll(SignedTransactions, bids.map((bid) => [bid.tx.id])),
      ...readAll(SignedPayments, bids.flatMap((bid) => bid.payments).map(({ id }) => [id])),
      ...claimed.reads,
      alertRead("foreign_spend", tx.txHash),
      alertRead("own_funds_moved", tx.txHash),
      ...received.reads,
      ...claim.reads,
    ],
    decide: (view) => {
      const current = view.find(SignedTransactions, [code, tx.txHash], "hash");
      if (!current?.isForeign) return undefined;
      checkStanding(view, { current, found });
      checkBids(view, { bids, claimed });
      const nowMs = deps.clock.nowMs();
      const owner = claim.owner(view, nowMs);
      const paying = replace(view, { current, found, owner, claimed, claims, place });
      claim.updateOwner(view, { ...paying, nowMs });
      if (owner.purpose === "withdrawal") {
        recordReceived(view, { found, tx: paying.tx, payments: [paying.payment], nowMs });
      }
      closeAlert(view, { kind: "foreign_spend", subject: tx.txHash, nowMs });
      const { purpose, withdrawalId, sweepId } = owner;
      recordAudit(view, {
        actor,
        action: ADOPTED,
        subject: `transfer:${paying.tx.id}`,
        detail: { network: code, tx_hash: tx.txHash, purpose, withdrawalId, sweepId },
        nowMs,
      });
      return view.find(SignedTransactions, [paying.tx.id]);
    },
  });
}

/** A withdrawal to one of our deposit addresses is also a deposit, which wasn't seen before. */
export function recordReceived(
  view: View,
  { found: { network, received }, tx, payments: signed, nowMs }: Signed & {
    found: FoundSpend;
    nowMs: number;
  },
): void {
  const { topHeight } = view.get(NetworkCursors, [network.code]);
  const movements = received.movements.map((one) => ({ ...one, signed }));
  recordMovements(view, { plan: { ...received, movements }, network, topHeight, nowMs });
  closeAlert(view, { kind: "own_funds_moved", subject: tx.txHash, nowMs });
}

/** Checked again inside the unit: a rewind may have happened in between. */
export function checkStanding(
  view: View,
  { current, found }: { current: SignedTransactionRow; found: FoundSpend },
): void {
  const { network, tx, bids } = found;
  const cursor = view.get(NetworkCursors, [network.code]);
  const block = view.find(NetworkBlocks, [network.code, tx.blockNumber]);
  // Read again with more of what it spends, it has a new row.
  const isThere = current.id === tx.id && current.blockHash === tx.blockHash &&
    (!block || block.hash === tx.blockHash);
  const areOpen = bids.every((bid) => view.find(SignedTransactions, [bid.tx.id])?.state === "open");
  if (cursor.haltedReason === null && isThere && areOpen && isDeep(current, { cursor, network })) {
    return;
  }
  throw refuse("state_changed");
}

/** What they are for decides whose it is. */
export function checkBids(
  view: View,
  { bids, claimed }: { bids: readonly Signed[]; claimed: Claimed },
): void {
  checkClaims(view, claimed);
  for (const { id } of bids.flatMap((bid) => bid.payments)) view.get(SignedPayments, [id]);
}

/** Inserted as new rows, because its owner may be new too, and references are checked in order. */
function replace(
  view: View,
  { current, found, owner, claimed, claims, place }: {
    current: SignedTransactionRow;
    found: FoundSpend;
    owner: Owner;
    claimed: Claimed;
    claims: readonly Used[];
    place: number;
  },
): Paying {
  const { sent, spend } = found;
  const { id: _, ...anchored } = current;
  const isTaken = claims.some(({ claim }) => {
    const holder = view.find(Claims, [current.network, claim], "live");
    return holder !== undefined && holder.signedId !== current.id;
  });
  for (const { signedId, claim } of claimed.rows) {
    if (signedId === current.id) view.remove(Claims, view.get(Claims, [signedId, claim]));
  }
  view.remove(SignedTransactions, current);
  const paid = owner.purpose === "void"
    ? { ...paidBy(sent, spend), toAddress: sent.sender, contractAddress: null, amountRaw: "0" }
    : paidBy(sent, spend);
  const coinsRaw = paid.contractAddress === null ? BigInt(paid.amountRaw) : 0n;
  const tx = view.insert(SignedTransactions, {
    ...anchored,
    place,
    isForeign: false,
    paymentCount: 1,
    raw: sent.raw,
    nativeCostMaxRaw: (coinsRaw + spend.feeRaw).toString(),
    // Of outputs, those that it spends may not all have been known when it was read first.
    feeRaw: spend.feeRaw.toString(),
    state: "open",
    isLive: !isTaken,
  });
  insertClaims(view, { tx, claims });
  const arrivedRaw = owner.purpose === "void" ? null : paid.arrivedRaw;
  const payment = view.insert(SignedPayments, {
    signedId: tx.id,
    position: 0,
    network: tx.network,
    ...paid,
    ...owner,
    blockHash: tx.blockHash,
    arrivedRaw,
    callsCode: null,
    unsettled: null,
  });
  return { tx, payment };
}

/** What it used up: its place, or where money lies in outputs, those. */
export function claimsOfSpend({ network, tx, spend }: FoundSpend): readonly Used[] {
  return spend.uses ?? [placeClaim(network, tx)];
}

/** Where places only tell a sender's transactions apart, it gets that of what it outbid, or a new one. */
export async function placeOf(
  { db }: Deps,
  { network, tx, bids: [bid] }: FoundSpend,
): Promise<number> {
  if (familyOf(network.family).holdings === "balances") return tx.place;
  if (bid) return bid.tx.place;
  return (await lastPlace(db, { network: tx.network, sender: tx.sender }) ?? -1) + 1;
}

/** What it used up of what it was signed again for. */
export function placesIn({ network, tx }: FoundSpend, claims: readonly Claim[]): readonly Used[] {
  const places = new Set(claims.map(({ place }) => place).filter((place) => place !== undefined));
  return [...places].map((place) => placeClaim(network, { ...tx, place }));
}

function placeClaim({ family }: NetworkRow, { sender, place: nonce }: SignedTransactionRow) {
  return familyOf(family).claimOf({ sender, nonce });
}
