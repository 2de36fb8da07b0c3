import { Amount } from "../../domain/money/amount.ts";
import { LEDGER_EFFECTS, type LedgerKind } from "../../domain/money/balance.ts";

/** A place in an asset's ledger, with the sums up to there. */
export interface LedgerMark {
  readonly entryId: number;
  readonly balance: string;
  readonly held: string;
}

export interface WalkedEntry {
  readonly id: number;
  readonly kind: LedgerKind;
  readonly amount: string;
  readonly balanceAfter: string;
  readonly heldAfter: string;
}

interface Walk {
  /** The last correct entry. */
  readonly mark: LedgerMark;
  /** The first wrong entry, and what it should say. */
  readonly wrong: { readonly entry: WalkedEntry; readonly should: LedgerMark } | undefined;
}

export const LEDGER_START: LedgerMark = { entryId: 0, balance: "0", held: "0" };

/** Adds entries up in order and stops at the first wrong one. */
export function walkLedger(
  from: LedgerMark,
  { entries, asset }: { entries: readonly WalkedEntry[]; asset: string },
): Walk {
  let mark = from;
  for (const entry of entries) {
    const should = after(mark, { entry, asset });
    if (should.balance !== entry.balanceAfter || should.held !== entry.heldAfter) {
      return { mark, wrong: { entry, should } };
    }
    mark = should;
  }
  return { mark, wrong: undefined };
}

function after(
  mark: LedgerMark,
  { entry, asset }: { entry: WalkedEntry; asset: string },
): LedgerMark {
  const amount = Amount.parse(entry.amount, asset);
  const { balance, held } = LEDGER_EFFECTS[entry.kind];
  return {
    entryId: entry.id,
    balance: moved(Amount.parse(mark.balance, asset), { amount, sign: balance }),
    held: moved(Amount.parse(mark.held, asset), { amount, sign: held }),
  };
}

function moved(value: Amount, { amount, sign }: { amount: Amount; sign: -1 | 0 | 1 }): string {
  if (sign === 0) return value.toString();
  return (sign === 1 ? value.plus(amount) : value.minus(amount)).toString();
}
