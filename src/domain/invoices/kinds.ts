import { Amount } from "../money/amount.ts";
import { amount, integer, type Kind } from "../kinds.ts";

export const EXPIRES_IN = { min: 300, max: 2_592_000 };
export const TOLERANCE_MAX = "10";
export const REASON_MAX = 500;

export const expiresIn: Kind<number> = {
  ...integer(EXPIRES_IN),
  word: "SECONDS",
  is: `a number of seconds from ${EXPIRES_IN.min} to ${EXPIRES_IN.max}`,
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
  is: "an https:// address",
  read: (text) => {
    const isRight = text.length <= URL_CHARACTERS_MAX && URL.parse(text)?.protocol === "https:";
    return isRight ? text : undefined;
  },
};
