import { Amount } from "../../domain/money/amount.ts";
import { plainAmount } from "../../domain/money/amount_text.ts";

const TYPED_CHARS_MAX = 100;
/** Zero of each set of digits that a payer's keyboard may have. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0xff10];

/** What a payer typed, as plain digits; undefined if it can't be understood in one way only. */
export function typedAmount(typed: string): string | undefined {
  const text = typed.slice(0, TYPED_CHARS_MAX).trim()
    .replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]/g, plainDigit)
    .replaceAll("\u066b", ".");
  // A thousand in one language, and one in another.
  if (/^[1-9]\d{0,2},\d{3}$/.test(text)) return undefined;
  const plain = plainAmount(/^\d+,\d+$/.test(text) ? text.replace(",", ".") : text);
  if (plain === undefined) return undefined;
  const exact = Amount.parse(plain, "");
  return exact.isZero() ? undefined : exact.toString();
}

function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  return String(code - (ZEROS.findLast((zero) => zero <= code) ?? 0));
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
