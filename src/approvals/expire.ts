import { last } from "../base/lists.ts";
import { hotWalletOf } from "../wallets/reads/addresses.ts";
import { expiredRequests } from "./reads/approvals.ts";
import { ApprovalRequests } from "./table.ts";
import { Withdrawals } from "../withdrawals/table.ts";
import { ActionRefused } from "../domain/refusals/refuse.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import { isRestored } from "../wallets/halt.ts";
import type { Deps } from "../deps/deps.ts";
import { endWaiting, waitingIn, waitingReads } from "./waiting.ts";

const AT_ONCE = 100;

/** Whatever nobody approved in time is cancelled, also if the time ended while nothing ran. */
export async function expireApprovals(deps: Deps): Promise<number> {
  let ended = 0;
  let afterId = 0;
  for (;;) {
    const ids = await expiredRequests(deps.db, {
      nowMs: deps.clock.nowMs(),
      afterId,
      limit: AT_ONCE,
    });
    for (const id of ids) if (await expire(deps, id)) ended++;
    if (ids.length < AT_ONCE) return ended;
    afterId = last(ids);
  }
}

async function expire(deps: Deps, id: number): Promise<boolean> {
  const row = await deps.db.get(Withdrawals, [id]);
  const wallet = await hotWalletOf(deps.db, row);
  // Restored books don't know whether it was approved and paid since.
  if (wallet && isRestored(wallet)) return false;
  try {
    return await deps.db.write({
      reads: waitingReads(row),
      decide: (view) => {
        // Paid before a restore, and adopted since.
        const request = view.find(ApprovalRequests, [id]);
        if (request && view.get(Withdrawals, [id]).status !== "pending") {
          view.update(ApprovalRequests, request, { open: null });
          return false;
        }
        const waiting = waitingIn(view, id);
        if (waiting.request.expiresAtMs > view.nowMs) return false;
        endWaiting(view, waiting, { trigger: "expired", actor: "worker" });
        return true;
      },
    });
  } catch (error) {
    // Somebody was first, or the operator has been alerted.
    if (error instanceof ActionRefused || error instanceof TamperedRow) return false;
    throw error;
  }
}
