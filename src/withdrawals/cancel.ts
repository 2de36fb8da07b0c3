import { isOpen } from "./rules/moves.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { type WithdrawalRow, Withdrawals } from "./table.ts";
import { read } from "../store/engine/workspace.ts";
import { ApprovalRequests } from "../approvals/table.ts";
import { moveWithdrawal, withdrawalReads } from "../books/move_withdrawal.ts";
import type { Actor, Deps } from "../deps/deps.ts";

/** Possible only before anything is signed, because signed bytes may have been sent. */
export async function cancelWithdrawal(
  deps: Deps,
  { id, actor }: { id: number; actor: Actor },
): Promise<WithdrawalRow> {
  const row = await deps.db.find(Withdrawals, [id]);
  if (!row) throw refuse("withdrawal_unknown", { id });
  return await deps.db.write({
    reads: [...withdrawalReads(row), read(ApprovalRequests, [id])],
    decide: (view) => {
      const current = view.get(Withdrawals, [id]);
      if (isOpen(current.status) && current.transferId !== null) {
        throw refuse("withdrawal_signed", { id });
      }
      const step = { trigger: "cancelled", actor, nowMs: deps.clock.nowMs() } as const;
      const moved = moveWithdrawal(view, { id, step });
      if (!moved) throw refuse("withdrawal_not_pending", { id, status: current.status });
      const request = view.find(ApprovalRequests, [id]);
      if (request) view.update(ApprovalRequests, request, { open: null });
      return moved;
    },
  });
}
