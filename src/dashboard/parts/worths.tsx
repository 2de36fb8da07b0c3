import { creditsWorth, debitsWorth } from "../../books/reads/worths.ts";
import { LedgerEntries, type LedgerEntryRow } from "../../books/table.ts";
import { genuine } from "../../books/tampered.ts";
import type { Component } from "../../base/html.ts";
import type { Deps } from "../../deps/deps.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { isSameSymbol } from "../../domain/money/symbols.ts";
import { moneyText } from "../../domain/money/written.ts";
import { worthsInInvoices } from "../../invoices/worths.ts";
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

/** Plain digits, and the code of what they are of. */
interface Value {
  readonly value: string;
  readonly currency: string;
}

type Values = ReadonlyMap<number, Value>;

/**
 * What payments counted for in their invoices, unless the owner reckons in another currency; or what
 * they were worth when they were credited, or are worth now.
 */
export async function worthsOfPayments(visit: Visit, rows: readonly Moved[]): Promise<Worths> {
  const [now, { counted, credited, isOwn }] = await Promise.all([
    worthsNow(visit, rows),
    thenOf(visit.deps, rows),
  ]);
  const then = rows.flatMap((row) => {
    const { id, currency } = row;
    const ours = counted.get(id);
    const isShown = ours && isOwn(row, ours) && !isSameSymbol(ours.currency, currency);
    const value = isShown ? ours : credited.get(id);
    return value ? [[id, value] as const] : [];
  });
  return inWords(now, new Map(then));
}

/**
 * What payments counted for in their invoices, or were worth when they were credited: in the owner's
 * currency if that is known, and never at today's prices.
 */
export async function valuesOfPayments(deps: Deps, rows: readonly Moved[]): Promise<Values> {
  const { counted, credited, isOwn } = await thenOf(deps, rows);
  return new Map(rows.flatMap((row) => {
    const ours = counted.get(row.id);
    const value = ours && isOwn(row, ours) ? ours : credited.get(row.id) ?? ours;
    return value ? [[row.id, value] as const] : [];
  }));
}

async function thenOf(deps: Deps, rows: readonly Moved[]) {
  const [entries, counted, { reporting }] = await Promise.all([
    creditsWorth(deps.db, rows.map(({ id }) => id)),
    worthsInInvoices(deps, rows),
    deps.catalog.current(),
  ]);
  return {
    counted,
    credited: await bookedFor(deps, { rows, entries, idOf: (entry) => entry.transactionId }),
    isOwn: ({ accountId }: Moved, { currency }: Value) =>
      isSameSymbol(reporting.get(accountId ?? 0) ?? currency, currency),
  };
}

export async function worthsOfPayouts(visit: Visit, rows: readonly Moved[]): Promise<Worths> {
  const entries = await debitsWorth(visit.deps.db, rows.map(({ id }) => id));
  const [now, booked] = await Promise.all([
    worthsNow(visit, rows),
    bookedFor(visit.deps, { rows, entries, idOf: (entry) => entry.withdrawalId }),
  ]);
  return inWords(now, booked);
}

function inWords(now: Worths, then: Values): Worths {
  const said = [...then].map(([id, { value, currency }]) =>
    [id, moneyText(value, { currency })] as const
  );
  return new Map([...now, ...said]);
}

async function bookedFor(
  deps: Deps,
  { rows, entries, idOf }: {
    rows: readonly Moved[];
    entries: readonly LedgerEntryRow[];
    idOf(entry: LedgerEntryRow): number | null;
  },
): Promise<Values> {
  const booked = new Map<number, Value>();
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const entry of await genuine(deps, LedgerEntries, entries)) {
    const row = byId.get(idOf(entry) ?? 0);
    const { value, valueCurrency: currency } = entry;
    if (!row || value === null || currency === null) continue;
    booked.set(row.id, { value: shareOf(row, { ...entry, value }), currency });
  }
  return booked;
}

const PRICE_DECIMALS = 30;

/** Of what an entry was worth. An entry of a payout has its fee too. */
function shareOf(row: Moved, entry: { readonly amount: string; readonly value: string }): string {
  const [amount, value] = [plain(entry.amount), plain(entry.value)];
  if (Amount.areEqual(amount, row.amount)) return value;
  const price = Amount.parse(value, "").pricedAt(amount, { asset: "", decimals: PRICE_DECIMALS });
  return Amount.parse(row.amount, assetOf(row)).convertedBy(price.toString(), "").toString();
}

function plain(text: string): string {
  return text.replace(/^-/, "");
}

/** Of one account only: its coins have the same prices. */
async function worthsNow(visit: Visit, rows: readonly Moved[]): Promise<Worths> {
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
