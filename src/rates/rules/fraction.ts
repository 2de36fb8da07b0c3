/** An exact number above zero. */
export interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

export const ONE: Fraction = { top: 1n, bottom: 1n };

/** From plain digits, as `plainAmount` reads them. */
export function fractionOf(text: string): Fraction {
  const [whole = "", decimals = ""] = text.split(".");
  return { top: BigInt(whole + decimals), bottom: 10n ** BigInt(decimals.length) };
}

export function inverse({ top, bottom }: Fraction): Fraction {
  return { top: bottom, bottom: top };
}

export function times(a: Fraction, b: Fraction): Fraction {
  return { top: a.top * b.top, bottom: a.bottom * b.bottom };
}

export function mean(a: Fraction, b: Fraction): Fraction {
  return { top: a.top * b.bottom + b.top * a.bottom, bottom: 2n * a.bottom * b.bottom };
}

/** Below zero if the first is lower. */
export function compare(a: Fraction, b: Fraction): number {
  const difference = a.top * b.bottom - b.top * a.bottom;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Whether two numbers differ by at most this part of the second. */
export function isWithin(
  number: Fraction,
  { percent, of }: { percent: bigint; of: Fraction },
): boolean {
  const difference = number.top * of.bottom - of.top * number.bottom;
  const size = difference < 0n ? -difference : difference;
  return size * 100n <= percent * of.top * number.bottom;
}

/** Every digit. The number must have an end, as sums and halves of decimals do. */
export function exactText({ top, bottom }: Fraction): string {
  let decimals = 0;
  let scaled = top;
  while (scaled % bottom !== 0n) {
    scaled *= 10n;
    decimals++;
  }
  return placed(scaled / bottom, decimals);
}

/** Rounded down to this many significant digits. */
export function roundedText({ top, bottom }: Fraction, digits: number): string {
  // One digit more or less: the quotient's length is only known after dividing.
  const decimals = digits - (lengthOf(top) - lengthOf(bottom));
  const kept = shifted({ top, bottom }, decimals);
  if (lengthOf(kept) <= digits) return textOf(kept, decimals);
  return textOf(shifted({ top, bottom }, decimals - 1), decimals - 1);
}

/** Times this power of ten, without a fraction. */
function shifted({ top, bottom }: Fraction, decimals: number): bigint {
  return decimals >= 0
    ? top * 10n ** BigInt(decimals) / bottom
    : top / (bottom * 10n ** BigInt(-decimals));
}

function textOf(units: bigint, decimals: number): string {
  return decimals >= 0 ? placed(units, decimals) : (units * 10n ** BigInt(-decimals)).toString();
}

function lengthOf(number: bigint): number {
  return number.toString().length;
}

/** A whole number of the smallest unit, as plain digits without trailing zeros. */
export function placed(units: bigint, decimals: number): string {
  if (decimals === 0) return units.toString();
  const digits = units.toString().padStart(decimals + 1, "0");
  let end = digits.length;
  while (end > digits.length - decimals && digits[end - 1] === "0") end--;
  const fraction = digits.slice(-decimals, end);
  const whole = digits.slice(0, -decimals);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
