import { zip } from "../base/lists.ts";
import { alertRead, insertAlert } from "../books/alerts.ts";
import { arrivalOf } from "../books/arrival.ts";
import { bidColumns } from "../books/transaction_rows.ts";
import type { ReadBlock, Spend } from "../chains/chain.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { forget } from "./_unanchor.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import { familyOf } from "../chains/registry.ts";
import { paymentsOf } from "../transfers/reads/transfers.ts";
import { type Claimed, insertClaims, loadClaims } from "../books/claims.ts";
import {
  type Paying,
  type SignedPaymentRow,
  SignedPayments,
  type SignedTransactionRow,
  SignedTransactions,
} from "../transfers/table.ts";
import { Addresses } from "../wallets/tables/addresses.ts";
import { Withdrawals } from "../withdrawals/table.ts";

export interface PlannedSpend {
  readonly spend: Spend;
  readonly block: { readonly height: number; readonly hash: string };
  /** The transaction that we signed, if it is one, and its payments. */
  readonly signedId: number | undefined;
  readonly payments: readonly SignedPaymentRow[];
  /** If somebody else signed it, what the books know that it used. */
  readonly claimed: Claimed;
}

interface SpendPlan {
  readonly spends: readonly PlannedSpend[];
  readonly reads: readonly Read[];
}

/** Bytes are saved before they are sent, so all of ours in a block are known by now. */
export async function planSpends(
  deps: Deps,
  { network: { code }, blocks }: { network: NetworkRow; blocks: readonly ReadBlock[] },
): Promise<SpendPlan> {
  const found = blocks.flatMap(({ ref, spends }) => spends.map((spend) => ({ spend, block: ref })));
  const known = await Promise.all(
    found.map(({ spend }) => deps.db.find(SignedTransactions, [code, spend.txHash], "hash")),
  );
  const rows = known.filter((tx) => tx !== undefined);
  const [byId, claimed] = await Promise.all([
    paymentsOf(deps.db, rows),
    loadClaims(deps.db, rows.filter(({ isForeign }) => isForeign)),
  ]);
  const spends = zip(found, known).map(([one, tx]) => ({
    ...one,
    signedId: tx?.id,
    payments: tx ? byId.get(tx.id) ?? [] : [],
    claimed,
  }));
  const payments = [...byId.values()].flat();
  return {
    spends,
    reads: [
      ...spends.flatMap(({ spend }) => [
        read(SignedTransactions, [code, spend.txHash], "hash"),
        read(Addresses, [code, spend.from], "address"),
        alertRead("foreign_spend", spend.txHash),
        alertRead("wallet_halted", spend.from),
      ]),
      ...claimed.reads,
      ...readAll(SignedPayments, payments.map(({ id }) => [id])),
      ...readAll(Transactions, idsOf(payments, (row) => row.transactionId)),
      ...readAll(Withdrawals, idsOf(payments, (row) => row.withdrawalId)),
    ],
  };
}

function idsOf(
  rows: readonly SignedPaymentRow[],
  idOf: (row: SignedPaymentRow) => number | null,
): number[][] {
  return rows.map(idOf).filter((id) => id !== null).map((id) => [id]);
}

/** If it was recorded or booked after it was looked up, its claims and payments aren't known here. */
export function isAsPlanned(
  view: View,
  { network: { code }, spent }: { network: NetworkRow; spent: PlannedSpend },
): boolean {
  const tx = view.raw.find(SignedTransactions, [code, spent.spend.txHash], "hash");
  return tx === undefined || tx.id === spent.signedId;
}

interface SpendFacts extends PlannedSpend {
  readonly network: NetworkRow;
  /** Before this block, only what we signed is recorded. */
  readonly newFrom?: number;
  readonly nowMs: number;
}

/**
 * One of our addresses sent something: either a transaction we signed is now in a block, or somebody
 * else has the key.
 */
export function recordSpend(view: View, facts: SpendFacts): void {
  const { spend, block, network, newFrom = 0 } = facts;
  const tx = view.raw.find(SignedTransactions, [network.code, spend.txHash], "hash");
  if (!tx) return block.height < newFrom ? undefined : recordForeign(view, facts);
  if (lacksClaims(view, { tx, facts })) {
    forget(view, { tx, claimed: facts.claimed });
    return recordForeign(view, facts);
  }
  // When read again it changes nothing, because an operator may have said since that it paid
  // nothing.
  if (tx.state === "settled" && tx.blockHash === block.hash) return;
  const anchor = { blockNumber: block.height, blockHash: block.hash };
  const isGivenUp = tx.state === "abandoned" || tx.state === "superseded";
  if (isGivenUp) alertGivenUp(view, facts);
  view.update(SignedTransactions, tx, {
    ...anchor,
    isSuccessful: spend.succeeded,
    feeRaw: spend.feeRaw.toString(),
    state: isGivenUp ? "open" : tx.state,
  });
  for (const { id } of facts.payments) {
    const payment = view.raw.get(SignedPayments, [id]);
    const isSuccessful = isCarriedOut(payment, spend);
    const arrivedRaw = isSuccessful ? arrivalOf(payment, spend) : null;
    view.update(SignedPayments, payment, { isSuccessful, blockHash: block.hash, arrivedRaw });
    if (!isGivenUp) followBid(view, { network, tx, payment, anchor });
  }
}

/**
 * Somebody else signed it, and not all outputs that it spends were known when it was read: restored
 * books learn of addresses later. Its sender is whose output comes first, so that may change too.
 */
function lacksClaims(
  view: View,
  { tx, facts: { spend, claimed } }: { tx: SignedTransactionRow; facts: SpendFacts },
): boolean {
  if (!tx.isForeign || !spend.uses || !view.isGenuine(SignedTransactions, tx)) return false;
  const own = claimed.rows.filter(({ signedId }) => signedId === tx.id);
  const known = new Set(own.map(({ claim }) => claim));
  return spend.uses.some(({ claim }) => !known.has(claim));
}

/**
 * What the sender itself pays stands and falls with the transaction; in a batch, each by itself. Null
 * if the batch had too little gas left to come to it.
 */
export function isCarriedOut(
  { fromAddress, position }: Pick<SignedPaymentRow, "fromAddress" | "position">,
  { succeeded, from, isWhole = false, carriedOut }: Spend,
): boolean | null {
  if (!succeeded || isWhole || fromAddress === from) return succeeded;
  return carriedOut ? carriedOut[position] ?? null : false;
}

/** Whichever bid is mined, its owner is shown that one. */
export function followBid(
  view: View,
  { network, tx, payment, anchor }: Paying & {
    network: NetworkRow;
    anchor: { blockNumber: number; blockHash: string };
  },
): void {
  const { txHash } = tx;
  const { transactionId, withdrawalId, purpose } = payment;
  const row = transactionId === null ? undefined : view.raw.find(Transactions, [transactionId]);
  if (purpose !== "void" && row?.live === 1) {
    view.update(Transactions, row, { ...anchor, ...bidColumns({ tx, payment }, network) });
  }
  const withdrawal = withdrawalId === null ? undefined : view.raw.find(Withdrawals, [withdrawalId]);
  const isShown = withdrawal?.status === "broadcasted" || withdrawal?.status === "confirmed";
  if (withdrawal && isShown && purpose === "withdrawal" && withdrawal.txHash !== txHash) {
    view.update(Withdrawals, withdrawal, { txHash });
  }
}

function alertGivenUp(view: View, { spend, network, nowMs }: SpendFacts): void {
  insertAlert(view, {
    kind: "foreign_spend",
    subject: spend.txHash,
    message:
      `${spend.from} sent ${spend.txHash} on ${network.code}, which was given up, and its withdrawal failed`,
    nowMs,
  });
}

/**
 * Recorded as a bid for its place: once it is deep enough, our own transactions that claim it have
 * lost.
 */
function recordForeign(view: View, { spend, block, network, nowMs }: SpendFacts): void {
  const message =
    `${spend.from} sent ${spend.txHash} on ${network.code}, which these books did not sign: its ` +
    "key is used elsewhere, or the database was restored from an older backup";
  const advice = { code: "adopt_spend", network: network.code, txHash: spend.txHash } as const;
  const alert = { message, advice, nowMs };
  insertAlert(view, { kind: "foreign_spend", subject: spend.txHash, ...alert });
  const spent = { sender: spend.from, nonce: spend.nonce };
  const tx = view.insert(SignedTransactions, {
    network: network.code,
    sender: spend.from,
    place: spend.nonce,
    isLive: false,
    isForeign: true,
    paymentCount: 0,
    txHash: spend.txHash,
    raw: "",
    nativeCostMaxRaw: "0",
    state: "open",
    blockNumber: block.height,
    blockHash: block.hash,
    isSuccessful: spend.succeeded,
    feeRaw: spend.feeRaw.toString(),
    signedAtHeight: block.height,
    createdAtMs: nowMs,
    sentAtMs: null,
  });
  insertClaims(view, { tx, claims: spend.uses ?? [familyOf(network.family).claimOf(spent)] });
  const wallet = view.raw.find(Addresses, [network.code, spend.from], "address");
  if (!wallet || wallet.haltedReason !== null || spend.nonce < wallet.nonceFloor) return;
  view.update(Addresses, wallet, { haltedReason: message, haltedCode: "used_elsewhere" });
  insertAlert(view, { kind: "wallet_halted", subject: spend.from, ...alert });
}
