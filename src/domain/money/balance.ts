import { invariant } from "../../base/assert.ts";
import { keysOf } from "../../base/lists.ts";
import { Amount } from "./amount.ts";

export interface Balance {
  readonly balance: Amount;
  readonly held: Amount;
}

/** How ledger entries change a balance. Each kind occurs at most once per subject. */
export const LEDGER_EFFECTS = {
  /** A deposit was confirmed. */
  credit: { balance: 1, held: 0 },
  /** A credited deposit is no longer on the chain. */
  reversal: { balance: -1, held: 0 },
  /** A withdrawal was accepted. */
  hold: { balance: 0, held: 1 },
  /** It failed or was cancelled. */
  release: { balance: 0, held: -1 },
  /** It was confirmed. */
  debit: { balance: -1, held: -1 },
  /** An operator's manual entry; the amount carries the sign. */
  adjust: { balance: 1, held: 0 },
} as const;

export type LedgerKind = keyof typeof LEDGER_EFFECTS;
export const LEDGER_KINDS = keysOf(LEDGER_EFFECTS);

export function available(balance: Balance): Amount {
  return balance.balance.minus(balance.held);
}

export function applyEntry(before: Balance, entry: { kind: LedgerKind; amount: Amount }): Balance {
  const { kind, amount } = entry;
  invariant(
    kind === "adjust" || !amount.isNegative(),
    () => `A ${kind} of ${amount} is negative`,
  );
  const effect = LEDGER_EFFECTS[kind];
  const after = {
    balance: signed(before.balance, amount, effect.balance),
    held: signed(before.held, amount, effect.held),
  };
  invariant(!after.held.isNegative(), () => `Cannot ${kind} ${amount}: held is ${before.held}`);
  if (kind === "hold") {
    invariant(
      !available(after).isNegative(),
      () => `Cannot hold ${amount}: available is ${available(before)}`,
    );
  }
  return after;
}

function signed(value: Amount, amount: Amount, sign: -1 | 0 | 1): Amount {
  if (sign === 0) return value;
  return sign === 1 ? value.plus(amount) : value.minus(amount);
}
