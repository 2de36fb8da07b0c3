import type { Component } from "../../../base/html.ts";
import { spellingIn } from "../../../domain/money/symbols.ts";
import {
  type Asked,
  branchesOf,
  type Filter,
  filtersOf,
  type List,
  partsOf,
  rowsOf,
  type Values,
} from "../../../operations/lists/list.ts";
import type { Catalog } from "../../../store/engine/catalog.ts";
import type { PageOf } from "../../../store/lists/order.ts";
import type { Table } from "../../../store/tables/table.ts";
import type { Figures, RawRoute } from "../../routes.ts";
import type { Visit } from "../../visit.ts";
import { AccountFilter, ChoiceFilter, NumberFilter, symbolsOf, TextFilter } from "../filters.tsx";
import { type CsvColumn, csvRoute } from "../csv.tsx";
import { Check, Field } from "../form.tsx";
import { Filters, isFirstPage } from "../table.tsx";
import { freshFigures, freshQuery } from "./fresh.tsx";
import { DateFields, DatePresets, periodWanted } from "./period.tsx";
import { COUNTED_MAX } from "./totals.tsx";

interface ListProps {
  readonly visit: Visit;
  readonly list: List;
  readonly catalog: Catalog;
}

/** A field for each filter that pages have: those of the account's coins together, times last. */
export const ListFilters: Component<ListProps> = ({ visit, list, catalog }) => {
  const filters = namedOn(list);
  const fields = filters.filter(({ filter: { kind } }) => !isTime(kind) && kind.type !== "flag");
  const coins = fields.findIndex(({ filter: { kind } }) => kind.type === "network");
  const [before, after] = [fields.slice(0, Math.max(coins, 0)), fields.slice(Math.max(coins, 0))];
  const hasTimes = "from" in list.filters;
  return (
    <>
      {hasTimes && <DatePresets visit={visit} />}
      <Filters visit={visit}>
        {before.map((one) => <FilterField visit={visit} catalog={catalog} {...one} />)}
        <AccountFilter visit={visit} />
        {after.map((one) => <FilterField visit={visit} catalog={catalog} {...one} />)}
        {hasTimes && <DateFields visit={visit} />}
        {filters.filter(({ filter: { kind } }) => kind.type === "flag").map(({ name, filter }) => (
          <Check visit={visit} name={name} label={filter.label} isOn={visit.query.has(name)} />
        ))}
      </Filters>
    </>
  );
};

interface Named {
  /** In the address of the page. */
  readonly name: string;
  readonly key: string;
  readonly filter: Filter<unknown>;
}

function namedOn(list: List): Named[] {
  return filtersOf(list).flatMap(([key, filter]) => {
    const { page = key } = filter;
    return page === null ? [] : [{ name: page, key, filter }];
  });
}

function isTime({ type }: Filter<unknown>["kind"]): boolean {
  return type === "from" || type === "until";
}

const FilterField: Component<Named & { visit: Visit; catalog: Catalog }> = (
  { visit, catalog, name, filter: { kind, label } },
) => {
  const field = { visit, name, label };
  switch (kind.type) {
    case "choice":
      return <ChoiceFilter {...field} choices={kind.values ?? []} />;
    case "network":
      return (
        <ChoiceFilter
          {...field}
          choices={catalog.networks.map(({ code }) => code)}
          wordOf={(code) => visit.network(code)}
        />
      );
    case "currency":
      return <ChoiceFilter {...field} choices={symbolsOf(catalog)} />;
    case "linked":
      return visit.query.has(name) && <NumberFilter {...field} />;
    case "search":
      return <Field {...field} type="search" value={visit.query.get(name) ?? ""} isFilter />;
    default:
      return <TextFilter {...field} />;
  }
};

type Wanted = Asked & Visit["paging"];

/** What the page's address asks for. An unknown choice is none; another wrong text matches nothing. */
export function listWanted(visit: Visit, list: List, catalog: Catalog): Wanted {
  const values: Record<string, Values[string]> = {};
  for (const { name, key, filter: { kind } } of namedOn(list)) {
    const text = visit.query.get(name)?.trim() ?? "";
    if (kind.type === "flag") values[key] = visit.query.has(name) || undefined;
    else if (text !== "" && !isTime(kind)) values[key] = valueOf(text, { kind, catalog });
  }
  if ("from" in list.filters) {
    const { fromMs, untilMs } = periodWanted(visit, { otherwise: "all" });
    values.from = fromMs ?? undefined;
    values.until = untilMs ?? undefined;
  }
  return { accountId: visit.accountWanted(), values, ...visit.paging };
}

const NO_ID = 0;

function valueOf(
  text: string,
  { kind, catalog }: { kind: Filter<unknown>["kind"]; catalog: Catalog },
): Values[string] {
  switch (kind.type) {
    case "network":
      return catalog.networks.find(({ code }) => code === text)?.code;
    case "currency":
      return spellingIn(catalog.currencies.map(({ symbol }) => symbol), text);
    case "choice":
      return kind.values?.find((one) => one === text);
    case "linked":
      return /^\d{1,15}$/.test(text) ? Number(text) : NO_ID;
    default:
      return text;
  }
}

/** Where so many parts of an index have to be merged, fewer rows are added up. */
const MANY_BRANCHES = 20;
const MERGED_MAX = 200;

/** What totals are added up from; null: the page shows none. */
export async function amountsFound<Row extends { readonly id: number }>(
  visit: Visit,
  { list, wanted, table }: { list: List; wanted: Wanted; table: Table<Row> },
): Promise<PageOf<Row> | null> {
  const { deps } = visit;
  if (!isFirstPage(visit)) return null;
  const isMerged = await branchesOf(deps, list, wanted) >= MANY_BRANCHES;
  const limit = isMerged ? MERGED_MAX : COUNTED_MAX;
  return await partsOf(deps, list, { ...wanted, table, isOldestFirst: false, limit });
}

/** How many rows came since the page was opened. */
export async function freshIn<Row extends { readonly id: number }>(
  visit: Visit,
  { list, table, words }: { list: List; table: Table<Row>; words: string },
): Promise<Figures> {
  const wanted = listWanted(visit, list, await visit.deps.catalog.current());
  const { rows } = await partsOf(visit.deps, list, { ...wanted, ...freshQuery(visit), table });
  return freshFigures(rows.length, words);
}

/** All rows of a list as a file. It outlives the look at it, so forged rows end it. */
export function listCsv<Row extends { readonly id: number }, Line = Row>(
  { list, rowsAtOnce, ...csv }: {
    readonly list: List<Row>;
    readonly path: string;
    readonly columns: readonly CsvColumn<Line>[];
    readonly rowsAtOnce?: number;
    lines(deps: Visit["deps"], rows: readonly Row[]): Promise<readonly Line[]>;
  },
): RawRoute {
  return csvRoute({
    ability: "see",
    ...{ path: csv.path, columns: csv.columns, ...rowsAtOnce === undefined ? {} : { rowsAtOnce } },
    wanted: async (visit) => listWanted(visit, list, await visit.deps.catalog.current()),
    read: async ({ deps }, query) => {
      const { rows, next } = await rowsOf(deps, list, query);
      return { rows: await csv.lines(deps, rows), next };
    },
  });
}
