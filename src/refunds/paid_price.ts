import { isGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf, DECIMALS_MAX } from "../domain/money/amount.ts";
import { isSameSymbol } from "../domain/money/symbols.ts";
import { lookAt, type SeenPayment } from "../invoices/look.ts";
import { countsAs } from "../invoices/rules/judge.ts";
import { type InvoiceRow, Invoices } from "../invoices/tables/invoices.ts";

/** The price that payments of one coin counted for in their invoice, whatever it costs today. */
export interface PaidPrice {
  /** The most coins that aren't worth more. */
  coinsFor(value: string): Amount;
  /** Rounded down, too. */
  valueOf(coins: Amount): Amount;
}

interface Coin {
  readonly network: string;
  readonly currency: string;
}

/** Undefined if the invoice is in the coin itself, or nothing that was paid of it had a price. */
export async function paidPriceOf(
  deps: Deps,
  { invoice, coin: { network, currency } }: { invoice: InvoiceRow; coin: Coin },
): Promise<PaidPrice | undefined> {
  if (isSameSymbol(invoice.currency, currency)) return undefined;
  if (!await isGenuine(deps, Invoices, invoice)) return undefined;
  const { payments, catalog } = await lookAt(deps, invoice, { refundsMax: 0 });
  const decimals = catalog.currency(network, currency)?.decimals ?? 0;
  return priceIn(payments, { network, currency, decimals, quote: invoice.currency });
}

type Priced = Pick<SeenPayment, "status" | "missing" | "value"> & {
  readonly row: Coin & { readonly amount: string };
};

/** Those at other prices count by how much they are, those without any not at all. */
export function priceIn(
  payments: readonly Priced[],
  { decimals, quote, ...coin }: Coin & { readonly decimals: number; readonly quote: string },
): PaidPrice | undefined {
  const asset = assetOf(coin);
  const counted = payments.flatMap((payment) => {
    const { row: { amount }, value } = payment;
    const isOfCoin = assetOf(payment.row) === asset && countsAs(payment) === "credited";
    return isOfCoin && value !== null ? [{ amount, value }] : [];
  });
  const coins = Amount.sumOf(counted.map(({ amount }) => amount), asset);
  const worth = Amount.sumOf(counted.map(({ value }) => value), quote);
  if (coins.isZero() || worth.isZero()) return undefined;
  return {
    coinsFor: (value) =>
      Amount.parse(value, quote).exchanged({ of: worth, worth: coins }, decimals),
    valueOf: (left) => left.exchanged({ of: coins, worth }, DECIMALS_MAX),
  };
}
