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
const SIGNIFICANT = 3;
const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * Cut off rather than rounded, so that nobody sees more than there is. A text that is no number
 * stays as it is.
 */
export function shownAmount(text: string, decimals = 18): ShownAmount {
  const [, sign, whole, fraction = ""] = NUMBER.exec(text) ?? [];
  if (whole === undefined) return { whole: text, fraction: "", exact: undefined };
  const exact = `${sign}${separated(whole)}${fraction && `.${fraction}`}`;
  if (whole.length > WHOLE_DIGITS_MAX) {
    const power = [...String(whole.length - 1)].map((digit) => SUPERSCRIPT[Number(digit)]).join("");
    return { whole: `${sign}${whole[0]}.${whole.slice(1, 4)} × 10${power}`, fraction: "", exact };
  }
  const kept = fraction.slice(0, Math.min(digitsShown(whole, fraction), decimals));
  return {
    whole: `${sign}${separated(whole)}`,
    fraction: kept && `.${kept}`,
    exact: kept.length < fraction.length ? exact : undefined,
  };
}

/** Where there is no room for the other digits. */
export function shownText(text: string): string {
  const { whole, fraction } = shownAmount(text);
  return whole + fraction;
}

/** The larger the amount, the fewer; of small ones the first digits that aren't 0. */
function digitsShown(whole: string, fraction: string): number {
  if (whole.length > 3) return 2;
  if (whole !== "0") return 4;
  const zeros = /^0*/.exec(fraction)![0].length;
  return Math.max(4, zeros + SIGNIFICANT);
}

function separated(digits: string): string {
  const first = digits.length % 3;
  const groups = digits.slice(first).match(/\d{3}/g) ?? [];
  return [...first > 0 ? [digits.slice(0, first)] : [], ...groups].join(",");
}
