import { Amount } from "../domain/money/amount.ts";
import { isSameSymbol } from "../domain/money/symbols.ts";
import type { InvoiceRow } from "./tables/invoices.ts";
import { handKeyOf } from "../access/manage_api_keys.ts";
import { findAccount } from "../books/find.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { chooseMethod } from "./choose.ts";
import { createInvoice, type NewInvoice } from "./create.ts";

/** With the same checks as through the API. A repeated idempotency key is the same invoice. */
export async function createInvoiceByHand(
  deps: Deps,
  { accountId, actor, ...wish }: NewInvoice & { accountId: number; actor: Actor },
): Promise<InvoiceRow> {
  await findAccount(deps, accountId);
  const keyId = await handKeyOf(deps, { accountId, actor });
  const caller = { accountId, keyId, actor, signature: null };
  const { row, isReplay } = await createInvoice(deps, { caller, ...wish });
  const isAsked = isReplay && row.status === "open" && isSameOrder(wish, row);
  if (wish.chosen && isAsked) await chooseMethod(deps, { row, coin: wish.chosen });
  return row;
}

type Order = Pick<InvoiceRow, "amount" | "currency">;

export function isSameOrder(wish: Order, { amount, currency }: Order): boolean {
  return Amount.areEqual(amount, wish.amount) &&
    isSameSymbol(currency, wish.currency);
}
