import { last } from "../base/lists.ts";
import { raiseAlert } from "../books/alerts.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPayYet } from "../domain/cannot_pay.ts";
import { pendingWithdrawals } from "../following/reads.ts";
import { refundHeld, waitingRefunds } from "../invoices/refund_room.ts";
import type { NetworkRow } from "../networks/table.ts";
import { broadcastWithdrawal } from "./broadcast.ts";
import { waitingAlert } from "./failing.ts";
import { heldByInvoice } from "./held_back.ts";

/** Longer than any request lives, so whoever made it is gone. */
const ABANDONED_AFTER_MS = 20_000;
const WITHDRAWALS_PER_STEP_MAX = 50;

/** Takes on what a stopped program left pending: saved bytes are sent, the rest is signed and sent. */
export async function resumeWithdrawals(deps: Deps, network: NetworkRow): Promise<number> {
  const nowMs = deps.clock.nowMs();
  const { resumedTo } = deps.memory;
  const left = await pendingWithdrawals(deps.db, {
    network: network.code,
    afterId: resumedTo.get(network.code) ?? 0,
    // Times further ahead are from before the clock was set back.
    requestedAfterMs: nowMs + ABANDONED_AFTER_MS,
    // If no other server uses the database, everything older than this program is abandoned.
    requestedBeforeMs: Math.max(nowMs - ABANDONED_AFTER_MS, (deps.exclusiveSinceMs ?? 0) - 1),
    exceptIds: waitingRefunds(deps),
    limit: WITHDRAWALS_PER_STEP_MAX,
  });
  resumedTo.set(network.code, left.length < WITHDRAWALS_PER_STEP_MAX ? 0 : last(left).id);
  let resumed = 0;
  for (const withdrawal of left) {
    try {
      const row = await broadcastWithdrawal(deps, withdrawal, { actor: "worker" });
      deps.log.info("withdrawal resumed", { withdrawal_id: row.id, status: row.status });
      resumed++;
    } catch (error) {
      if (error instanceof CannotPayYet) {
        const invoiceId = heldByInvoice(error);
        if (invoiceId !== undefined) {
          refundHeld(deps, { withdrawalId: withdrawal.id, invoiceId });
          continue;
        }
        const alert = waitingAlert(withdrawal, error);
        if (alert) await raiseAlert(deps, alert);
        continue;
      }
      if (!(error instanceof NodeError)) throw error;
      deps.log.warn("withdrawal waits for the node", {
        withdrawal_id: withdrawal.id,
        error: error.message,
      });
    }
  }
  return resumed;
}
