import { AMOUNT_DIGITS_MAX } from "./amount.ts";

/** A JSON number by the characters it was written with, so that no float ever stands for money. */
export class JsonNumber {
  constructor(readonly source: string) {}
}

/** Beyond it no amount of bounded digits is left, however it was written. */
const EXPONENT_MAX = 100_000;
const PLAIN = /^\d+(\.\d+)?$/;
const JSON_NUMBER = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Digits with an optional point and fraction, at most 78 digits. Undefined for anything else. */
export function plainAmount(text: string): string | undefined {
  if (!PLAIN.test(text) || digitCount(text) > AMOUNT_DIGITS_MAX) return undefined;
  return text;
}

/** A JSON number's source as plain digits: 1e-7 becomes 0.0000001. */
export function plainAmountOfNumber(source: string): string | undefined {
  const match = JSON_NUMBER.exec(source);
  if (!match) return undefined;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole + fraction;
  if (/^0*$/.test(digits)) return "0";
  if (Math.abs(Number(exponent)) > EXPONENT_MAX) return undefined;
  return plainAmount(placePoint(digits, whole.length + Number(exponent)));
}

function placePoint(digits: string, point: number): string {
  if (point <= 0) return trim(`0.${"0".repeat(-point)}${digits}`);
  const padded = digits.padEnd(point, "0");
  const fraction = padded.slice(point);
  return trim(fraction === "" ? padded : `${padded.slice(0, point)}.${fraction}`);
}

function trim(text: string): string {
  const whole = text.replace(/^0+(?=\d)/, "");
  return whole.includes(".") ? whole.replace(/\.?0+$/, "") : whole;
}

function digitCount(text: string): number {
  return text.length - (text.includes(".") ? 1 : 0);
}
