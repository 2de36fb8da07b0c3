import {
  covers,
  judge,
  type Payment,
  splitOf,
  type Total,
  type Verdict,
  windowOf,
} from "../../domain/policy/rules.ts";
import { type PayeeRow, Payees } from "../../store/tables/control/payees.ts";
import { PolicyBooks, type PolicyRow } from "../../store/tables/control/policies.ts";
import { type Read, read, type View } from "../../store/engine/workspace.ts";
import { present } from "../../base/assert.ts";
import { Amount } from "../../domain/money/amount.ts";
import { mustBeGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";
import { bookRead, currentBook, metersFor, RulesChanged } from "./book.ts";
import { count, meterRead, meterReads, takeOut, takeOutReads } from "./count.ts";
import { edgeOf, forgetEdges, totalIn } from "./edges.ts";
import type { Book, KnownEdge, Meter } from "./known.ts";
import { isPayeeRemoved } from "./newest_payee.ts";
import { takeOutReleased } from "./released.ts";

const ATTEMPTS_MAX = 20;
const ALLOWED: Verdict<PolicyRow> = { outcome: "allow", matching: [] };

/** How a unit judges a payment by the rules, and counts it. */
export interface Judging {
  readonly reads: readonly Read[];
  /** In the unit that holds the money. Throws `RulesChanged` if it doesn't know all rules. */
  verdict(view: View): Verdict<PolicyRow>;
  count(view: View, atMs: number): void;
}

interface Asked {
  /** Looked at only while there are rules. */
  readonly payment: () => Payment;
  /** It was counted at this time, and doesn't count itself. */
  readonly countedAtMs?: number;
}

/** Repeats the work while others change the rules. */
export async function withRules<T>(deps: Deps, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RulesChanged) || attempt === ATTEMPTS_MAX) throw error;
      deps.memory.policyBook = undefined;
      forgetEdges(deps);
    }
  }
}

export async function prepareJudging(
  deps: Deps,
  { payment: look, ...rest }: Asked,
): Promise<Judging> {
  const book = deps.memory.policyBook ?? await currentBook(deps);
  if (book.policies.length === 0) return judgingWithoutRules(book);
  const asked = { ...rest, payment: look() };
  if (book.meters.length > 0) await takeOutReleased(deps, book);
  const nowMs = deps.clock.nowMs();
  const edges = await edgesOf(deps, { book, payment: asked.payment, nowMs });
  const payee = rulesFor(book, asked.payment).some(({ condition }) => condition === "only_payees")
    ? await payeeRead(deps, asked.payment)
    : undefined;
  return judgingOf(asked, { book, edges, nowMs, payee });
}

function rulesFor({ policies }: Book, payment: Payment): PolicyRow[] {
  return policies.filter((rule) => rule.isActive && rule.isReady && covers(rule, payment));
}

type Edges = Map<string, KnownEdge>;

async function edgesOf(
  deps: Deps,
  { book, payment, nowMs }: { book: Book; payment: Payment; nowMs: number },
): Promise<Edges> {
  const edges: Edges = new Map();
  for (const rule of rulesFor(book, payment)) {
    const windowMs = windowOf(rule);
    if (windowMs === undefined || rule.meterId === null) continue;
    const name = nameOf(rule.meterId, windowMs);
    if (edges.has(name)) continue;
    const at = { meterId: rule.meterId, split: splitOf(rule, payment), windowMs };
    edges.set(name, await edgeOf(deps, { ...at, edgeMs: nowMs - windowMs }));
  }
  return edges;
}

function nameOf(meterId: number, windowMs: number): string {
  return `${meterId}/${windowMs}`;
}

async function payeeRead(deps: Deps, payment: Payment): Promise<Read<PayeeRow> | undefined> {
  const { accountId, network, recipient } = payment;
  const key = [accountId, network, recipient];
  const row = await deps.db.find(Payees, key, "recipient");
  if (row && await isPayeeRemoved(deps, row)) return undefined;
  return read(Payees, key, "recipient");
}

interface Known {
  readonly book: Book;
  readonly edges: Edges;
  readonly nowMs: number;
  /** Undefined: no rule asks, or it isn't one. */
  readonly payee?: Read<PayeeRow> | undefined;
}

function judgingWithoutRules(book: Book): Judging {
  return {
    reads: [bookRead()],
    verdict: (view) => {
      mustKnowAll(view, book);
      return ALLOWED;
    },
    count: () => {},
  };
}

function judgingOf(
  { payment, countedAtMs }: { payment: Payment; countedAtMs?: number },
  known: Known,
): Judging {
  const { book, payee } = known;
  const meters = metersFor(book, payment);
  const own = { meters, payment };
  const rules = rulesFor(book, payment);
  return {
    reads: [
      bookRead(),
      ...countedAtMs === undefined ? meterReads(own) : takeOutReads(own, countedAtMs),
      ...payee ? [payee] : [],
    ],
    verdict: (view) => {
      mustKnowAll(view, book);
      return judge(rules, {
        payment,
        isPayee: payee !== undefined && isUsable(view, payee),
        totalOf: (rule, windowMs) => totalOf(view, { rule, windowMs, payment, countedAtMs, known }),
      });
    },
    count: (view, atMs) => {
      const { nowMs } = view;
      if (countedAtMs !== undefined) takeOut(view, { ...own, countedAtMs, nowMs });
      count(view, { ...own, atMs });
    },
  };
}

function mustKnowAll(view: View, { version }: Book): void {
  const row = view.rowOf(bookRead());
  if (row) mustBeGenuine(view, PolicyBooks, row);
  if ((row?.version ?? 0) !== version) throw new RulesChanged();
}

function isUsable(view: View, payee: Read<PayeeRow>): boolean {
  const row = view.rowOf(payee);
  if (!row) return false;
  mustBeGenuine(view, Payees, row);
  return row.removedAtMs === null && row.usableAtMs <= view.nowMs;
}

interface Wanted {
  readonly rule: PolicyRow;
  readonly windowMs: number;
  readonly payment: Payment;
  readonly countedAtMs: number | undefined;
  readonly known: Known;
}

function totalOf(view: View, { rule, windowMs, payment, countedAtMs, known }: Wanted): Total {
  const id = present(rule.meterId, "A rule with a window has a meter");
  const edge = present(known.edges.get(nameOf(id, windowMs)), "The edge was looked up");
  const meter: Meter = { ...rule, id, fromMs: 0 };
  const total = totalIn(view.rowOf(meterRead(meter, payment)), edge);
  const isCounted = countedAtMs !== undefined && countedAtMs > known.nowMs - windowMs;
  return isCounted ? without(total, rule.currency === null ? "0" : payment.amount) : total;
}

function without({ amount, count }: Total, own: string): Total {
  const rest = Amount.parse(amount, "").minus(Amount.parse(own, ""));
  return { amount: rest.toString(), count: count - 1 };
}
