import { creditsWorth, debitsWorth } from "../../books/reads/worths.ts";
import { LedgerEntries, type LedgerEntryRow } from "../../books/table.ts";
import { genuine } from "../../books/tampered.ts";
import type { Component } from "../../base/html.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { isSameSymbol } from "../../domain/money/symbols.ts";
import { moneyText } from "../../domain/money/written.ts";
import { worthsInInvoices } from "../../invoices/reads/worths.ts";
import { pricesOf, quoteOf } from "../../rates/prices.ts";
import type { Visit } from "../visit.ts";
import { Money } from "./facts.tsx";
import type { Column } from "./table.tsx";

interface Moved {
  readonly id: number;
  readonly accountId: number | null;
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
}

/** What each is worth in its owner's currency, in words. */
export type Worths = ReadonlyMap<number, string>;

/**
 * What payments counted for in their invoices, unless the owner reckons in another currency; or what
 * they were worth when they were credited, or are worth now.
 */
export async function worthsOfPayments(visit: Visit, rows: readonly Moved[]): Promise<Worths> {
  const { deps } = visit;
  const [entries, counted, { reporting }] = await Promise.all([
    creditsWorth(deps.db, rows.map(({ id }) => id)),
    worthsInInvoices(deps, rows),
    deps.catalog.current(),
  ]);
  const said = await worthsOf(visit, { rows, entries, idOf: (entry) => entry.transactionId });
  for (const { id, accountId, currency: coin } of rows) {
    const { value, currency } = counted.get(id) ?? {};
    if (value === undefined || currency === undefined || isSameSymbol(currency, coin)) continue;
    const own = reporting.get(accountId ?? 0) ?? currency;
    if (isSameSymbol(own, currency)) said.set(id, moneyText(value, { currency }));
  }
  return said;
}

export async function worthsOfPayouts(visit: Visit, rows: readonly Moved[]): Promise<Worths> {
  const entries = await debitsWorth(visit.deps.db, rows.map(({ id }) => id));
  return await worthsOf(visit, { rows, entries, idOf: (entry) => entry.withdrawalId });
}

async function worthsOf(
  visit: Visit,
  { rows, entries, idOf }: {
    rows: readonly Moved[];
    entries: readonly LedgerEntryRow[];
    idOf(entry: LedgerEntryRow): number | null;
  },
): Promise<Map<number, string>> {
  const said = await worthsNow(visit, rows);
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const entry of await genuine(visit.deps, LedgerEntries, entries)) {
    const row = byId.get(idOf(entry) ?? 0);
    const { value, valueCurrency } = entry;
    if (!row || value === null || valueCurrency === null) continue;
    const of = Amount.parse(row.amount, assetOf(row));
    const worth = of.convertedBy(priceIn(entry, { value, valueCurrency }), valueCurrency);
    said.set(row.id, moneyText(worth.toString(), { currency: valueCurrency }));
  }
  return said;
}

const PRICE_DECIMALS = 30;

/** An entry of a payout has its fee too. */
function priceIn(
  { amount }: LedgerEntryRow,
  { value, valueCurrency }: { value: string; valueCurrency: string },
): string {
  const unit = { asset: valueCurrency, decimals: PRICE_DECIMALS };
  const worth = Amount.parse(plain(value), valueCurrency);
  return worth.pricedAt(plain(amount), unit).toString();
}

function plain(text: string): string {
  return text.replace(/^-/, "");
}

/** Of one account only: its coins have the same prices. */
async function worthsNow(visit: Visit, rows: readonly Moved[]): Promise<Map<number, string>> {
  const said = new Map<number, string>();
  for (const [accountId, assets] of Map.groupBy(rows, (row) => row.accountId)) {
    if (accountId === null) continue;
    const quote = await quoteOf(visit.deps, accountId);
    const prices = await pricesOf(visit.deps, { accountId, assets, quote });
    for (const row of assets) {
      const price = prices.get(assetOf(row));
      if (price === undefined) continue;
      const worth = Amount.parse(row.amount, assetOf(row)).convertedBy(price, quote);
      said.set(row.id, `about ${moneyText(worth.toString(), { currency: quote })}`);
    }
  }
  return said;
}

/** In the owner's currency, with the coin's below. */
export function worthColumn<Row extends Moved>(visit: Visit, worths: Worths): Column<Row> {
  return {
    title: "Amount",
    isNumber: true,
    isMixed: true,
    at: "amount",
    cell: (row) => <Worth visit={visit} row={row} worth={worths.get(row.id)} />,
  };
}

const Worth: Component<{ visit: Visit; row: Moved; worth: string | undefined }> = (
  { visit, row, worth },
) => (
  <>
    {worth && <span class="above">{worth}</span>}{" "}
    <Money amount={row.amount} currency={visit.coin(row)} />
  </>
);
