import type { Db } from "../store/engine/db.ts";
import { type Read, readAll, type View } from "../store/engine/workspace.ts";
import type { Claim } from "../chains/family.ts";
import { claimsOf } from "../transfers/reads/claims.ts";
import {
  type ClaimRow,
  Claims,
  type Signed,
  type SignedTransactionRow,
  SignedTransactions,
} from "../transfers/table.ts";

/** What some transactions have claimed, for a unit that may end or begin that. */
export interface Claimed {
  readonly rows: readonly ClaimRow[];
  readonly reads: readonly Read[];
}

export async function loadClaims(
  db: Db,
  signed: readonly Pick<SignedTransactionRow, "id">[],
): Promise<Claimed> {
  const rows = signed.length === 0 ? [] : await claimsOf(db, signed.map(({ id }) => id));
  return { rows, reads: readAll(Claims, rows.map(({ signedId, claim }) => [signedId, claim])) };
}

/**
 * Whoever shares a claim loses its place when another one is mined, so none may be somebody else's
 * invention.
 */
export function checkClaims(view: View, { rows }: Claimed): void {
  for (const { signedId, claim } of rows) view.get(Claims, [signedId, claim]);
}

type Patch = Partial<Pick<SignedTransactionRow, "state" | "sentAtMs">>;

/** From now on, others may claim the same. Its bytes may still be mined, unless its state says no. */
export function endLive(
  view: View,
  { tx, claimed, patch = {} }: { tx: SignedTransactionRow; claimed: Claimed; patch?: Patch },
): SignedTransactionRow {
  hold(view, { tx, claimed, isLive: () => false });
  return view.update(SignedTransactions, tx, { ...patch, isLive: false });
}

/** It holds its claims again; fails if another one has them. */
export function makeLive(
  view: View,
  { tx, claimed, patch = {} }: { tx: SignedTransactionRow; claimed: Claimed; patch?: Patch },
): SignedTransactionRow {
  hold(view, { tx, claimed, isLive: () => true });
  return view.update(SignedTransactions, tx, { ...patch, isLive: true });
}

/** No longer mined for good: it claims again what nobody else has claimed meanwhile. */
export function reopenLive(
  view: View,
  { tx, claimed }: { tx: SignedTransactionRow; claimed: Claimed },
): SignedTransactionRow {
  const holder = ({ network, claim }: ClaimRow) => view.raw.find(Claims, [network, claim], "live");
  const isFree = (row: ClaimRow) => (holder(row) ?? row).signedId === tx.id;
  hold(view, { tx, claimed, isLive: (row) => tx.isLive && isFree(row) });
  return view.update(SignedTransactions, tx, { state: "open" });
}

/**
 * Mined for good: what only it could use stays used, as does the nonce with which an address has
 * delegated: that it has is certain if its order was carried out. The rest is free again.
 */
export function settleLive(
  view: View,
  { tx, payments, claimed }: Signed & { claimed: Claimed },
): SignedTransactionRow {
  const carriedOut = payments.filter(({ isSuccessful, fromAddress }) =>
    isSuccessful === true && fromAddress !== tx.sender
  );
  const others = new Set(carriedOut.map(({ fromAddress }) => fromAddress));
  const isUsed = ({ claim }: ClaimRow) => others.has(claim.slice(0, claim.lastIndexOf("/")));
  hold(view, { tx, claimed, isLive: (row) => row.isOnce || isUsed(row) });
  return view.update(SignedTransactions, tx, { state: "settled", isLive: true });
}

function hold(
  view: View,
  { tx, claimed, isLive }: {
    tx: SignedTransactionRow;
    claimed: Claimed;
    isLive: (claim: ClaimRow) => boolean;
  },
): void {
  for (const { signedId, claim } of claimed.rows) {
    if (signedId !== tx.id) continue;
    // The transaction's own row decides, and that one is verified.
    const row = view.raw.get(Claims, [signedId, claim]);
    const liveClaim = isLive(row) ? claim : null;
    if (row.liveClaim !== liveClaim) view.update(Claims, row, { liveClaim });
  }
}

export function insertClaims(
  view: View,
  { tx, claims }: { tx: SignedTransactionRow; claims: readonly Claim[] },
): void {
  for (const { claim, isOnce } of claims) {
    view.insertKeyed(Claims, {
      signedId: tx.id,
      claim,
      network: tx.network,
      isOnce,
      liveClaim: tx.isLive ? claim : null,
    });
  }
}
