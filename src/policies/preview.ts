import { type PastPayment, replay, type Replayed } from "./rules/replay.ts";
import { covers, type Rule, windowOf } from "./rules/rules.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import { payeesAt } from "../payees/reads.ts";
import { type CountedPayment, newestPayments } from "./reads/counted_payments.ts";
import type { PayeeRow } from "../payees/table.ts";
import type { Deps } from "../deps/deps.ts";
import { checkedRule, ratesFor } from "./checked_rule.ts";
import { amountFor, meterRates } from "./count.ts";
import { paymentOf } from "./payment.ts";

const JUDGED = 100;
/** Those before them only add up: each page reads as many. */
const COUNTED = 500;

interface Past extends PastPayment {
  readonly id: number;
}

export interface Preview {
  readonly rule: Rule;
  /** Newest first. */
  readonly payments: readonly Replayed<Past>[];
  /** How many of them the rule is about. */
  readonly covered: number;
  /** The totals of the oldest may lack payments from before those that were looked at. */
  readonly isCut: boolean;
}

/** What a rule that isn't there yet would have done. Nothing is written. */
export async function previewPolicy(deps: Deps, order: Omit<Rule, "id">): Promise<Preview> {
  const rule = await checkedRule(deps, order);
  return await previewOf(deps, { ...rule, id: 0, rates: await ratesFor(deps, rule) });
}

type WithRates = Rule & { readonly rates: Readonly<Record<string, string>> | null };

/** What a rule alone would have done to the newest payments. */
export async function previewOf(deps: Deps, rule: WithRates): Promise<Preview> {
  const { accountId } = rule;
  const rows = await newestPayments(deps.db, { accountId, limit: COUNTED });
  const catalog = await deps.catalog.current();
  const isPayee = await payeeTest(deps, { rule, catalog, rows });
  const payments = rows.map((row) => pastOf(row, { rule, catalog, isPayee: isPayee(row) }));
  const last = payments.at(-1);
  const oldest = payments[Math.min(payments.length, JUDGED) - 1];
  const windowMs = windowOf(rule);
  const isCut = windowMs !== undefined && last !== undefined && oldest !== undefined &&
    rows.length === COUNTED && last.requestedAtMs > oldest.requestedAtMs - windowMs;
  const judged = replay(rule, payments, { judgedMax: JUDGED });
  const covered = judged.filter(({ past: { payment } }) => covers(rule, payment)).length;
  return { rule, payments: judged, covered, isCut };
}

interface Known {
  readonly rule: WithRates;
  readonly catalog: Catalog;
}

function pastOf(
  { id, requestedAtMs, countedAtMs, isUnpaid, ...row }: CountedPayment,
  { rule: { currency, quote = null, rates }, catalog, isPayee }: Known & { isPayee: boolean },
): Past {
  const payment = paymentOf(catalog, row);
  // A limit in no currency only counts.
  const meter = { currency, quote, rates: rates ?? meterRates({}) };
  const counted = amountFor(meter, payment);
  const valued = quote === null ? payment : { ...payment, values: { [quote]: counted } };
  const shared = { id, requestedAtMs, countedAtMs, isPayee };
  return { ...shared, payment: valued, counted: isUnpaid ? null : counted };
}

/** As of the time when each was requested. */
async function payeeTest(
  { db }: Deps,
  { rule, catalog, rows }: Known & { readonly rows: readonly CountedPayment[] },
): Promise<(row: CountedPayment) => boolean> {
  if (rule.condition !== "only_payees") return () => false;
  const placeOf = (row: CountedPayment) => {
    const { accountId, network, recipient: address } = paymentOf(catalog, row);
    return { accountId, network, address };
  };
  const found = await payeesAt(db, rows.slice(0, JUDGED).map(placeOf));
  const known = new Map(found.map((payee) => [nameOf(payee), payee]));
  return (row) => {
    const payee = known.get(nameOf(placeOf(row)));
    return payee !== undefined && payee.usableAtMs <= row.requestedAtMs &&
      (payee.removedAtMs === null || payee.removedAtMs > row.requestedAtMs);
  };
}

function nameOf(
  { accountId, network, address }: Pick<PayeeRow, "accountId" | "network" | "address">,
) {
  return `${accountId}/${network}/${address}`;
}
