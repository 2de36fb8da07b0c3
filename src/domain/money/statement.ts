import { Amount } from "./amount.ts";
import { type Balance, LEDGER_EFFECTS, LEDGER_KINDS, type LedgerKind } from "./balance.ts";

/** The entries of one kind. */
interface KindTotal {
  readonly entries: number;
  /** The sum of their amounts. */
  readonly amount: Amount;
}

/** Kinds without entries are left out. */
export type KindTotals = ReadonlyMap<LedgerKind, KindTotal>;

interface CountedEntry {
  readonly kind: LedgerKind;
  readonly amount: string;
}

export function addToTotals(
  before: KindTotals,
  { entries, asset }: { entries: readonly CountedEntry[]; asset: string },
): KindTotals {
  const totals = new Map(before);
  for (const { kind, amount } of entries) {
    const total = totals.get(kind) ?? { entries: 0, amount: Amount.zero(asset) };
    totals.set(kind, {
      entries: total.entries + 1,
      amount: total.amount.plus(Amount.parse(amount, asset)),
    });
  }
  return totals;
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
