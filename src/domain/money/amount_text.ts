import { AMOUNT_DIGITS_MAX } from "./amount.ts";

/** Keeps a JSON number's own digits, so that money is never a float. */
export class JsonNumber {
  constructor(readonly source: string) {}
}

const PLAIN = /^\d+(\.\d+)?$/;
const JSON_NUMBER = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Digits with an optional fraction, 78 digits at most. Undefined for anything else. */
export function plainAmount(text: string): string | undefined {
  return digitCount(text) <= AMOUNT_DIGITS_MAX && PLAIN.test(text) ? text : undefined;
}

/** A JSON number's source as plain digits: 1e-7 becomes 0.0000001. */
export function plainAmountOfNumber(source: string): string | undefined {
  const match = JSON_NUMBER.exec(source);
  if (!match) return undefined;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole + fraction;
  const first = digits.search(/[1-9]/);
  if (first < 0) return "0";
  const significant = digits.slice(first, lastDigit(digits) + 1);
  const point = whole.length - first + Number(exponent);
  // Checked before writing zeros: an exponent may ask for more than memory holds.
  const length = Math.max(significant.length, point, significant.length + 1 - point);
  return length > AMOUNT_DIGITS_MAX ? undefined : placePoint(significant, point);
}

/** The index of the last digit that is not 0. */
function lastDigit(digits: string): number {
  let at = digits.length - 1;
  while (digits[at] === "0") at--;
  return at;
}

function placePoint(digits: string, point: number): string {
  if (point <= 0) return `0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return digits.padEnd(point, "0");
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}

function digitCount(text: string): number {
  return text.length - (text.includes(".") ? 1 : 0);
}
