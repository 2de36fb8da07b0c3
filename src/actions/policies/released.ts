import { type Release, releasesToCount } from "../../store/reads/control/policies.ts";
import { LedgerEntries } from "../../store/tables/ledger.ts";
import { ApprovalRequests } from "../../store/tables/control/approvals.ts";
import { PolicyCursor } from "../../store/tables/control/policies.ts";
import { Withdrawals } from "../../store/tables/withdrawals.ts";
import { read, type View } from "../../store/engine/workspace.ts";
import { isGenuine, mustBeGenuine } from "../books/tampered.ts";
import { REQUESTED } from "../books/trail.ts";
import { AuditLog } from "../../store/tables/audit.ts";
import type { Deps } from "../deps.ts";
import { bookRead, CURSOR, CURSOR_ID, RulesChanged } from "./book.ts";
import type { Book } from "./known.ts";
import { takeOut, takeOutReads } from "./count.ts";
import { paymentOf } from "./payment.ts";
import { countedBy } from "./plan.ts";

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
  { book, release: { entryId, withdrawalId } }: { book: Book; release: Release },
): Promise<void> {
  const [row, noted, request, catalog] = await Promise.all([
    deps.db.get(Withdrawals, [withdrawalId]),
    deps.db.list(AuditLog, { subject: `withdrawal:${withdrawalId}` }),
    deps.db.find(ApprovalRequests, [withdrawalId]),
    deps.catalog.current(),
  ]);
  // What was adopted after a restore was never requested here, and so not counted.
  const isOurs = noted.some(({ action }) => action === REQUESTED) &&
    await isGenuine(deps, Withdrawals, row) &&
    (!request || await isGenuine(deps, ApprovalRequests, request));
  const payment = paymentOf(catalog, row);
  const countedAtMs = request?.countedAtMs ?? row.requestedAtMs;
  const counted = countedBy(deps, book, payment);
  await deps.db.write({
    reads: [
      ...[CURSOR, bookRead(), read(Withdrawals, [withdrawalId])],
      ...counted.map(({ counter }) => counter.read),
      ...takeOutReads(counted, countedAtMs),
    ],
    decide: (view) => {
      if (!isNext(view, entryId)) return;
      const version = view.rowOf(bookRead())?.version ?? 0;
      if (version !== book.version) throw new RulesChanged();
      // Anything else goes on counting if it does: that can only refuse more.
      if (isOurs && isUnpaid(view, withdrawalId)) {
        takeOut(view, { counted, payment, countedAtMs, nowMs: view.nowMs, entryId });
      }
      view.update(PolicyCursor, view.get(PolicyCursor, [CURSOR_ID]), { entryId });
    },
  });
}

/** False if another request was first. */
function isNext(view: View, entryId: number): boolean {
  const cursor = view.rowOf(CURSOR);
  if (!cursor) {
    // Somebody deleted it. From the start, everything would be taken out again.
    view.insertKeyed(PolicyCursor, { id: CURSOR_ID, entryId: view.lastId(LedgerEntries) });
    return false;
  }
  mustBeGenuine(view, PolicyCursor, cursor);
  return cursor.entryId < entryId;
}

function isUnpaid(view: View, id: number): boolean {
  const row = view.get(Withdrawals, [id]);
  return view.isGenuine(Withdrawals, row) &&
    (row.status === "failed" || row.status === "cancelled");
}
