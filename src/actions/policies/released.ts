import { type Release, releasesToCount } from "../../store/reads/control/policies.ts";
import { ApprovalRequests } from "../../store/tables/control/approvals.ts";
import { PolicyCursor } from "../../store/tables/control/policies.ts";
import { Withdrawals } from "../../store/tables/withdrawals.ts";
import { read } from "../../store/engine/workspace.ts";
import { mustBeGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";
import { bookRead, metersFor, RulesChanged } from "./book.ts";
import type { Book } from "./known.ts";
import { takeOut, takeOutReads } from "./count.ts";
import { paymentOf } from "./payment.ts";

export const CURSOR = read(PolicyCursor, [1]);
const AT_ONCE = 100;

/** Payments that ended unpaid count no more from here on. */
export async function takeOutReleased(deps: Deps, book: Book): Promise<void> {
  for (;;) {
    const releases = await releasesToCount(deps.db, AT_ONCE);
    for (const release of releases) await takeOutOne(deps, { book, release });
    if (releases.length < AT_ONCE) return;
  }
}

async function takeOutOne(
  deps: Deps,
  { book, release }: { book: Book; release: Release },
): Promise<void> {
  const [row, request, catalog] = await Promise.all([
    deps.db.get(Withdrawals, [release.withdrawalId]),
    deps.db.find(ApprovalRequests, [release.withdrawalId]),
    deps.catalog.current(),
  ]);
  const payment = paymentOf(catalog, row);
  const countedAtMs = request?.countedAtMs ?? row.requestedAtMs;
  const meters = metersFor(book, payment);
  await deps.db.write({
    reads: [CURSOR, bookRead(), ...takeOutReads({ meters, payment }, countedAtMs)],
    decide: (view) => {
      const cursor = view.rowOf(CURSOR);
      if (cursor) mustBeGenuine(view, PolicyCursor, cursor);
      // Another request was first.
      if ((cursor?.entryId ?? 0) >= release.entryId) return;
      const version = view.rowOf(bookRead())?.version ?? 0;
      if (version !== book.version) throw new RulesChanged();
      takeOut(view, { meters, payment, countedAtMs, nowMs: view.nowMs });
      if (cursor) view.update(PolicyCursor, cursor, { entryId: release.entryId });
      else view.insertKeyed(PolicyCursor, { id: 1, entryId: release.entryId });
    },
  });
}
