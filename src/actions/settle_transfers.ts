import { present } from "../base/assert.ts";
import { openTransfersOfNetwork } from "../store/transfer_reads.ts";
import type { NetworkCursorRow, NetworkRow, SignedTransferRow } from "../store/rows.ts";
import { NetworkCursors, SignedTransfers, Transactions, Withdrawals } from "../store/tables.ts";
import { type Read, read, type View } from "../store/workspace.ts";
import { alertRead, insertAlert } from "./_alerts.ts";
import { moveOutgoing, OUTGOING_POSITION } from "./_move_transaction.ts";
import { moveWithdrawal } from "./_move_withdrawal.ts";
import { balanceRead } from "./_records.ts";
import type { Deps } from "./deps.ts";
import { cursorOf } from "./follow_network.ts";

/** Between two sendings of the same bytes. */
const RESEND_AFTER_MS = 10_000;
const RESENDS_PER_WALLET_MAX = 16;

/** Follows everything signed to its end: deep enough in the chain, or certain never to be. */
export async function settleTransfers(deps: Deps, network: NetworkRow): Promise<number> {
  const cursor = await cursorOf(deps, network);
  if (cursor.haltedReason !== null) return 0;
  const open = await openTransfersOfNetwork(deps.db, network.code);
  const deep = open.filter((row) => isDeep(row, { cursor, network }));
  await Promise.all(deep.map((row) => settle(deps, { network, row, replacedAt: undefined })));
  const unseen = unseenToAskFor(open, deps.clock.nowMs());
  for (const row of unseen) await resend(deps, { network, row });
  return deep.length;
}

function isDeep(
  row: SignedTransferRow,
  { cursor, network }: { cursor: NetworkCursorRow; network: NetworkRow },
): boolean {
  const depth = cursor.scanHeight - row.blockNumber + 1;
  if (row.blockHash === null || depth < network.minConfirmations) return false;
  return network.finality === "none" || row.blockNumber <= (cursor.finalizedHeight ?? -1);
}

/** The lowest nonces of each wallet: nothing above them can be mined first. */
function unseenToAskFor(open: readonly SignedTransferRow[], nowMs: number): SignedTransferRow[] {
  const perWallet = new Map<string, number>();
  return open.filter((row) => {
    if (row.blockHash !== null) return false;
    const count = perWallet.get(row.sender) ?? 0;
    perWallet.set(row.sender, count + 1);
    return count < RESENDS_PER_WALLET_MAX &&
      nowMs - (row.sentAtMs ?? row.createdAtMs) >= RESEND_AFTER_MS;
  });
}

interface TransferOrder {
  readonly network: NetworkRow;
  readonly row: SignedTransferRow;
}

/** The same bytes again, unless the chain says that they can never be mined any more. */
async function resend(deps: Deps, { network, row }: TransferOrder): Promise<void> {
  const chain = deps.chains.of(network);
  const sent = { txHash: row.txHash, sender: row.sender, nonce: row.nonce };
  const outcome = await chain.outcome(sent, { depth: network.minConfirmations });
  if (outcome.kind === "replaced") {
    return await settle(deps, { network, row, replacedAt: outcome.height });
  }
  if (outcome.kind === "included") return;
  const result = await chain.broadcast(row.raw);
  deps.log.info("transfer sent again", {
    network: network.code,
    tx_hash: row.txHash,
    result: result.kind,
  });
  await deps.db.write({
    reads: [read(SignedTransfers, [row.id])],
    decide: (view) => {
      const current = present(view.find(SignedTransfers, [row.id]), "A saved transfer stays");
      view.update(SignedTransfers, current, { sentAtMs: deps.clock.nowMs() });
    },
  });
}

async function settle(
  deps: Deps,
  { network, row, replacedAt }: TransferOrder & { replacedAt: number | undefined },
): Promise<void> {
  const withdrawal = row.withdrawalId === null
    ? undefined
    : present(await deps.db.find(Withdrawals, [row.withdrawalId]), "A withdrawal stays");
  const reads: Read[] = [
    read(SignedTransfers, [row.id]),
    read(NetworkCursors, [network.code]),
    read(Transactions, [network.code, row.txHash, OUTGOING_POSITION, 1], "movement"),
    alertRead("withdrawal_dropped", `withdrawal:${row.withdrawalId}`),
    ...withdrawal ? [read(Withdrawals, [withdrawal.id]), balanceRead(withdrawal)] : [],
  ];
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads,
    decide: (view) => {
      const current = present(view.find(SignedTransfers, [row.id]), "A saved transfer stays");
      const cursor = present(view.find(NetworkCursors, [network.code]), "A network has a cursor");
      // Our own reading must have passed the block that used the nonce: it would have seen these bytes.
      const isSettled = replacedAt === undefined
        ? isDeep(current, { cursor, network })
        : current.blockHash === null && cursor.scanHeight >= replacedAt;
      // Whoever sent it has not recorded that yet: first things first.
      const isRecorded = !withdrawal ||
        view.find(Withdrawals, [withdrawal.id])!.status !== "pending";
      if (current.state !== "open" || !isSettled || !isRecorded) return;
      view.update(
        SignedTransfers,
        current,
        replacedAt === undefined ? { state: "settled" } : { state: "abandoned", liveNonce: null },
      );
      settleOwner(view, { network, transfer: current, replaced: replacedAt !== undefined, nowMs });
    },
  });
}

interface OwnerFacts {
  readonly network: NetworkRow;
  readonly transfer: SignedTransferRow;
  readonly replaced: boolean;
  readonly nowMs: number;
}

function settleOwner(view: View, { network, transfer, replaced, nowMs }: OwnerFacts): void {
  const isPaid = !replaced && transfer.isSuccessful === true;
  const row = view.find(
    Transactions,
    [network.code, transfer.txHash, OUTGOING_POSITION, 1],
    "movement",
  );
  if (row) moveOutgoing(view, { row, trigger: isPaid ? "confirmed" : "failed", nowMs });
  if (transfer.withdrawalId === null) return;
  const trigger = isPaid ? "confirmed" : replaced ? "dropped" : "reverted";
  const errorMessage = replaced
    ? "Another transaction of the hot wallet took its nonce"
    : "The transaction was mined and reverted";
  const step = { trigger, actor: "worker", nowMs, errorMessage } as const;
  moveWithdrawal(view, { id: transfer.withdrawalId, step });
  if (!replaced) return;
  insertAlert(view, {
    kind: "withdrawal_dropped",
    subject: `withdrawal:${transfer.withdrawalId}`,
    message:
      `${transfer.txHash} on ${network.code} lost its nonce ${transfer.nonce} to another transaction`,
    nowMs,
  });
}
