import {
  decimalsThatMatter,
  fiatParts,
  fiatText,
  isFiat,
  separated,
} from "../../domain/money/written.ts";

/** How an amount is shown where it is compared with others; its title has all digits. */
interface ShownAmount {
  readonly whole: string;
  /** With its point; empty if there is none. */
  readonly fraction: string;
  /** All digits with separators, if some aren't shown. */
  readonly exact: string | undefined;
}

const NUMBER = /^([-+−]?)(\d+)(?:\.(\d+))?$/;
/** Longer ones are shown as a power of ten. */
const WHOLE_DIGITS_MAX = 15;
/** What is smaller than one of the last is only said to be less. */
const DECIMALS_MAX = 8;
const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

interface Shown {
  readonly decimals?: number | undefined;
  /** What was paid, or is estimated. */
  readonly isRounded?: boolean | undefined;
}

/**
 * Cut off rather than rounded, so that nobody sees more than there is, but what is there isn't
 * shown as 0. A text that is no number stays as it is.
 */
export function shownAmount(
  text: string,
  { decimals = DECIMALS_MAX, isRounded = false }: Shown = {},
): ShownAmount {
  const [, sign, whole, fraction = ""] = NUMBER.exec(text) ?? [];
  if (whole === undefined) return { whole: text, fraction: "", exact: undefined };
  const exact = `${sign}${separated(whole)}${fraction && `.${fraction}`}`;
  if (whole.length > WHOLE_DIGITS_MAX) {
    const power = [...String(whole.length - 1)].map((digit) => SUPERSCRIPT[Number(digit)]).join("");
    return { whole: `${sign}${whole[0]}.${whole.slice(1, 4)} × 10${power}`, fraction: "", exact };
  }
  const digits = Math.min(decimalsThatMatter(`${whole}.${fraction}`), decimals);
  const kept = fraction.slice(0, digits);
  if (whole === "0" && !isZero(fraction) && isZero(kept)) {
    const least = digits === 0 ? "" : `.${"0".repeat(digits - 1)}1`;
    return { whole: `${sign}<${digits === 0 ? 1 : 0}`, fraction: least, exact };
  }
  const isUp = isRounded && (fraction[digits] ?? "0") >= "5";
  const [units, part] = isUp ? nextUp(whole, kept) : [whole, kept];
  return {
    whole: `${sign}${separated(units)}`,
    fraction: part && `.${part}`,
    exact: kept.length < fraction.length ? exact : undefined,
  };
}

function nextUp(whole: string, fraction: string): [whole: string, fraction: string] {
  const next = `${BigInt(whole + fraction) + 1n}`.padStart(fraction.length + 1, "0");
  const point = next.length - fraction.length;
  return [next.slice(0, point), next.slice(point)];
}

function isZero(digits: string): boolean {
  return /^0*$/.test(digits);
}

/** In a sentence: where there is no room for the other digits, but for the first of a small one. */
export function shownText(text: string): string {
  const { whole, fraction } = shownAmount(text, { decimals: Infinity });
  return whole + fraction;
}

interface QuoteWish {
  readonly currency: string;
  readonly rounding: "exact" | "down" | "up" | "nearest";
}

/** In the currency of an invoice or a report; undefined if that is no state's money. */
export function shownQuote(
  text: string,
  { currency, rounding }: QuoteWish,
): ShownAmount | undefined {
  const [, sign = "", digits] = /^([-+]?)(\d{1,15}(?:\.\d+)?)$/.exec(text) ?? [];
  if (digits === undefined || !isFiat(currency)) return undefined;
  const parts = fiatParts(digits, { code: currency, rounding });
  const point = parts.findIndex(({ type }) => type === "decimal");
  const said = (some: typeof parts) => some.map(({ value }) => value).join("");
  const whole = sign + said(point < 0 ? parts : parts.slice(0, point));
  const fraction = point < 0 ? "" : said(parts.slice(point));
  const exact = sign + fiatText(digits, { code: currency });
  return { whole, fraction, exact: exact === whole + fraction ? undefined : exact };
}
