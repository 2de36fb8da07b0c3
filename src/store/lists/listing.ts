import { invariant, present } from "../../base/assert.ts";
import { at } from "../../base/lists.ts";
import type { Db, SqlValue } from "../engine/db.ts";
import type { AnyRow, Table } from "../tables/table.ts";
import type { Source } from "./branches.ts";
import { type IdSpans, type TimeWindow, windowOf } from "./id_spans.ts";
import type { Condition, Paged, PageOf } from "./order.ts";
import { walk } from "./walk.ts";

/** What is asked of the rows of a list: these columns have one of these combinations of values. */
export interface Fact {
  /** SQL expressions, spelled as the indexes spell them. */
  readonly columns: readonly string[];
  readonly values: readonly (readonly SqlValue[])[];
  /** Every row has one of them: nothing is asked, but an index can be read value by value. */
  readonly isEvery?: boolean;
  /** What is asked beside that. */
  readonly others?: readonly Condition[];
  /** One of these holds. An index of few rows serves each by itself. */
  readonly either?: readonly Fact[];
  readonly window?: TimeWindow;
}

/** Rows that an index has in the order of their ids, once the values of its columns are given. */
interface Part {
  /** If absent, all rows. */
  readonly index?: string;
  readonly columns: readonly string[];
  /** What a partial index is limited to. */
  readonly where?: string;
  /** The values of a column that it has. */
  readonly only?: Readonly<Record<string, readonly SqlValue[]>>;
}

/** How to get at rows: all parts together have every one. */
type Way = readonly Part[];

/** A list: its table, and the indexes that serve it. */
export interface Listing<Row extends AnyRow = AnyRow> {
  readonly table: Table<Row>;
  /** The column that times refer to. */
  readonly time: string;
  /** Ways to few rows, which are taken if they can be, the narrowest first. */
  readonly narrow?: readonly Way[];
  /** Of these the one that serves the most of what is asked, with the fewest values. */
  readonly ways: readonly Way[];
}

interface ListAsked extends Paged {
  readonly spans: IdSpans;
  readonly facts: readonly Fact[];
  /** Only rows above this id. */
  readonly after?: number | undefined;
}

/** Who sees all accounts waits longer, and isn't many. */
const REACH_OF_ALL = 20_000;
const BY_ID: Way = [{ columns: ["id"] }];
/** Not a bound on the id: SQLite uses one lower bound only, and would look past the page's own. */
const EVERYTHING: Way = [{ columns: [], where: "true" }];

/** With all or some of the columns of the table. */
export async function rowsListed<Row extends { readonly id: number }>(
  db: Db,
  { table, ...listing }: Omit<Listing, "table"> & { readonly table: Table<Row> },
  { spans, facts, cursor, limit, after, isOldestFirst }: ListAsked,
): Promise<PageOf<Row>> {
  const { sources, filters } = planOf(listing, facts);
  const isOfAll = !facts.some(({ columns }) => columns.includes("account_id"));
  return await walk(db, { table, spans }, {
    ...{ sources, filters, cursor, limit, after, isOldestFirst },
    windows: facts.flatMap(({ window }) => window ?? []),
    ...isOfAll ? { reach: REACH_OF_ALL } : {},
  });
}

interface Plan {
  readonly sources: readonly Source[];
  /** What they don't serve. */
  readonly filters: readonly Condition[];
}

/** How the rows are found. */
export function planOf(
  { narrow = [], ways }: Pick<Listing, "narrow" | "ways">,
  facts: readonly Fact[],
): Plan {
  const joined = joinedOf(facts);
  const asked = joined.filter(({ isEvery, columns }) => !isEvery && columns.length > 0);
  if (asked.some(({ values }) => values.length === 0)) return { sources: [], filters: [] };
  const others = joined.flatMap(({ others = [] }) => others);
  const either = facts.find((fact) => fact.either)?.either;
  if (either) {
    const sources = either.map((fact) => aloneOf([BY_ID, ...narrow], fact));
    return { sources, filters: [...asked.map(conditionOf), ...others] };
  }
  const open = (way: Way) => {
    const sources = sourcesOf(way, joined);
    if (!sources) return undefined;
    const used = sources.filter(({ values }) => values.length > 0);
    const served = asked.filter(({ columns }) =>
      used.every((part) => columns.every((column) => part.columns.includes(column)))
    );
    const branches = used.reduce((sum, { values }) => sum + values.length, 0);
    const columns = used.reduce((sum, { columns }) => sum + columns.length, 0);
    return { sources: used, served, branches, columns };
  };
  const opened = [...ways.map(open), open(EVERYTHING)].filter((way) => way !== undefined)
    .toSorted((a, b) =>
      b.served.length - a.served.length || a.branches - b.branches || a.columns - b.columns
    );
  const [{ sources, served }] = [
    ...[BY_ID, ...narrow].map(open).filter((way) => way !== undefined),
    ...opened,
  ] as [NonNullable<ReturnType<typeof open>>];
  const filters = asked.filter((fact) => !served.includes(fact)).map(conditionOf);
  return { sources, filters: [...filters, ...others] };
}

function aloneOf(ways: readonly Way[], { columns, values }: Fact): Source {
  const [part] = ways.flat().filter((part) => part.columns.join() === columns.join());
  return { ...present(part, `No index of few rows has ${columns} alone`), values };
}

/** Several facts about the same columns are one: what all of them allow. */
function joinedOf(facts: readonly Fact[]): Fact[] {
  const joined = new Map<string, Fact>();
  for (const fact of facts) {
    const key = fact.columns.length === 0 ? String(joined.size) : fact.columns.join();
    const before = joined.get(key);
    joined.set(key, before ? both(before, fact) : fact);
  }
  return [...joined.values()];
}

function both(one: Fact, other: Fact): Fact {
  const values = new Set(other.values.map((value) => JSON.stringify(value)));
  return {
    columns: one.columns,
    values: one.values.filter((value) => values.has(JSON.stringify(value))),
    isEvery: (one.isEvery && other.isEvery) ?? false,
    others: [...one.others ?? [], ...other.others ?? []],
  };
}

/** Undefined if it can't be taken, because a value isn't given or an index lacks one. */
function sourcesOf(
  way: Way,
  facts: readonly Fact[],
): Source[] | undefined {
  const sources: Source[] = [];
  const left = new Map<string, Set<SqlValue>>();
  for (const { only = {}, ...part } of way) {
    const values = valuesOf(part.columns, facts);
    if (!values) return undefined;
    const isKept = (value: readonly SqlValue[]) =>
      part.columns.every((column, i) => only[column]?.includes(value[i]!) ?? true);
    sources.push({ ...part, values: values.filter(isKept) });
    for (const [column, had] of Object.entries(only)) {
      const all = facts.find(({ columns }) => columns.join() === column)?.values ?? [];
      const lacking = left.get(column) ?? new Set(all.map(([value]) => value!));
      left.set(column, lacking.difference(new Set(had)));
    }
  }
  return [...left.values()].some(({ size }) => size > 0) ? undefined : sources;
}

/** All combinations that these columns can have; undefined: nobody knows. */
function valuesOf(
  wanted: readonly string[],
  facts: readonly Fact[],
): readonly (readonly SqlValue[])[] | undefined {
  let rows: ReadonlyMap<string, SqlValue>[] = [new Map()];
  const known = new Set<string>();
  const byWidth = facts.toSorted((a, b) => b.columns.length - a.columns.length);
  const whole = byWidth.filter(({ columns }) => columns.every((one) => wanted.includes(one)));
  for (const { columns, values } of [...whole, ...byWidth.filter(({ isEvery }) => isEvery)]) {
    const own = columns.filter((column) => wanted.includes(column) && !known.has(column));
    if (own.length === 0) continue;
    const places = own.map((column) => columns.indexOf(column));
    const some = new Map(values.map((value) => {
      const kept = places.map((place) => value[place]!);
      return [JSON.stringify(kept), kept];
    }));
    rows = rows.flatMap((row) =>
      [...some.values()].map((value) =>
        new Map([...row, ...own.map((column, i) => [column, at(value, i)] as const)])
      )
    );
    own.forEach((column) => known.add(column));
  }
  if (known.size < wanted.length) return undefined;
  return rows.map((row) => wanted.map((column) => row.get(column)!));
}

function conditionOf({ columns, values }: Fact): Condition {
  const [column] = columns;
  invariant(columns.length === 1, () => `Only an index finds ${columns.join(" with ")}`);
  return values.length === 1 ? [`${column} = ?`, values[0]![0]!] : [
    `${column} IN (SELECT value FROM json_each(?))`,
    JSON.stringify(values.map(([value]) => value)),
  ];
}

/** A column has one of these values. */
export function hasOne(column: string, values: readonly SqlValue[]): Fact {
  return { columns: [column], values: values.map((value) => [value]) };
}

export function isWithin(column: string, times: Parameters<typeof windowOf>[1]): Fact[] {
  return windowOf(column, times).map((window) => ({ columns: [], values: [], window }));
}
