import { present } from "../../base/assert.ts";
import { type RootSecret, writeRoot } from "../../keys/root_secret.ts";
import { Secrets } from "../../store/tables/setup.ts";
import { read } from "../../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { catchUp, readBalances } from "../integrity/sum_balances.ts";
import { SEED, SEED_CONTEXT, type SeedDeps } from "./open_key_ring.ts";

/** For books from before balances were summed: sums them once, as they are. */
export async function sumOldBalances(
  { db, vault, clock }: SeedDeps,
  { root, sealed: before }: { root: RootSecret; sealed: string },
): Promise<void> {
  const summed = await readBalances(db, present(db.seals(), "Books are open"));
  const { difference, kept } = await catchUp(db, summed, present(db.seals(), "Books are open"));
  const nowMs = clock.nowMs();
  const seals = { ...root.seals!, summedFromMs: nowMs };
  const sealed = await vault.seal(writeRoot({ ...root, seals }), SEED_CONTEXT);
  await db.write({
    reads: [read(Secrets, [SEED])],
    decide: (view) => {
      const stored = view.find(Secrets, [SEED]);
      if (stored?.sealed !== before) return;
      view.update(Secrets, stored, { sealed });
      // If somebody puts an old secret back, this must not happen a second time.
      if (kept.turn === 0) view.correctSum(difference);
      const detail = { balances: summed.terms.size };
      const entry = {
        actor: "worker",
        action: "books.balances_summed",
        subject: "balances",
      } as const;
      recordAudit(view, { ...entry, detail, nowMs });
    },
  });
}
