import type { World } from "../networks/rules/world.ts";
import { isSameSymbol } from "../domain/money/symbols.ts";
import { isFinalStatus } from "./rules/status.ts";
import { Refused } from "../domain/refusal.ts";
import type { InvoiceAddressRow, InvoiceRow } from "./tables/invoices.ts";
import { allocateForInvoice } from "../deposits/for_invoice.ts";
import type { Deps } from "../deps/deps.ts";
import { worldOf } from "../networks/worlds.ts";
import { rateOf } from "../rates/current.ts";
import { type Coin, isSame, noRate, noTestRate } from "./terms.ts";

/** Prices are locked when it is made, so none is added later. */
const NOT_AMONG = "it is not among the methods of the invoice";

/** The payer's coin: from here on, its network has an address for this invoice. */
export async function chooseMethod(
  deps: Deps,
  { row, coin, isByPayer = false }: { row: InvoiceRow; coin: Coin; isByPayer?: boolean },
): Promise<InvoiceAddressRow> {
  const catalog = await deps.catalog.current();
  if (!catalog.network(coin.network)) throw new Refused("network_not_found");
  const listed = catalog.currency(coin.network, coin.currency);
  if (!listed) throw new Refused("currency_not_found");
  const method = row.methods.find((one) => isSame(one, coin));
  const world = await worldOf(deps, { accountId: row.accountId, network: listed.network });
  // It may have been offered before the account had its first real coin.
  if (world === null) throw noTestRate(listed, row.currency);
  if (!method) throw await whyNotOffered(deps, { row, base: listed.symbol, world });
  if (isFinalStatus(row.status)) throw new Refused("invoice_final");
  const { network, currency } = method;
  return await allocateForInvoice(deps, { invoice: row, network, currency, isByPayer });
}

async function whyNotOffered(
  deps: Deps,
  { row: { currency: quote }, base, world }: { row: InvoiceRow; base: string; world: World },
): Promise<Refused> {
  const rate = isSameSymbol(base, quote) || await rateOf(deps, { base, quote, world });
  return rate ? new Refused("currency_not_found", { text: NOT_AMONG }) : noRate(base, quote);
}
