import { Amount } from "../../domain/money/amount.ts";
import {
  type Balance,
  LEDGER_EFFECTS,
  LEDGER_KINDS,
  type LedgerKind,
} from "../../domain/money/balance.ts";

/** The entries of one kind. */
interface KindTotal {
  readonly entries: number;
  /** The sum of their amounts. */
  readonly amount: Amount;
  /** The sums of their values, by currency; entries without a value are in none. */
  readonly values: ReadonlyMap<string, ValueTotal>;
}

interface ValueTotal {
  readonly entries: number;
  readonly value: Amount;
}

/** Kinds without entries are left out. */
export type KindTotals = ReadonlyMap<LedgerKind, KindTotal>;

interface ValuedEntry {
  readonly kind: LedgerKind;
  readonly value: string | null;
  readonly valueCurrency: string | null;
}

interface CountedEntry extends ValuedEntry {
  readonly amount: string;
}

export function addToTotals(
  before: KindTotals,
  { entries, asset }: { entries: readonly CountedEntry[]; asset: string },
): KindTotals {
  const totals = new Map(before);
  for (const [kind, some] of Map.groupBy(entries, (entry) => entry.kind)) {
    const total = totals.get(kind) ??
      { entries: 0, amount: Amount.zero(asset), values: new Map() };
    totals.set(kind, {
      entries: total.entries + some.length,
      amount: total.amount.plus(Amount.sumOf(some.map(({ amount }) => amount), asset)),
      values: withValues(total.values, some),
    });
  }
  return totals;
}

function withValues(
  before: KindTotal["values"],
  entries: readonly ValuedEntry[],
): KindTotal["values"] {
  const values = new Map(before);
  for (const [currency, some] of Map.groupBy(entries, (entry) => entry.valueCurrency)) {
    const texts = some.flatMap(({ value }) => value ?? []);
    if (currency === null || texts.length === 0) continue;
    const total = values.get(currency) ?? { entries: 0, value: Amount.zero(currency) };
    const value = total.value.plus(Amount.sumOf(texts, currency));
    values.set(currency, { entries: total.entries + texts.length, value });
  }
  return values;
}

/** What an entry's changes were worth when it was written. All null: nobody knew. */
export function changedValue({ kind, value, valueCurrency }: ValuedEntry) {
  if (value === null || valueCurrency === null) return { value: null, held: null, currency: null };
  const { balance, held } = changeOf({ kind, amount: Amount.parse(value, valueCurrency) });
  return { value: balance.toString(), held: held.toString(), currency: valueCurrency };
}

interface ChangedValue {
  readonly value: string;
  readonly held: string;
  readonly currency: string;
  readonly entries: number;
}

/** What all changes of a kind were worth, each when it was written. */
export function changedValues(kind: LedgerKind, values: KindTotal["values"]): ChangedValue[] {
  return [...values].map(([currency, { entries, value }]) => {
    const { balance, held } = changeOf({ kind, amount: value });
    return { value: balance.toString(), held: held.toString(), currency, entries };
  });
}

/** How the entries of a kind changed the balance and what is held of it. */
export function changeOf(
  { kind, amount }: { kind: LedgerKind; amount: Amount },
): { balance: Amount; held: Amount } {
  const { balance, held } = LEDGER_EFFECTS[kind];
  const times = (effect: -1 | 0 | 1) => {
    if (effect === 0) return Amount.zero(amount.asset);
    return effect === 1 ? amount : amount.negated();
  };
  return { balance: times(balance), held: times(held) };
}

/** What the balance must be after all of them. */
export function afterTotals(opening: Balance, totals: KindTotals): Balance {
  return LEDGER_KINDS.reduce(({ balance, held }, kind) => {
    const total = totals.get(kind);
    if (!total) return { balance, held };
    const change = changeOf({ kind, amount: total.amount });
    return { balance: balance.plus(change.balance), held: held.plus(change.held) };
  }, opening);
}
