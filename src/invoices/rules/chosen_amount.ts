import { Amount } from "../../domain/money/amount.ts";
import { plainAmount } from "../../domain/money/amount_text.ts";
import { pointed } from "../../domain/money/typed.ts";

const TYPED_CHARS_MAX = 100;
/** What a payer typed, as plain digits; undefined if it can't be understood in one way only. */
export function typedAmount(typed: string): string | undefined {
  const plain = plainAmount(pointed(typed.slice(0, TYPED_CHARS_MAX)));
  if (plain === undefined) return undefined;
  const exact = Amount.parse(plain, "");
  return exact.isZero() ? undefined : exact.toString();
}

interface Bounds {
  readonly min: string | null;
  readonly max: string | null;
}

export function isWithin(amount: string, { min, max }: Bounds): boolean {
  const exact = Amount.parse(amount, "");
  if (min !== null && exact.isLessThan(Amount.parse(min, ""))) return false;
  return max === null || !Amount.parse(max, "").isLessThan(exact);
}
