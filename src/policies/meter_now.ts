import { Amount } from "../domain/money/amount.ts";
import {
  covers,
  isAmountCondition,
  splitOf,
  type Total,
  UNKNOWN_VALUE,
  windowOf,
} from "./rules/rules.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import { type CountedPayment, newestPayments } from "./reads/counted_payments.ts";
import type { PolicyRow } from "./table.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import type { Deps } from "../deps/deps.ts";
import { amountFor, countsFrom } from "./count.ts";
import { NOTHING } from "./counter.ts";
import { usedNow } from "./edges.ts";
import { paymentOf } from "./payment.ts";

export interface MeterNow {
  /** Whose it is, if there is one for each: an account's id, a key's, or an address. */
  readonly split: string;
  /** Null: it counts a payment whose value nobody knows, or somebody else has changed it. */
  readonly used: string | null;
  readonly cap: string;
  readonly isAmount: boolean;
  /** In percent, at most 100. */
  readonly share: number;
  /** Payments requested before count as 0 if nobody noted what they were worth. */
  readonly countsFromMs: number | null;
}

/**
 * How much of each rule's limit is used, by the rule's id; none for a rule without a limit. Where
 * there is one for each, those of the newest payments that use most of it.
 */
export async function metersNow(
  deps: Deps,
  rules: readonly PolicyRow[],
  { most }: { most: number },
): Promise<ReadonlyMap<number, readonly MeterNow[]>> {
  const paid = await paidLately(deps, rules.filter(isSplit).map(({ accountId }) => accountId));
  const meters = rules.map(async (rule) => {
    const lately = paid.get(rule.accountId) ?? [];
    return [rule.id, await metersOf(deps, { rule, lately, most })] as const;
  });
  return new Map(await Promise.all(meters));
}

interface Order {
  readonly rule: PolicyRow;
  readonly lately: readonly CountedPayment[];
  readonly most: number;
}

async function metersOf(deps: Deps, { rule, lately, most }: Order): Promise<MeterNow[]> {
  const windowMs = windowOf(rule);
  if (windowMs === undefined || rule.meterId === null || rule.cap === null || !rule.isReady) {
    return [];
  }
  const only = onlySplit(rule);
  const catalog = await deps.catalog.current();
  const sinceMs = deps.clock.nowMs() - windowMs;
  const splits = only === null
    ? fullestSplits({ rule, lately, catalog, sinceMs }).slice(0, most)
    : [only];
  const { meterId, cap } = rule;
  const meters = splits.map((split) =>
    meterAt(deps, { rule, cap, at: { meterId, split, windowMs } })
  );
  return (await Promise.all(meters)).toSorted((a, b) => b.share - a.share);
}

function isSplit(rule: PolicyRow): boolean {
  return windowOf(rule) !== undefined && onlySplit(rule) === null;
}

/** Null: there is more than one. */
function onlySplit({ each, accountId, keyId }: PolicyRow): string | null {
  if (each === null) return "";
  return { account: accountId?.toString() ?? null, key: keyId, recipient: null }[each];
}

async function meterAt(
  deps: Deps,
  { rule, cap, at }: { rule: PolicyRow; cap: string; at: Parameters<typeof usedNow>[1] },
): Promise<MeterNow> {
  const { split, windowMs } = at;
  const isAmount = isAmountCondition(rule.condition);
  const countsFromMs = countsFrom(rule, deps.clock.nowMs() - windowMs);
  const shared = { split, cap, isAmount, countsFromMs };
  try {
    const { amount, count } = await usedNow(deps, at);
    if (!amount.isLessThan(Amount.parse(UNKNOWN_VALUE, ""))) {
      return { ...shared, used: null, share: 100 };
    }
    const used = isAmount ? amount.toString() : String(count);
    return { ...shared, used, share: Math.min(100, Math.round(100 * Number(used) / Number(cap))) };
  } catch (error) {
    if (!(error instanceof TamperedRow)) throw error;
    return { ...shared, used: null, share: 100 };
  }
}

/** Nothing lists meters by how full they are, so they are looked for among so many payments. */
const LATELY = 500;

/** By the account that was asked for; null: of all. */
async function paidLately(
  { db }: Pick<Deps, "db">,
  accountIds: readonly (number | null)[],
): Promise<ReadonlyMap<number | null, readonly CountedPayment[]>> {
  const reads = [...new Set(accountIds)].map(async (accountId) =>
    [accountId, await newestPayments(db, { accountId, limit: LATELY })] as const
  );
  return new Map(await Promise.all(reads));
}

interface Lately {
  readonly rule: PolicyRow;
  readonly lately: readonly CountedPayment[];
  readonly catalog: Catalog;
  readonly sinceMs: number;
}

/** Who used most of a rule that has a limit for each, by these payments alone. */
function fullestSplits(asked: Lately): string[] {
  const isLess = isAmountCondition(asked.rule.condition)
    ? (a: Total, b: Total) => a.amount.isLessThan(b.amount)
    : (a: Total, b: Total) => a.count < b.count;
  return [...totalsOf(asked)]
    .toSorted(([, a], [, b]) => isLess(a, b) ? 1 : isLess(b, a) ? -1 : 0)
    .map(([split]) => split);
}

function totalsOf({ rule, lately, catalog, sinceMs }: Lately): Map<string, Total> {
  const totals = new Map<string, Total>();
  for (const row of lately) {
    const payment = paymentOf(catalog, row);
    if (row.isUnpaid || row.countedAtMs <= sinceMs || !covers(rule, payment)) continue;
    const split = splitOf(rule, payment);
    const { amount, count } = totals.get(split) ?? NOTHING;
    const own = Amount.parse(amountFor(rule, payment), "");
    totals.set(split, { amount: amount.plus(own), count: count + 1 });
  }
  return totals;
}
