import { covers, type Payment, splitOf, windowOf } from "./rules/rules.ts";
import { type PayeeRow, Payees } from "../payees/table.ts";
import type { PolicyRow } from "./table.ts";
import { read } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";
import { bookRead, CURSOR } from "./book.ts";
import { counterFor } from "./counter.ts";
import type { Book, Counted, Plan, Window } from "./known.ts";

export function planFor({ memory }: Pick<Deps, "memory">, book: Book, payment: Payment): Plan {
  const { accountId, keyId, network, currency, recipient } = payment;
  const name = `${accountId}/${keyId}/${network}/${currency}/${recipient}`;
  const known = memory.policyPlans.get(name);
  if (known?.book === book) return known;
  const plan = makePlan({ memory }, book, payment);
  memory.policyPlans.set(name, plan);
  return plan;
}

function makePlan(deps: Pick<Deps, "memory">, book: Book, payment: Payment): Plan {
  const rules = book.policies
    .filter((rule) => isApplied(rule) && covers(rule, payment));
  const counted = countedBy(deps, book, payment);
  const { accountId, network, recipient } = payment;
  const payee = rules.some(({ condition }) => condition === "only_payees")
    ? read<PayeeRow>(Payees, [accountId, network, recipient], "recipient")
    : undefined;
  return {
    book,
    rules,
    counted,
    windows: new Map(rules.flatMap((rule) => rule.isReady ? windowFor(rule, counted) : [])),
    payee,
    reads: [
      bookRead(),
      ...payee ? [payee] : [],
      ...counted.length > 0 ? [CURSOR] : [],
      ...counted.map(({ counter }) => counter.read),
    ],
    canAsk: rules.some(({ outcome }) => outcome === "approve"),
    quotes: quotesFor(book, payment),
    edges: undefined,
    payeeId: undefined,
    payeeSaid: undefined,
  };
}

/** Also while it is counted anew. A new rule becomes active once it is ready. */
export function isApplied(
  { isActive, isReady, meteredFromMs }: Pick<PolicyRow, "isActive" | "isReady" | "meteredFromMs">,
): boolean {
  return isActive && (isReady || meteredFromMs !== null);
}

/** Of all rules, because one that is switched on later counts what was requested before. */
function quotesFor({ policies }: Book, payment: Payment): string[] {
  const covering = policies.filter((rule) => covers(rule, payment));
  return [...new Set(covering.flatMap(({ quote }) => quote === null ? [] : [quote]))];
}

export function countedBy(
  { memory }: Pick<Deps, "memory">,
  { meters }: Book,
  payment: Payment,
): Counted[] {
  return meters.filter((meter) => covers(meter, payment)).map((meter) => ({
    meter,
    counter: counterFor(memory, { meterId: meter.id, split: splitOf(meter, payment) }),
  }));
}

function windowFor(rule: PolicyRow, counted: readonly Counted[]): [number, Window][] {
  const windowMs = windowOf(rule);
  const of = counted.find(({ meter }) => meter.id === rule.meterId);
  if (windowMs === undefined || !of) return [];
  const { meter, counter } = of;
  const at = counted.indexOf(of);
  return [[rule.id, { windowMs, meter, counter, at, name: `${counter.name}/${windowMs}` }]];
}
