import type { WithdrawalRow } from "../withdrawals/table.ts";
import { recordAudit } from "../books/records.ts";
import type { Deps } from "../deps/deps.ts";
import type { Decision } from "./approve.ts";
import { deciderReads, mayDecide, mustNotBeSuspended } from "./decider.ts";
import { endWaiting, findWaiting, waitingIn, waitingReads } from "./waiting.ts";

/** Never paid: the money goes back to the balance. */
export async function rejectWithdrawal(
  deps: Deps,
  { id, decider, reason }: Decision & { reason: string },
): Promise<WithdrawalRow> {
  const { row } = await findWaiting(deps, id);
  const { actor } = decider;
  return await deps.db.write({
    reads: [...waitingReads(row), ...deciderReads(decider)],
    decide: (view) => {
      const waiting = waitingIn(view, id);
      mayDecide(waiting.request, decider);
      mustNotBeSuspended(view, decider);
      const subject = `withdrawal:${id}`;
      const detail = { reason, from: "pending", to: "cancelled" };
      const { nowMs } = view;
      recordAudit(view, { actor, action: "withdrawal.reject", subject, detail, nowMs });
      return endWaiting(view, waiting, { trigger: "rejected", actor });
    },
  });
}
