import { last } from "../../base/lists.ts";
import type { Child, Component } from "../../base/html.ts";
import { BASE, type Guest } from "../visit.ts";
import { roomFor } from "./decimals.ts";
import { Empty } from "./facts.tsx";

export interface Column<Row> {
  readonly title: string;
  /** Right-aligned. */
  readonly isNumber?: boolean;
  /** For columns of buttons and links: for screen readers only. */
  readonly isTitleHidden?: boolean;
  /** Left out on a tablet, and on a phone if the cards have a title; `first` on a laptop too. */
  readonly isMinor?: boolean | "first";
  /** Says in one line there what other columns say elsewhere. */
  readonly isForPhones?: boolean;
  /**
   * Where it stands on a phone, where rows are cards of two lines: title and amount, state and age.
   * The link of `open` covers the whole card; `none` leaves it out. Otherwise it is a line below,
   * with its title.
   */
  readonly at?: "title" | "amount" | "state" | "age" | "open" | "none";
  cell(row: Row): Child;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<NoInfer<Row>>[];
  readonly rows: readonly Row[];
  readonly empty: Child;
}

/** On a phone its rows are cards; in between, a wide table scrolls by itself. */
export function Table<Row>({ caption, columns, rows, empty }: TableProps<Row>) {
  if (rows.length === 0) return typeof empty === "string" ? <Empty>{empty}</Empty> : empty;
  const hasTitle = columns.some(({ at }) => at === "title");
  const cells = columns.map((column, i) => {
    const shown = rows.map((row) => column.cell(row));
    const room = column.isNumber && roomFor(shown);
    const name = classOf(column, !hasTitle && i === 0 && "at-first", room);
    const isLine = hasTitle ? !column.isMinor : i > 0;
    return { name, label: labelOf(column, isLine), shown };
  });
  return (
    <div
      class={`scroll cards fits${hasTitle ? " titled" : ""}`}
      tabindex={0}
      role="region"
      aria-label={caption}
    >
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>{columns.map((column) => <Title column={column} />)}</tr>
        </thead>
        <tbody>
          {rows.map((_, n) => (
            <tr>
              {cells.map(({ name, label, shown }) => <td class={name} data-l={label}>{shown[n]}
              </td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Title<Row>({ column }: { column: Column<Row> }) {
  return (
    <th scope="col" class={classOf(column)}>
      <span class={column.isTitleHidden ? "hidden" : undefined}>{column.title}</span>
    </th>
  );
}

function classOf<Row>(
  { isNumber, isMinor, isForPhones, at }: Column<Row>,
  ...more: readonly (string | false | undefined)[]
): string | undefined {
  const minor = isMinor && (isMinor === "first" ? "minor first" : "minor");
  const names = [isNumber && "number", isForPhones && "phones", minor, at && `at-${at}`, ...more];
  return names.filter(Boolean).join(" ") || undefined;
}

/** Shown before the value on a phone. */
function labelOf<Row>({ at, title, isTitleHidden }: Column<Row>, isLine: boolean) {
  return isLine && at === undefined && !isTitleHidden ? title : undefined;
}

interface PagedTableProps<Row> extends Omit<TableProps<Row>, "rows"> {
  readonly visit: Guest;
  readonly found: { readonly rows: readonly Row[]; readonly next: string | number | null };
}

/** A page that filters left empty may have matches further back. */
export function PagedTable<Row>({ visit, found, empty, ...table }: PagedTableProps<Row>) {
  const { rows, next } = found;
  const none = next === null ? empty : "No matches on this page. See older entries";
  return (
    <>
      <Table rows={rows} empty={none} {...table} />
      <Pager visit={visit} next={next} />
    </>
  );
}

/** `found` may have one row more than is shown. */
export function pageFrom<Row extends { readonly id: number }>(
  found: readonly Row[],
  shownMax: number,
): { rows: readonly Row[]; next: number | null } {
  const rows = found.slice(0, shownMax);
  return { rows, next: found.length > shownMax ? last(rows).id : null };
}

export function isFirstPage(visit: Guest): boolean {
  return !visit.query.has("cursor");
}

/** Continues after the last row's cursor; going back to the first page starts over. */
export const Pager: Component<{ visit: Guest; next: string | number | null; label?: string }> = (
  { visit, next, label = "Older" },
) => {
  const isFirst = isFirstPage(visit);
  if (isFirst && next === null) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {!isFirst && <a class="button plain" href={withQuery(visit, { cursor: null })}>Newest</a>}
      {next !== null && (
        <a class="button plain" rel="next" href={withQuery(visit, { cursor: String(next) })}>
          {label}
        </a>
      )}
    </nav>
  );
};

/** The same page with another query. */
export function withQuery(visit: Guest, change: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams(visit.query);
  for (const [name, value] of Object.entries(change)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  const path = visit.url.pathname.slice(BASE.length);
  return `${BASE}${path}${text === "" ? "" : `?${text}`}`;
}

/** Filters are GET forms, so that their results can be linked to. */
export const Filter: Component<{ visit: Guest; children?: Child }> = ({ visit, children }) => (
  <form method="get" action={visit.url.pathname} class="filter" role="search" aria-label="Filters">
    {children}
    <button type="submit" class="plain">Show</button>
  </form>
);

const NO_FILTERS = ["cursor", "account", "period", "last"];

/** Several filters: on a phone they open with a tap, so that the list comes first. */
export const Filters: Component<{ visit: Guest; children?: Child }> = ({ visit, children }) => {
  const set = [...visit.query].filter(([name, value]) =>
    value !== "" && !NO_FILTERS.includes(name)
  );
  return (
    <details class="filters">
      <summary>{set.length === 0 ? "Filter" : `Filter (${set.length})`}</summary>
      <Filter visit={visit}>{children}</Filter>
    </details>
  );
};
