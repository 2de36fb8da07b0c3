import { Amount } from "../../domain/money/amount.ts";
import { amount, integer, type Kind } from "../../domain/kinds.ts";

export const EXPIRES_IN = { min: 300, max: 2_592_000 };
export const TOLERANCE_MAX = "10";
export const REASON_MAX = 500;

export const expiresIn: Kind<number> = {
  ...integer(EXPIRES_IN),
  word: "SECONDS",
  is: `a number of seconds from ${EXPIRES_IN.min} to ${EXPIRES_IN.max}`,
};

const MINUTES = { min: EXPIRES_IN.min / 60, max: EXPIRES_IN.max / 60 };

export const expiresInMinutes: Kind<number> = {
  ...integer(MINUTES),
  word: "MINUTES",
  is: `a number of minutes from ${MINUTES.min} to ${MINUTES.max}`,
};

/** What somebody owes. */
export const owed: Kind<string> = {
  ...amount,
  is: "a plain decimal number greater than 0, such as 12.5",
  read: (text) => {
    const plain = amount.read(text);
    return plain === "0" ? undefined : plain;
  },
};

export const tolerance: Kind<string> = {
  word: "PERCENT",
  isDecimal: true,
  is: `a plain decimal number from 0 to ${TOLERANCE_MAX}`,
  read: (text) => {
    const plain = amount.read(text);
    if (plain === undefined) return undefined;
    const isTooMuch = Amount.parse(TOLERANCE_MAX, "").isLessThan(Amount.parse(plain, ""));
    return isTooMuch ? undefined : plain;
  },
};

const URL_CHARACTERS_MAX = 2_000;

export const redirectUrl: Kind<string> = {
  word: "URL",
  is: `an https:// address of at most ${URL_CHARACTERS_MAX} characters`,
  read: (text) => {
    // Letters that aren't ASCII take up to nine times as much as browsers write them, who leave out
    // spaces around it and line breaks in it.
    const { protocol, href = "" } = URL.parse(text) ?? {};
    const length = Math.max(text.length, href.length);
    return protocol === "https:" && length <= URL_CHARACTERS_MAX ? text : undefined;
  },
};
