import { last } from "../../base/lists.ts";
import type { Deps } from "../../deps/deps.ts";
import * as kind from "../../domain/kinds.ts";
import { isSameSymbol } from "../../domain/money/symbols.ts";
import type { Paged, PageOf } from "../../store/lists/order.ts";
import {
  type Fact,
  hasOne,
  isWithin,
  type Listing,
  planOf,
  rowsListed,
} from "../../store/lists/listing.ts";
import type { AnyRow, Table } from "../../store/tables/table.ts";

/**
 * A list is declared once: its rows, what they can be filtered by, and which index serves what. The
 * API, the CSV files, the pages and the commands show the same list with the same filters.
 */
export interface List<Row extends AnyRow = AnyRow & { readonly id: number }> {
  /** As in "Withdrawals before 7 were not searched". */
  readonly title: string;
  readonly listing: Listing<Row>;
  /** In the order of the API's document. */
  readonly filters: Readonly<Record<string, Filter<unknown>>>;
  /** What all of its rows have. */
  readonly fixed?: Values;
}

export interface Filter<T> {
  readonly kind: FilterKind<T>;
  /** What the API calls it; without it, the API doesn't take it. */
  readonly api?: string | undefined;
  /** What pages call it, if not as here; null: pages don't have it. */
  readonly page?: string | null;
  /** The command's flag, if not as here; null: the command doesn't have it. */
  readonly flag?: string | null;
  /** Of its field on pages. */
  readonly label: string;
  /** What the command says about it. */
  readonly help: string;
  readonly example: string;
  /** What the API's document says about it, if that isn't the same for all lists. */
  readonly about?: string;
  /** The column that is equal to it. */
  readonly column?: string;
  /** What it asks for otherwise. */
  means?(deps: Deps, value: T, asked: Asked): Fact | readonly Fact[] | Promise<Fact>;
}

/** How it is entered, and which field a page has for it. */
interface FilterKind<T> extends kind.Kind<T> {
  readonly type:
    | ("choice" | "text" | "search" | "address" | "hash" | "linked" | "flag")
    | ("network" | "currency" | "from" | "until");
  readonly max?: number;
}

type Value = string | number | boolean;

/** By the filter's name. */
export type Values = Readonly<Record<string, Value | undefined>>;

export interface Asked {
  /** Null: of all accounts. */
  readonly accountId: number | null;
  readonly values: Values;
  /** What else is asked. */
  readonly facts?: readonly Fact[];
}

export function choice(choices: readonly string[]): FilterKind<string> {
  return { ...kind.choice(choices), type: "choice" };
}

export function text(max: number): FilterKind<string> {
  return { ...kind.text({ max }), type: "text", max };
}

export const flag: FilterKind<boolean> = { ...kind.present, type: "flag" };
/** A text that isn't one matches nothing. */
export const address: FilterKind<string> = {
  ...kind.text({ max: 100, word: "ADDRESS" }),
  type: "address",
};
export const hash: FilterKind<string> = { ...kind.text({ max: 100, word: "HASH" }), type: "hash" };
/** A page has a field for it only if it was looked at from there. */
export const linked: FilterKind<number> = { ...kind.recordId, type: "linked" };

const NETWORK: Filter<string> = {
  kind: { ...kind.networkCode, type: "network" },
  label: "Network",
  help: "only on this network",
  example: "ETH",
  means: async ({ catalog }, wanted) => {
    const { networks } = await catalog.current();
    const codes = networks.map(({ code }) => code);
    return hasOne("network", codes.filter((code) => isSameSymbol(code, wanted)));
  },
};

const CURRENCY: Filter<string> = {
  kind: { ...kind.symbol, type: "currency" },
  label: "Currency",
  help: "only in this currency",
  example: "USDT",
  means: async ({ catalog }, wanted) => {
    const { currencies } = await catalog.current();
    const symbols = new Set(currencies.map(({ symbol }) => symbol));
    return hasOne("currency", [...symbols].filter((symbol) => isSameSymbol(symbol, wanted)));
  },
};

/** Of rows that are amounts of a coin. */
export const COINS = {
  network: { ...NETWORK, api: "network" },
  currency: { ...CURRENCY, api: "currency" },
};

/** From is included, until isn't. */
export const TIMES = {
  from: {
    ...{ kind: { ...kind.moment, type: "from" }, api: "from", label: "From" },
    ...{ help: "only from this time on", example: "2026-01-31" },
  },
  until: {
    ...{ kind: { ...kind.moment, type: "until" }, api: "until", label: "Until (inclusive)" },
    ...{ help: "only before this time", example: "2026-02-01" },
  },
} as const satisfies Record<string, Filter<number>>;

/** A page in the order of ids. `next` may lead to an empty one if it is full. */
export async function rowsOf<Row extends { readonly id: number }>(
  deps: Deps,
  list: List & { readonly listing: Listing<Row> },
  { accountId, values, facts: more = [], ...paged }: Asked & Paged & {
    readonly after?: number | undefined;
  },
): Promise<PageOf<Row>> {
  const facts = [...await factsOf(deps, list, { accountId, values }), ...more];
  return await rowsListed(deps.db, list.listing, {
    ...{ ...paged, facts, spans: deps.memory.idSpans },
  });
}

/** The same with some of the columns. */
export async function partsOf<Row extends { readonly id: number }>(
  deps: Deps,
  list: List,
  { table, ...asked }: Parameters<typeof rowsOf>[2] & { readonly table: Table<Row> },
): Promise<PageOf<Row>> {
  return await rowsOf(deps, { ...list, listing: { ...list.listing, table } }, asked);
}

export async function pageOf<Row extends { readonly id: number }>(
  deps: Deps,
  list: List<Row>,
  asked: Parameters<typeof rowsOf>[2],
): Promise<PageOf<Row>> {
  return await exactly(asked.limit, (limit) => rowsOf(deps, list, { ...asked, limit }));
}

/** One row more says whether there are more. */
export async function exactly<Row extends { readonly id: number }>(
  limit: number,
  read: (limit: number) => Promise<PageOf<Row>>,
): Promise<PageOf<Row>> {
  const { rows, next } = await read(limit + 1);
  if (rows.length <= limit) return { rows, next };
  const shown = rows.slice(0, limit);
  return { rows: shown, next: last(shown).id };
}

/** How many parts of an index have to be merged for a page; few rows that are looked up are one. */
export async function branchesOf(deps: Deps, list: List, asked: Asked): Promise<number> {
  const { sources } = planOf(list.listing, await factsOf(deps, list, asked));
  return sources.reduce((sum, { index, values }) => sum + (index ? values.length : 1), 0);
}

/** Those that somebody can set. */
export function filtersOf({ filters, fixed }: List): [name: string, Filter<unknown>][] {
  return Object.entries(filters).filter(([name]) => fixed?.[name] === undefined);
}

/** What is asked of rows, and what is known about all of them. */
async function factsOf(
  deps: Deps,
  { listing, filters, fixed }: List,
  { accountId, values: given }: Asked,
): Promise<Fact[]> {
  const values = { ...given, ...fixed };
  const asked = { accountId, values };
  const facts: (Fact | readonly Fact[] | Promise<Fact>)[] = [
    ...accountId === null ? [] : [hasOne("account_id", [accountId])],
    ...isWithin(listing.time, { fromMs: timeOf(values.from), untilMs: timeOf(values.until) }),
  ];
  for (const [name, { kind, column, means }] of Object.entries(filters)) {
    const value = values[name];
    if (kind.type === "choice" && column !== undefined) {
      facts.push({ ...hasOne(column, kind.values ?? []), isEvery: true });
    }
    if (value === undefined) continue;
    if (means) facts.push(means(deps, value, asked));
    else if (column !== undefined) {
      facts.push(hasOne(column, [value === true ? 1 : value as string]));
    }
  }
  if (filters.network) facts.push(coinsOf(deps, values));
  return (await Promise.all(facts)).flat();
}

function timeOf(value: Value | undefined): number | null {
  return typeof value === "number" ? value : null;
}

/** All coins that the rows can be of. */
async function coinsOf({ catalog }: Deps, { network, currency }: Values): Promise<Fact> {
  const isMatch = (wanted: Value | undefined, one: string) =>
    wanted === undefined || isSameSymbol(String(wanted), one);
  const { currencies } = await catalog.current();
  const coins = currencies.filter((one) =>
    isMatch(network, one.network) && isMatch(currency, one.symbol)
  );
  return {
    columns: ["network", "currency"],
    values: coins.map(({ network, symbol }) => [network, symbol]),
    isEvery: true,
  };
}
