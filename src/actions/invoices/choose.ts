import { isFinalStatus } from "../../domain/invoices/status.ts";
import { Refused } from "../../domain/refusal.ts";
import type { InvoiceAddressRow, InvoiceRow } from "../../store/tables/checkout/invoices.ts";
import { allocateForInvoice } from "../deposits/for_invoice.ts";
import type { Deps } from "../deps.ts";
import { type Coin, isSame, noRate } from "./terms.ts";

/** The payer's coin: from here on, its network has an address for this invoice. */
export async function chooseMethod(
  deps: Deps,
  { row, coin }: { row: InvoiceRow; coin: Coin },
): Promise<InvoiceAddressRow> {
  const catalog = await deps.catalog.current();
  if (!catalog.network(coin.network)) throw new Refused("network_not_found");
  if (!catalog.currency(coin.network, coin.currency)) throw new Refused("currency_not_found");
  const method = row.methods.find((one) => isSame(one, coin));
  if (!method) throw noRate(coin.currency, row.currency);
  if (isFinalStatus(row.status)) throw new Refused("invoice_final");
  const { network, currency } = method;
  return await allocateForInvoice(deps, { invoice: row, network, currency });
}
