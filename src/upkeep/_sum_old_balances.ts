import { present } from "../base/assert.ts";
import { recordAudit } from "../books/records.ts";
import { catchUp, readBalances } from "../integrity/sum_balances.ts";
import type { SeedDeps } from "./open_key_ring.ts";
import { replaceRoot, type SealedRoot } from "./_replace_root.ts";

/** For books from before balances were summed: sums them once, as they are. */
export async function sumOldBalances(deps: SeedDeps, root: SealedRoot): Promise<void> {
  const { db, clock } = deps;
  const seals = present(db.seals(), "Books are open");
  const summed = await readBalances(db, seals);
  const { difference, kept } = await catchUp(db, summed, seals);
  const nowMs = clock.nowMs();
  await replaceRoot(deps, {
    root,
    done: { summedFromMs: nowMs },
    note: (view) => {
      // If somebody puts an old secret back, this must not happen a second time.
      if (kept.turn === 0) view.correctSum(difference);
      recordAudit(view, {
        actor: "worker",
        action: "books.balances_summed",
        subject: "balances",
        detail: { balances: summed.terms.size },
        nowMs,
      });
    },
  });
}
