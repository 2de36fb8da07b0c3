import { Amount } from "../domain/money/amount.ts";
import type { InvoiceRow } from "../invoices/tables/invoices.ts";
import type { Deps } from "../deps/deps.ts";
import { sumsFromBooks } from "../invoices/sums.ts";

interface Refundable {
  readonly network: string;
  readonly currency: string;
  /** Above zero. */
  readonly left: Amount;
}

/** What a form may offer to give back. It decides nothing: the unit that holds it counts again. */
export async function refundableOf(deps: Deps, invoice: InvoiceRow): Promise<Refundable[]> {
  const { credited, refunded } = invoice.sums ?? await sumsFromBooks(deps, invoice);
  return Object.entries(credited).map(([asset, amount]) => {
    const [network = "", currency = ""] = asset.split(/\/(.*)/);
    const given = Amount.parse(refunded[asset] ?? "0", asset);
    return { network, currency, left: Amount.parse(amount, asset).minus(given) };
  }).filter(({ left }) => Amount.zero(left.asset).isLessThan(left));
}
