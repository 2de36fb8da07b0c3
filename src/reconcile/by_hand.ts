import type { Difference, Surplus, WrongSums } from "./rules/difference.ts";
import { auditPage } from "../audit/reads/page.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import type { ReconcileRun } from "../deps/memory.ts";
import { findNetwork } from "../books/find.ts";
import { reconcile, type Reconciled } from "./reconcile.ts";

/** The result of one run, as stored in the audit log. */
export type ReconcileReport = {
  readonly network: string | null;
  /** Every currency on every deposit address; absent in older reports. */
  readonly isEverywhere?: boolean;
  readonly tookMs: number;
  readonly differenceCount: number;
  readonly surplusCount: number;
  /** The first of them. */
  readonly differences: readonly Difference[];
  readonly surplus: readonly Surplus[];
  readonly skipped: Reconciled["skipped"];
  /** The first invoices whose sums were wrong; absent in older reports. */
  readonly invoices?: readonly WrongSums[];
  /** Why it ended early; null if it didn't. */
  readonly fault: string | null;
};

export interface DatedReport {
  readonly report: ReconcileReport;
  readonly atMs: number;
  readonly actor: string;
}

const SUBJECT = "books";
const ACTION = "books.reconciled";
const KEPT_MAX = 100;

/** The runs in progress in this program. */
export function reconcileRuns({ memory }: Pick<Deps, "memory">): ReconcileRun[] {
  return [...memory.reconcileRuns.values()];
}

/**
 * Continues after the page was answered, because it may take minutes. Of each network one at a
 * time, and one of all networks. Resolves at its end.
 */
export async function startReconcile(
  deps: Deps,
  { isEverywhere = false, actor, ...order }: {
    network: string | null;
    isEverywhere?: boolean;
    actor: Actor;
  },
): Promise<{ end: Promise<void> } | undefined> {
  const network = order.network === null ? null : (await findNetwork(deps, order.network)).code;
  const { memory } = deps;
  if (memory.reconcileRuns.has(network)) return undefined;
  const run = { network, isEverywhere, sinceMs: deps.clock.nowMs() };
  memory.reconcileRuns.set(network, run);
  const end = finish(deps, { run, actor })
    .catch((error) => deps.log.error("the books were not compared", { error }))
    .finally(() => memory.reconcileRuns.delete(network));
  return { end };
}

async function finish(
  deps: Deps,
  { run, actor }: { run: ReconcileRun; actor: Actor },
): Promise<void> {
  const nothing: Reconciled = { differences: [], surplus: [], invoices: [], skipped: [] };
  const { network, isEverywhere } = run;
  const found = await reconcile(deps, { network: network ?? undefined, isEverywhere })
    .then((reconciled) => ({ ...reconciled, fault: null }))
    .catch((error: Error) => {
      deps.log.error("the books were not compared", { error });
      return { ...nothing, fault: error.message };
    });
  const nowMs = deps.clock.nowMs();
  const report: ReconcileReport = {
    ...found,
    network,
    isEverywhere,
    tookMs: nowMs - run.sinceMs,
    differenceCount: found.differences.length,
    surplusCount: found.surplus.length,
    differences: found.differences.slice(0, KEPT_MAX),
    surplus: found.surplus.slice(0, KEPT_MAX),
    invoices: found.invoices.slice(0, KEPT_MAX),
  };
  await deps.db.write({
    reads: [],
    decide: (view) =>
      recordAudit(view, { actor, action: ACTION, subject: SUBJECT, detail: report, nowMs }),
  });
}

/** Newest first. */
export async function reconcileReports(
  { db }: Pick<Deps, "db">,
  limit: number,
): Promise<DatedReport[]> {
  const rows = await auditPage(db, { actor: null, subject: SUBJECT, cursor: null, limit });
  return rows
    .filter(({ action }) => action === ACTION)
    .map(({ detail, atMs, actor }) => ({ report: detail as ReconcileReport, atMs, actor }));
}
