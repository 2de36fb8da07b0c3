import { present } from "../base/assert.ts";
import { recordAudit } from "../books/records.ts";
import { checkNotStopped, stopRead } from "../books/stopped.ts";
import { SIGNED } from "../books/trail.ts";
import type { Chain } from "../chains/chain.ts";
import type { SignedTransfer } from "../chains/transfer.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import { NetworkCursors } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import type { Authority, Spend } from "./authorise.ts";
import { type SignedTransferRow, SignedTransfers } from "./table.ts";

/** Somebody else has already moved its owner on, so nothing is saved. */
export class AlreadyMoved extends Error {
  override name = "AlreadyMoved";
}

export interface SigningOrder extends Spend {
  readonly chain: Chain;
  /** A gap to fill; otherwise the next free nonce. */
  readonly nonce?: number;
  /** The rows that `claim` needs. */
  readonly reads?: readonly Read[];
  /** Runs in the unit that saves the bytes; if it throws, nothing is saved. */
  claim?(view: View, transfer: SignedTransferRow): void;
}

interface Saving extends SigningOrder {
  readonly authority: Authority;
  readonly signed: SignedTransfer;
  /** All earlier bids for its nonce. */
  readonly rivals: readonly SignedTransferRow[];
  readonly height: number;
}

/** The nonce is ours only if nobody else wrote since: then nothing is saved, and nothing sent. */
export async function saveSigned(deps: Deps, saving: Saving): Promise<SignedTransferRow> {
  const { network, wallet, signed, outbids, rivals, authority, reads = [] } = saving;
  return await deps.db.write({
    reads: [
      stopRead(),
      read(NetworkCursors, [network.code]),
      read(SignedTransfers, [network.code, wallet.address, signed.nonce], "nonce"),
      read(SignedTransfers, [network.code, signed.txHash], "hash"),
      ...readAll(SignedTransfers, rivals.map(({ id }) => [id])),
      ...authority.reads,
      ...reads,
    ],
    decide: (view) => {
      checkNotStopped(view);
      checkNotHalted(view, network);
      if (outbids) replaceNewest(view, { newest: outbids, rivals });
      authority.check(view);
      const nowMs = deps.clock.nowMs();
      const transfer = insertTransfer(view, { ...saving, nowMs });
      noteSigned(view, { transfer, nowMs });
      saving.claim?.(view, transfer);
      return transfer;
    },
  });
}

/** The books of a halted network may be wrong about deposits, so nothing is paid out. */
function checkNotHalted(view: View, { code }: NetworkRow): void {
  const cursor = view.get(NetworkCursors, [code]);
  if (cursor.haltedReason !== null) {
    throw new CannotPay("The network is halted until its operator has looked");
  }
}

/** Any bid may be mined, and the newest owns the nonce; once one is in a block, none may follow. */
function replaceNewest(
  view: View,
  { newest, rivals }: { newest: SignedTransferRow; rivals: readonly SignedTransferRow[] },
): void {
  const rows = rivals.map(({ id }) => view.get(SignedTransfers, [id]));
  const row = present(rows.find(({ id }) => id === newest.id), "It is one of the bids");
  const isNewest = row.state === "open" && row.liveNonce !== null;
  if (!isNewest || rows.some(({ blockHash }) => blockHash !== null)) throw new AlreadyMoved();
  view.update(SignedTransfers, row, { liveNonce: null });
}

function insertTransfer(view: View, saving: Saving & { nowMs: number }): SignedTransferRow {
  const { network, wallet, prepared, purpose, signed, nowMs } = saving;
  const { withdrawalId = null, sweepId = null } = saving;
  // Signing an abandoned order again produces the same bytes, so it reuses their row.
  const same = view.find(SignedTransfers, [network.code, signed.txHash], "hash");
  if (same?.state === "abandoned") {
    return view.update(SignedTransfers, same, {
      state: "open",
      liveNonce: signed.nonce,
      purpose,
      withdrawalId,
      sweepId,
      sentAtMs: null,
    });
  }
  return view.insert(SignedTransfers, {
    network: network.code,
    sender: wallet.address,
    nonce: signed.nonce,
    liveNonce: signed.nonce,
    txHash: signed.txHash,
    raw: signed.raw,
    purpose,
    withdrawalId,
    sweepId,
    transactionId: saving.outbids?.transactionId ?? null,
    toAddress: prepared.request.to,
    contractAddress: prepared.request.contract,
    amountRaw: prepared.request.amountRaw.toString(),
    nativeCostMaxRaw: prepared.nativeCostMaxRaw.toString(),
    state: "open",
    blockNumber: 0,
    blockHash: null,
    isSuccessful: null,
    feeRaw: null,
    arrivedRaw: null,
    signedAtHeight: saving.height,
    createdAtMs: nowMs,
    sentAtMs: null,
    callsCode: prepared.callsCode ? true : null,
  });
}

/** Recorded before any node sees it, so that restoring old rows can't get it signed again. */
function noteSigned(
  view: View,
  { transfer: { withdrawalId, txHash }, nowMs }: { transfer: SignedTransferRow; nowMs: number },
): void {
  if (withdrawalId === null) return;
  recordAudit(view, {
    actor: "worker",
    action: SIGNED,
    subject: `withdrawal:${withdrawalId}`,
    detail: { tx_hash: txHash },
    nowMs,
  });
}
