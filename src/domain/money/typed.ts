/** Zero of each set of digits that a keyboard may have. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0xff10];

/** With a point or a decimal comma. "1,000" may be a thousand or one, so it is no number. */
export const TYPED_NUMBER = /^(?![1-9]\d{0,2},\d{3}$)\d+(?:[.,]\d+)?$/;

/** A number as people of any language type it, with a point. Anything else stays as it is. */
export function pointed(typed: string): string {
  const text = typed.trim()
    .replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]/g, plainDigit)
    .replaceAll("\u066b", ".");
  return TYPED_NUMBER.test(text.replace(/^-/, "")) ? text.replace(",", ".") : text;
}

/** Between digits, where it could not be understood. */
export function hasSeparators(text: string): boolean {
  return /\d[\s,'\u2019]\d/.test(text);
}

function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  return String(code - (ZEROS.findLast((zero) => zero <= code) ?? 0));
}
