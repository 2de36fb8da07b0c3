import { Amount } from "./amount.ts";
import { type Balance, LEDGER_EFFECTS, LEDGER_KINDS, type LedgerKind } from "./balance.ts";

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
  for (const entry of entries) {
    const total = totals.get(entry.kind) ??
      { entries: 0, amount: Amount.zero(asset), values: new Map() };
    totals.set(entry.kind, {
      entries: total.entries + 1,
      amount: total.amount.plus(Amount.parse(entry.amount, asset)),
      values: withValue(total.values, entry),
    });
  }
  return totals;
}

function withValue(
  values: KindTotal["values"],
  { value, valueCurrency }: ValuedEntry,
): KindTotal["values"] {
  if (value === null || valueCurrency === null) return values;
  const before = values.get(valueCurrency) ??
    { entries: 0, value: Amount.zero(valueCurrency) };
  const sum = before.value.plus(Amount.parse(value, valueCurrency));
  return new Map(values).set(valueCurrency, { entries: before.entries + 1, value: sum });
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
