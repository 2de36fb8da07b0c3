import type { SignedTransferRow } from "../../store/tables/signed_transfers.ts";
import type { View } from "../../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";

export const SIGNED = "withdrawal.signed";
/** A payment of ours that the books did not know. */
export const ADOPTED = "transfer.adopted";

/** Before any node sees it: whoever puts the rows back to before cannot have it signed again. */
export function noteSigned(
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
