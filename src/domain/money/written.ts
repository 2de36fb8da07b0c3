import { Lru } from "../../base/lru.ts";
import { Amount } from "./amount.ts";

/** Amounts as people write them. What a program reads keeps the plain digits. */

interface Fiat {
  readonly code: string;
  readonly language?: string;
  /**
   * "exact": at least the currency's own decimals, and all others that there are. Parts are rounded
   * down and what is missing up, so that they still add up to the whole; what only informs to the
   * nearest.
   */
  readonly rounding?: "exact" | "down" | "up" | "nearest";
}

const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
/** The most that a format takes. */
const DECIMALS_MAX = 100;

const MODES = { exact: "trunc", down: "trunc", up: "expand", nearest: "halfExpand" } as const;

/** Making one takes longer than using it fifty times. */
const formats = new Lru<string, Intl.NumberFormat>(200);

/** Whether it is the code of a state's money. A coin may have the same letters. */
export function isFiat(code: string): boolean {
  return CODES.has(code);
}

/** "€19.90" for "19.9" euros in English. */
export function fiatText(amount: string, fiat: Fiat): string {
  return fiatParts(amount, fiat).map(({ value }) => value).join("");
}

/** The same in pieces, such as the fraction. */
export function fiatParts(amount: string, fiat: Fiat): readonly Intl.NumberFormatPart[] {
  const format = formatOf(fiat);
  const parts = format.formatToParts(amount as Intl.StringNumericLiteral);
  const isNothing = /^[-+]?0*(\.0*)?$/.test(amount);
  if (isNothing || parts.some(({ value }) => /[1-9]/.test(value))) return parts;
  // Not zero, but less than the currency's smallest coin.
  const { maximumFractionDigits: decimals = 0 } = format.resolvedOptions();
  const least = `${amount.startsWith("-") ? "-" : ""}${(10 ** -decimals).toFixed(decimals)}`;
  const shown = format.formatToParts(least as Intl.StringNumericLiteral);
  return [{ type: "literal", value: "<" }, ...shown];
}

function formatOf({ code, language = "en", rounding = "exact" }: Fiat): Intl.NumberFormat {
  const key = `${language} ${code} ${rounding}`;
  let format = formats.get(key);
  if (!format) {
    const wanted: Intl.NumberFormatOptions = {
      ...{ style: "currency", currency: code },
      ...rounding === "exact" ? { maximumFractionDigits: DECIMALS_MAX } : {},
      roundingMode: MODES[rounding],
    };
    formats.set(key, format = new Intl.NumberFormat(language, wanted));
  }
  return format;
}

interface Money {
  readonly currency: string;
  readonly language?: string;
  /** It is one of the gateway's, whatever it has in common with a state's money. */
  readonly isCoin?: boolean;
  readonly rounding?: Fiat["rounding"];
}

/**
 * What a person reads: "€19.90" and "0.00796 ETH" in English. All digits if the rounding is exact;
 * otherwise a currency's own decimals, and of coins as many digits as matter.
 */
export function moneyText(
  amount: string,
  { currency, language = "en", isCoin = !isFiat(currency), rounding = "nearest" }: Money,
): string {
  if (!isCoin) return fiatText(amount, { code: currency, language, rounding });
  const decimals = rounding === "exact" ? DECIMALS_MAX : decimalsThatMatter(amount);
  const format = coinFormat({ language, decimals, rounding });
  return `${format.format(amount as Intl.StringNumericLiteral)} ${currency}`;
}

/** Of what is smaller than one, so many after the leading zeros. */
const SMALL_DIGITS = 3;

/** The larger the amount, the fewer; of small ones the first digits that aren't 0. */
export function decimalsThatMatter(amount: string): number {
  const [whole = "", fraction = ""] = amount.replace(/^[-+]?0*/, "").split(".");
  if (whole !== "") return whole.length > 3 ? 2 : 4;
  return Math.max(4, /^0*/.exec(fraction)![0].length + SMALL_DIGITS);
}

/** In the digits that wallets take. */
function coinFormat(
  { language, decimals, rounding }: {
    language: string;
    decimals: number;
    rounding: NonNullable<Fiat["rounding"]>;
  },
): Intl.NumberFormat {
  const key = `${language} ${decimals} ${rounding}`;
  let format = formats.get(key);
  if (!format) {
    const wanted: Intl.NumberFormatOptions = {
      ...{ numberingSystem: "latn", maximumFractionDigits: decimals },
      roundingMode: MODES[rounding],
    };
    formats.set(key, format = new Intl.NumberFormat(language, wanted));
  }
  return format;
}

/** Enough for anybody who only wants to know how much, and few enough to compare. */
const ABOUT_DIGITS = 8;

/** The nearest with at most eight digits. A program reads all of them. */
export function aboutText(amount: string): string {
  return Amount.parse(amount, "").roundedTo(ABOUT_DIGITS).toString();
}

/** A comma between each three digits before the point. */
export function separated(amount: string): string {
  const sign = amount.startsWith("-") ? "-" : "";
  const [whole = "", ...fraction] = amount.slice(sign.length).split(".");
  const first = whole.length % 3;
  const groups = whole.slice(first).match(/.{3}/g) ?? [];
  const grouped = [...first > 0 ? [whole.slice(0, first)] : [], ...groups].join(",");
  return sign + [grouped, ...fraction].join(".");
}
