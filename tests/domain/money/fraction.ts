import type { Random } from "../random.ts";

/** An independent implementation of money: an exact decimal as an integer over a power of ten. */
export interface Fraction {
  readonly units: bigint;
  readonly places: number;
}

export function fractionOf(text: string): Fraction {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  const units = BigInt(whole + fraction);
  return { units: text.startsWith("-") ? -units : units, places: fraction.length };
}

/** Plain notation without trailing zeros, written digit by digit. */
export function textOf({ units, places }: Fraction): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, "");
  const sign = units < 0n ? "-" : "";
  return fraction === "" ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

export function sum(a: Fraction, b: Fraction): Fraction {
  const places = Math.max(a.places, b.places);
  return { units: scaled(a, places) + scaled(b, places), places };
}

export function negated({ units, places }: Fraction): Fraction {
  return { units: -units, places };
}

export function product(a: Fraction, b: Fraction): Fraction {
  return { units: a.units * b.units, places: a.places + b.places };
}

/** Towards zero. */
export function truncated(a: Fraction, places: number): Fraction {
  if (a.places <= places) return a;
  return { units: a.units / 10n ** BigInt(a.places - places), places };
}

/** Below zero, zero or above it, as for sorting. */
export function comparison(a: Fraction, b: Fraction): number {
  const places = Math.max(a.places, b.places);
  const difference = scaled(a, places) - scaled(b, places);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Up to 78 digits with the point anywhere, often with zeros at either end. */
export function randomDecimal(random: Random, digitsMax = 78): string {
  const count = 1 + random.below(digitsMax);
  const wholeCount = 1 + random.below(count);
  const zeros = random.chance(0.2) ? random.below(count) : 0;
  const digits = random.chance(0.5)
    ? "0".repeat(zeros) + random.digits(count - zeros)
    : random.digits(count - zeros) + "0".repeat(zeros);
  const fraction = digits.slice(wholeCount);
  return fraction === "" ? digits : `${digits.slice(0, wholeCount)}.${fraction}`;
}

function scaled({ units, places }: Fraction, to: number): bigint {
  return units * 10n ** BigInt(to - places);
}
