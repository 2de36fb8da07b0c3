import { present } from "../base/assert.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { NetworkCursors } from "../following/table.ts";
import { type TransactionRow, Transactions } from "./tables/transactions.ts";
import { read } from "../store/engine/workspace.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { depositReads, moveDeposit } from "../books/move_transaction.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";

/**
 * Books that a deposit's money is gone from its address. Not possible once it is being swept or
 * was. Whatever is left of it then counts as surplus.
 */
export async function reverseDeposit(
  deps: Deps,
  { id, note, actor }: { id: number; note: string; actor: Actor },
): Promise<TransactionRow> {
  const known = await deps.db.find(Transactions, [id]);
  if (known?.direction !== "deposit") throw refuse("deposit_unknown", { id });
  return await deps.db.write({
    reads: [
      ...depositReads(known),
      read(NetworkCursors, [known.network]),
      alertRead("deposit_orphaned", `transaction:${id}`),
    ],
    decide: (view) => {
      const row = view.get(Transactions, [id]);
      if (row.status !== "confirmed") {
        throw refuse("deposit_not_reversible", { id, status: row.status });
      }
      const nowMs = deps.clock.nowMs();
      const { topHeight } = view.get(NetworkCursors, [row.network]);
      const subject = `transaction:${id}`;
      const reversed = { amount: row.amount, txHash: row.txHash, note };
      const detail = { ...reversed, from: row.status, to: "failed" };
      recordAudit(view, { actor, action: "deposit.reversed", subject, detail, nowMs });
      closeAlert(view, { kind: "deposit_orphaned", subject, nowMs });
      const moved = moveDeposit(view, { row, step: { trigger: "vanished", topHeight, nowMs } });
      return present(moved, "It may be reversed");
    },
  });
}
