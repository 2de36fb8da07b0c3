import { last } from "../base/lists.ts";
import type { Log } from "../base/log.ts";
import { CREDITED_STATUSES } from "../deposits/rules/transaction_moves.ts";
import { depositsAfter } from "../following/reads.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import { readAll, type View } from "../store/engine/workspace.ts";
import { CREDITS_NOTED } from "../books/trail.ts";
import { placeOf } from "../books/move_transaction.ts";
import { recordAudit } from "../books/records.ts";
import type { SeedDeps } from "./open_key_ring.ts";
import { replaceRoot, type SealedRoot } from "./_replace_root.ts";

const PAGE = 100;
const LOGGED_EVERY_MS = 5_000;
const SUBJECT = "credits";

/**
 * For books from before credits were in the log: adds one row for all current ones. If interrupted,
 * it starts over; adding one twice does no harm.
 */
export async function noteOldCredits(
  deps: SeedDeps & { readonly log: Log },
  root: SealedRoot,
): Promise<void> {
  await noteAll(deps);
  await replaceRoot(deps, {
    root,
    done: { areCreditsNoted: true },
    note: (view) => note(deps, { view, places: [] }),
  });
}

async function noteAll(deps: SeedDeps & { readonly log: Log }): Promise<void> {
  const { db, clock, log } = deps;
  let deposits = 0;
  let loggedAtMs = clock.nowMs();
  for (let afterId = 0;;) {
    const page = await depositsAfter(db, { afterId, limit: PAGE });
    await notePage(deps, page.map(({ id }) => id));
    deposits += page.length;
    if (page.length < PAGE) break;
    afterId = last(page).id;
    if (clock.nowMs() - loggedAtMs < LOGGED_EVERY_MS) continue;
    loggedAtMs = clock.nowMs();
    log.warn("adding older credits to the audit log, once: this may take a while", { deposits });
  }
  if (deposits > 0) log.info("older credits are in the audit log", { deposits });
}

/** As they are in the unit, so that nothing is taken back in between. */
async function notePage(deps: SeedDeps, ids: readonly number[]): Promise<void> {
  await deps.db.write({
    reads: readAll(Transactions, ids.map((id) => [id])),
    decide: (view) => {
      const rows = ids.map((id) => view.raw.find(Transactions, [id])).filter((row) =>
        row !== undefined
      );
      const places = rows.filter(({ status }) => CREDITED_STATUSES.includes(status)).map(placeOf);
      if (places.length > 0) note(deps, { view, places });
    },
  });
}

function note(
  { clock }: SeedDeps,
  { view, places }: { view: View; places: readonly string[] },
): void {
  const row = { actor: "worker", action: CREDITS_NOTED, subject: SUBJECT } as const;
  recordAudit(view, { ...row, detail: { places }, nowMs: clock.nowMs() });
}
