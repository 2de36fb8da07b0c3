import { randomToken } from "../../base/bytes.ts";
import type { Component } from "../../base/html.ts";
import * as kind from "../../domain/kinds.ts";
import { Amount } from "../../domain/money/amount.ts";
import { OperatorError } from "../../domain/refusal.ts";
import type { Fields } from "../form.ts";
import type { Guest } from "../visit.ts";

const ONCE = "once";
const ONCE_BYTES = 15;
const KEY_PREFIX = "dashboard-";

/** What is sent again, however late and to whichever program, has the same key. */
export const Once: Component<{ visit: Guest }> = ({ visit }) => (
  <input type="hidden" name={ONCE} value={visit.typed(ONCE) || randomToken(ONCE_BYTES)} />
);

export function onceKey(fields: Fields): string {
  return KEY_PREFIX + fields.required(ONCE, kind.text({ max: 64 }));
}

/** Nobody typed it. */
export function isOnceKey(reference: string): boolean {
  return reference.startsWith(KEY_PREFIX);
}

/** A form sent again with another amount must not look as if it had made another invoice. */
export function mustBeFor(
  wish: { amount: string; currency: string },
  { id, amount, currency }: { id: number; amount: string; currency: string },
): void {
  const isSame = Amount.parse(amount, "").equals(Amount.parse(wish.amount, ""));
  if (isSame && currency.toLowerCase() === wish.currency.toLowerCase()) return;
  throw new OperatorError(
    `This form was already sent, and invoice ${id} for ${amount} ${currency} came of it. ` +
      "Open it again for another invoice",
  );
}
