import { alertRead, insertAlert } from "../books/alerts.ts";
import { arrivalOf } from "../books/arrival.ts";
import { bidColumns } from "../books/transaction_rows.ts";
import type { ReadBlock, Spend } from "../chains/chain.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import { type SignedTransferRow, SignedTransfers } from "../transfers/table.ts";
import { Addresses } from "../wallets/tables/addresses.ts";
import { Withdrawals } from "../withdrawals/table.ts";

export interface PlannedSpend {
  readonly spend: Spend;
  readonly block: { readonly height: number; readonly hash: string };
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
  const spends = blocks.flatMap(({ ref, spends }) =>
    spends.map((spend) => ({ spend, block: ref }))
  );
  const known = await Promise.all(
    spends.map(({ spend }) => deps.db.find(SignedTransfers, [code, spend.txHash], "hash")),
  );
  const transfers = known.filter((row) => row !== undefined);
  return {
    spends,
    reads: [
      ...spends.flatMap(({ spend }) => [
        read(SignedTransfers, [code, spend.txHash], "hash"),
        read(Addresses, [code, spend.from], "address"),
        alertRead("foreign_spend", spend.txHash),
        alertRead("wallet_halted", spend.from),
      ]),
      ...readAll(Transactions, idsOf(transfers, (row) => row.transactionId)),
      ...readAll(Withdrawals, idsOf(transfers, (row) => row.withdrawalId)),
    ],
  };
}

function idsOf(
  rows: readonly SignedTransferRow[],
  idOf: (row: SignedTransferRow) => number | null,
): number[][] {
  return rows.map(idOf).filter((id) => id !== null).map((id) => [id]);
}

interface SpendFacts extends PlannedSpend {
  readonly network: NetworkRow;
  /** Before this block, only what we signed is recorded. */
  readonly newFrom?: number;
  readonly nowMs: number;
}

/**
 * One of our addresses sent something: either a transfer we signed is now in a block, or somebody
 * else has the key.
 */
export function recordSpend(view: View, facts: SpendFacts): void {
  const { spend, block, network, newFrom = 0 } = facts;
  const transfer = view.raw.find(SignedTransfers, [network.code, spend.txHash], "hash");
  if (!transfer) return block.height < newFrom ? undefined : recordForeign(view, facts);
  // When read again it changes nothing, because an operator may have said since that it paid
  // nothing.
  if (transfer.state === "settled" && transfer.blockHash === block.hash) return;
  const anchor = { blockNumber: block.height, blockHash: block.hash };
  const isGivenUp = transfer.state === "abandoned" || transfer.state === "superseded";
  if (isGivenUp) alertGivenUp(view, facts);
  view.update(SignedTransfers, transfer, {
    ...anchor,
    isSuccessful: spend.succeeded,
    feeRaw: spend.feeRaw.toString(),
    arrivedRaw: arrivalOf(transfer, spend),
    state: isGivenUp ? "open" : transfer.state,
  });
  if (isGivenUp) return;
  followBid(view, { network, transfer, anchor });
}

/** Whichever bid is mined, its owner is shown that one. */
export function followBid(
  view: View,
  { network, transfer, anchor }: {
    network: NetworkRow;
    transfer: SignedTransferRow;
    anchor: { blockNumber: number; blockHash: string };
  },
): void {
  const { txHash, transactionId, withdrawalId, purpose } = transfer;
  const row = transactionId === null ? undefined : view.raw.find(Transactions, [transactionId]);
  if (purpose !== "void" && row?.live === 1) {
    view.update(Transactions, row, { ...anchor, ...bidColumns(transfer, network) });
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
 * Recorded as a bid for its nonce: once it is deep enough, our own transfers with that nonce have
 * lost.
 */
function recordForeign(view: View, { spend, block, network, nowMs }: SpendFacts): void {
  const message =
    `${spend.from} sent ${spend.txHash} on ${network.code}, which these books did not sign: its ` +
    "key is used elsewhere, or the database was restored from an older backup";
  const advice = { code: "adopt_spend", network: network.code, txHash: spend.txHash } as const;
  const alert = { message, advice, nowMs };
  insertAlert(view, { kind: "foreign_spend", subject: spend.txHash, ...alert });
  view.insert(SignedTransfers, {
    network: network.code,
    sender: spend.from,
    nonce: spend.nonce,
    liveNonce: null,
    txHash: spend.txHash,
    raw: "",
    purpose: "foreign",
    withdrawalId: null,
    sweepId: null,
    transactionId: null,
    toAddress: "",
    contractAddress: null,
    amountRaw: "0",
    nativeCostMaxRaw: "0",
    state: "open",
    blockNumber: block.height,
    blockHash: block.hash,
    isSuccessful: spend.succeeded,
    feeRaw: spend.feeRaw.toString(),
    arrivedRaw: null,
    signedAtHeight: block.height,
    createdAtMs: nowMs,
    sentAtMs: null,
    callsCode: null,
  });
  const wallet = view.raw.find(Addresses, [network.code, spend.from], "address");
  if (!wallet || wallet.haltedReason !== null || spend.nonce < wallet.nonceFloor) return;
  view.update(Addresses, wallet, { haltedReason: message, haltedCode: "used_elsewhere" });
  insertAlert(view, { kind: "wallet_halted", subject: spend.from, ...alert });
}
