import { type Child, type Component, htmlOf } from "../../base/html.ts";
import { last } from "../../base/lists.ts";
import { ROOMS } from "../assets/style/tables.ts";
import { Empty } from "./facts.tsx";
import { type Turn, turnedText, TurningTitle, wordsOf } from "./lists/turn.tsx";
import { BASE, type Guest } from "../visit.ts";

const FRACTION = /<i>(\.\d+)<\/i>/;
const UNIT = /<small>([^<]*)<\/small>/;

export interface Column<Row> {
  readonly title: string;
  /** Right-aligned. */
  readonly isNumber?: boolean;
  /** Of several currencies, whose points don't belong below each other. */
  readonly isMixed?: boolean;
  /** For columns of buttons and links: for screen readers only. */
  readonly isTitleHidden?: boolean;
  /** What a paged list is in the order of: its title turns it round. */
  readonly isOrder?: boolean;
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
  readonly turn?: Turn | undefined;
}

/** On a phone its rows are cards; in between, a wide table scrolls by itself. */
export function Table<Row>({ caption, columns, rows, empty, turn }: TableProps<Row>) {
  if (rows.length === 0) return typeof empty === "string" ? <Empty>{empty}</Empty> : empty;
  const hasTitle = columns.some(({ at }) => at === "title");
  const cells = columns.map((column, i) => {
    const shown = rows.map((row) => column.cell(row));
    const room = column.isNumber && !column.isMixed && roomFor(shown);
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
          <tr>
            {columns.map((column) => (
              <Title column={column} turn={column.isOrder ? turn : undefined} />
            ))}
          </tr>
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

function Title<Row>({ column, turn }: { column: Column<Row>; turn: Turn | undefined }) {
  const { at: _, ...placed } = column;
  const { title, isTitleHidden } = placed;
  const name = classOf(placed);
  if (turn) return <TurningTitle title={title} turn={turn} name={name} />;
  return <th class={name}>{isTitleHidden ? <span class="hidden">{title}</span> : title}</th>;
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
  const turn = table.columns.some(({ isOrder }) => isOrder) ? turnOf(visit) : undefined;
  const none = next === null ? empty : noneHere(turn);
  return (
    <>
      <Table rows={rows} empty={none} turn={turn} {...table} />
      <Pager visit={visit} next={next} turn={turn} />
    </>
  );
}

/** A page without any, though there are others. */
export function noneHere(turn: Turn | undefined): string {
  return `No matches on this page. See ${wordsOf(turn).next.toLowerCase()} entries`;
}

export function turnOf(visit: Guest): Turn {
  const { isOldestFirst } = visit;
  const order = isOldestFirst ? null : "oldest";
  return { href: withQuery(visit, { order, cursor: null }), isOldestFirst };
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

interface PagerProps {
  readonly visit: Guest;
  readonly next: string | number | null;
  readonly turn?: Turn | undefined;
}

/** Continues after the last row's cursor; going back to the first page starts over. */
export const Pager: Component<PagerProps> = ({ visit, next, turn }) => {
  const isFirst = isFirstPage(visit);
  if (isFirst && next === null) return null;
  const words = wordsOf(turn);
  return (
    <nav class="pager" aria-label="Pages">
      {!isFirst && (
        <a class="button plain" href={withQuery(visit, { cursor: null })}>{words.first}</a>
      )}
      {next !== null && (
        <a class="button plain" rel="next" href={withQuery(visit, { cursor: String(next) })}>
          {words.next}
        </a>
      )}
      {turn && <a class="button plain" href={turn.href}>{turnedText(turn)}</a>}
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
    {visit.isOldestFirst && <input type="hidden" name="order" value="oldest" />}
    <button type="submit" class="plain">Show</button>
  </form>
);

const NO_FILTERS = ["cursor", "order", "account", "period", "last"];

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

/**
 * The class that keeps points below each other, with room for the longest decimals of the column.
 * Those of several currencies don't belong together.
 */
function roomFor(shown: readonly Child[]): string | undefined {
  const texts = shown.map((cell) => {
    const text = htmlOf(cell);
    return typeof text === "string" ? text : "";
  });
  if (new Set(texts.flatMap((text) => UNIT.exec(text)?.[1] ?? [])).size > 1) return undefined;
  const lengths = texts.map((text) => FRACTION.exec(text)?.[1]?.length ?? 0);
  const longest = Math.max(...lengths);
  return longest === 0 ? undefined : `f${ROOMS.find((room) => room >= longest) ?? ROOMS.at(-1)}`;
}
