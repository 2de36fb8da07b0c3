import { totalAfter } from "./rules/meter.ts";
import { judge, type Payment, type Total, UNKNOWN_VALUE, type Verdict } from "./rules/rules.ts";
import type { PolicyRow } from "./table.ts";
import { Unavailable } from "../store/connection/faults.ts";
import type { Read, View } from "../store/engine/workspace.ts";
import { present } from "../base/assert.ts";
import { Amount } from "../domain/money/amount.ts";
import { worldOf } from "../networks/worlds.ts";
import { rateOf } from "../rates/current.ts";
import type { Deps } from "../deps/deps.ts";
import { bookRead, CURSOR, EdgeMoved, readBook, ReleasesWaiting, RulesChanged } from "./book.ts";
import { amountFor, count, takeOut, takeOutReads, valueOf } from "./count.ts";
import { type NewCount, rememberCounted, type State, stateIn } from "./counter.ts";
import { edgesAt, forgetEdge, forgetEdges, knownEdges } from "./edges.ts";
import type { Book, Edges, Plan } from "./known.ts";
import { knownPayee, lookAtPayee } from "./newest_payee.ts";
import { planFor } from "./plan.ts";
import { takeOutReleased } from "./released.ts";

/** Others may change rules meanwhile, but each only so often. */
const ATTEMPTS_MAX = 100;
/** Payments that end may keep this one waiting, but not for ever. */
const RELEASES_MAX = 50;
/** In each of these attempts. */
const TAKEN_OUT_MAX = 100;
const NO_RULES = [bookRead()];
/** More than any limit: nobody knows yet what a rule that is counted anew will have counted. */
const USED_UP: Total = { amount: Amount.parse(UNKNOWN_VALUE, ""), count: Number.MAX_SAFE_INTEGER };
const ALLOWED: Verdict<PolicyRow> = { outcome: "allow", matching: [] };

/** How a unit judges a payment by the rules, and counts it. */
export interface Judging {
  readonly reads: readonly Read[];
  /** Whether the verdict could be that somebody has to approve it. */
  readonly canAsk: boolean;
  /** What the payment is worth, for its row; null: no rule asks. */
  readonly values: Payment["values"] | null;
  /** In the unit that holds the money. Throws `RulesChanged` if it doesn't know all rules. */
  verdict(view: View): Verdict<PolicyRow>;
  count(view: View, atMs: number): void;
  /** Once that is committed. */
  remember(): void;
}

interface Asked {
  /** Looked at only while there are rules. */
  readonly payment: () => Payment;
  /** It was counted at this time, and doesn't count itself. */
  readonly countedAtMs?: number;
}

const BUSY = "Payment rules are changing too often: try again";

/** Repeats the work while others change the rules, or what counts. */
export async function withRules<T>(deps: Deps, work: () => Promise<T>): Promise<T> {
  let isWaiting = false;
  for (let attempt = 1;; attempt++) {
    try {
      if (isWaiting) await keepUp(deps);
      isWaiting = false;
      return await work();
    } catch (error) {
      isWaiting = error instanceof ReleasesWaiting;
      const max = isWaiting ? RELEASES_MAX : ATTEMPTS_MAX;
      if (!(error instanceof RulesChanged)) throw error;
      if (attempt >= max) throw new Unavailable(BUSY, { cause: error });
      if (isWaiting) continue;
      if (error instanceof EdgeMoved) {
        forgetEdge(deps, error);
        continue;
      }
      deps.memory.policyBook = undefined;
      forgetEdges(deps);
    }
  }
}

/** Those that wait for it share it. */
async function keepUp(deps: Deps): Promise<void> {
  const book = deps.memory.policyBook ?? await readBook(deps);
  await deps.memory.policyLooks.run(book, () => takeOutReleased(deps, book, TAKEN_OUT_MAX));
}

/** Now and then, so that the next payment doesn't wait for what ended meanwhile. */
export async function keepMeters(deps: Deps): Promise<void> {
  await withRules(deps, async () => {
    const book = deps.memory.policyBook ?? await readBook(deps);
    if (book.meters.length > 0) await takeOutReleased(deps, book);
  });
}

export async function prepareJudging(
  deps: Deps,
  { payment: look, countedAtMs }: Asked,
): Promise<Judging> {
  const book = deps.memory.policyBook ?? await readBook(deps);
  if (book.policies.length === 0) return judgingWithoutRules(book);
  const asked = look();
  const plan = planFor(deps, book, asked);
  const payment = plan.quotes.length > 0 ? await valued(deps, plan, { asked, countedAtMs }) : asked;
  const nowMs = deps.clock.nowMs();
  const edges = knownEdges(plan, nowMs) ?? await edgesAt(deps, plan, nowMs);
  const payeeFromMs = plan.payee && (knownPayee(plan, nowMs) ?? await lookAtPayee(deps, plan));
  return judgingOf({ plan, payment, countedAtMs, nowMs, edges, payeeFromMs });
}

/**
 * A new payment keeps its values; one that was requested before is only compared with what it is
 * worth now.
 */
async function valued(
  deps: Deps,
  { quotes }: Plan,
  { asked, countedAtMs }: { asked: Payment; countedAtMs: number | undefined },
): Promise<Payment> {
  const now: Record<string, string> = {};
  const world = await worldOf(deps, asked);
  for (const quote of quotes) {
    const rate = world && await rateOf(deps, { base: asked.currency, quote, world });
    if (rate) now[quote] = valueOf(asked.amount, rate.value);
    else if (countedAtMs === undefined) now[quote] = UNKNOWN_VALUE;
  }
  return countedAtMs === undefined ? { ...asked, values: now } : { ...asked, valuesNow: now };
}

function judgingWithoutRules(book: Book): Judging {
  return {
    reads: NO_RULES,
    canAsk: false,
    values: null,
    verdict: (view) => {
      mustKnowAll(view, book);
      return ALLOWED;
    },
    count: () => {},
    remember: () => {},
  };
}

interface Known {
  readonly plan: Plan;
  readonly payment: Payment;
  readonly countedAtMs: number | undefined;
  readonly nowMs: number;
  readonly edges: Edges["of"];
  /** What the log says about the payee. */
  readonly payeeFromMs: number | undefined;
}

function judgingOf(known: Known): Judging {
  const { plan, payment, countedAtMs } = known;
  const { book, rules, counted, canAsk } = plan;
  const paid = Amount.parse(payment.amount, "");
  let counts: readonly NewCount[] = [];
  return {
    reads: countedAtMs === undefined
      ? plan.reads
      : [...plan.reads, ...takeOutReads(counted, countedAtMs)],
    canAsk,
    values: Object.keys(payment.values ?? {}).length > 0 ? payment.values : null,
    verdict: (view) => {
      mustKnowAll(view, book);
      const now = counted.map(({ counter }) => stateIn(view, counter));
      const isPayee = isUsable(view, known);
      const facts = {
        payment,
        paid,
        isPayee,
        totalOf: (rule: PolicyRow) => totalOf(rule, now, known),
      };
      const verdict = judge(rules, facts);
      // A release that was not taken out yet can only make totals smaller.
      if (verdict.outcome !== "allow") mustKnowReleases(view, plan);
      return verdict;
    },
    count: (view, atMs) => {
      const { nowMs } = view;
      if (countedAtMs !== undefined) takeOut(view, { counted, payment, countedAtMs, nowMs });
      counts = count(view, { counted, payment, paid, atMs });
    },
    remember: () => counts.forEach(rememberCounted),
  };
}

function mustKnowAll(view: View, { version }: Book): void {
  const row = view.rowOf(bookRead());
  if ((row?.version ?? 0) !== version) throw new RulesChanged();
}

function mustKnowReleases(view: View, { counted }: Plan): void {
  if (counted.length === 0) return;
  if (view.lastReleaseId > (view.rowOf(CURSOR)?.entryId ?? 0)) throw new ReleasesWaiting();
}

function isUsable(view: View, { plan: { payee, payeeId }, payeeFromMs }: Known): boolean {
  const row = payee && view.rowOf(payee);
  if (!row) return false;
  const isNewest = row.id === payeeId && payeeFromMs !== undefined &&
    payeeFromMs <= row.usableAtMs;
  return isNewest && row.removedAtMs === null && row.usableAtMs <= view.nowMs;
}

/** In the unit: the meter's row says what was counted since the edge was read. */
function totalOf(
  rule: PolicyRow,
  now: readonly State[],
  { plan, payment, edges, nowMs, countedAtMs }: Known,
): Total {
  if (!rule.isReady) return USED_UP;
  const window = present(plan.windows.get(rule.id), "A rule with a window has a meter");
  const edge = present(edges.get(window), "The edge was looked up");
  const state = present(now[window.at], "Each counter has a state");
  if (state.revision !== undefined && state.revision !== edge.revision) {
    throw new EdgeMoved(plan, window, edge);
  }
  const total = totalAfter(state.total, edge.outside);
  const isCounted = countedAtMs !== undefined && countedAtMs > nowMs - window.windowMs;
  return isCounted ? without(total, amountFor(window.meter, payment)) : total;
}

function without({ amount, count }: Total, own: string): Total {
  return { amount: amount.minus(Amount.parse(own, "")), count: count - 1 };
}
