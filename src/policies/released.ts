import { isUnpaid } from "../withdrawals/rules/moves.ts";
import { last } from "../base/lists.ts";
import type { Payment } from "./rules/rules.ts";
import { type Release, releasesToCount } from "./reads/policies.ts";
import { LedgerEntries } from "../books/table.ts";
import { ApprovalRequests } from "../approvals/table.ts";
import { PolicyCursor } from "./table.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { isGenuine } from "../books/tampered.ts";
import { REQUESTED } from "../books/trail.ts";
import { AuditLog } from "../audit/table.ts";
import type { Deps } from "../deps/deps.ts";
import { bookRead, CURSOR, CURSOR_ID, RulesChanged } from "./book.ts";
import type { Book, Counted } from "./known.ts";
import { takeOut as takeOutOf, takeOutReads } from "./count.ts";
import { paymentOf } from "./payment.ts";
import { countedBy } from "./plan.ts";

const AT_ONCE = 100;

/** Payments that ended unpaid count no more from here on. */
export async function takeOutReleased(deps: Deps, book: Book, most = Infinity): Promise<void> {
  for (let taken = 0; taken < most; taken += AT_ONCE) {
    const releases = await releasesToCount(deps.db, AT_ONCE);
    for (const some of inRuns(await Promise.all(releases.map((one) => lookAt(deps, book, one))))) {
      await takeOut(deps, { book, some });
    }
    if (releases.length < AT_ONCE) return;
  }
}

interface Released extends Release {
  readonly row: WithdrawalRow;
  readonly payment: Payment;
  readonly counted: readonly Counted[];
}

async function lookAt(deps: Deps, book: Book, release: Release): Promise<Released> {
  const [row, catalog] = await Promise.all([
    deps.db.get(Withdrawals, [release.withdrawalId]),
    deps.catalog.current(),
  ]);
  const payment = paymentOf(catalog, row);
  return { ...release, row, payment, counted: countedBy(deps, book, payment) };
}

/** Each that a limit counts alone, and those between them, however many, together. */
function inRuns(releases: readonly Released[]): Released[][] {
  const runs: Released[][] = [];
  for (const release of releases) {
    const before = runs.at(-1);
    const isUncounted = before?.at(-1)?.counted.length === 0 && release.counted.length === 0;
    if (before && isUncounted) before.push(release);
    else runs.push([release]);
  }
  return runs;
}

async function takeOut(
  deps: Deps,
  { book, some }: { book: Book; some: readonly Released[] },
): Promise<void> {
  const release = last(some);
  if (release.counted.length > 0) return await takeOutOne(deps, { book, release });
  await deps.db.write({
    reads: [CURSOR, bookRead()],
    decide: (view) => moveOn(view, { book, entryId: release.entryId }),
  });
}

/** False if another request was first. */
function moveOn(view: View, { book, entryId }: { book: Book; entryId: number }): boolean {
  if (!isNext(view, entryId)) return false;
  const version = view.rowOf(bookRead())?.version ?? 0;
  if (version !== book.version) throw new RulesChanged();
  view.update(PolicyCursor, view.get(PolicyCursor, [CURSOR_ID]), { entryId });
  return true;
}

async function takeOutOne(
  deps: Deps,
  { book, release: { entryId, withdrawalId, row, payment, counted } }: {
    book: Book;
    release: Released;
  },
): Promise<void> {
  const [noted, request] = await Promise.all([
    deps.db.list(AuditLog, { subject: `withdrawal:${withdrawalId}` }),
    deps.db.find(ApprovalRequests, [withdrawalId]),
  ]);
  // A payment adopted after a restore was never requested here, so it was never counted.
  const isOurs = noted.some(({ action }) => action === REQUESTED) &&
    await isGenuine(deps, Withdrawals, row) &&
    (!request || await isGenuine(deps, ApprovalRequests, request));
  const countedAtMs = request?.countedAtMs ?? row.requestedAtMs;
  await deps.db.write({
    reads: [
      ...[CURSOR, bookRead(), read(Withdrawals, [withdrawalId])],
      ...counted.map(({ counter }) => counter.read),
      ...takeOutReads(counted, countedAtMs),
    ],
    decide: (view) => {
      // Any other payment still counts, which can only make the rules stricter.
      if (moveOn(view, { book, entryId }) && isOurs && wasReleased(view, withdrawalId)) {
        takeOutOf(view, { counted, payment, countedAtMs, nowMs: view.nowMs, entryId });
      }
    },
  });
}

/** False if another request was first. */
function isNext(view: View, entryId: number): boolean {
  const cursor = view.rowOf(CURSOR);
  if (!cursor) {
    // Somebody deleted it. Starting over would take everything out twice.
    view.insertKeyed(PolicyCursor, { id: CURSOR_ID, entryId: view.lastId(LedgerEntries) });
    return false;
  }
  return cursor.entryId < entryId;
}

function wasReleased(view: View, id: number): boolean {
  const row = view.raw.get(Withdrawals, [id]);
  return view.isGenuine(Withdrawals, row) && isUnpaid(row.status);
}
