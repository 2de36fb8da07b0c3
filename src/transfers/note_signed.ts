import type { SignedTransferRow } from "./table.ts";
import type { View } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { SIGNED } from "../books/trail.ts";

/** Recorded before any node sees it, so that restoring old rows can't get it signed again. */
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
