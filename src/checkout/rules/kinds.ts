import { integer, type Kind, text } from "../../domain/kinds.ts";
import { DIGITS } from "../../invoices/rules/coins.ts";

export const shopName = text({ max: 100 });
export const digits: Kind<number> = integer(DIGITS);

/** The word "none" takes a setting back. */
export function orNone<T>(kind: Kind<T>): Kind<T | null> {
  return {
    ...kind,
    word: `${kind.word}|none`,
    is: `${kind.is}, or none`,
    read: (value) => value === "none" ? null : kind.read(value),
  };
}
