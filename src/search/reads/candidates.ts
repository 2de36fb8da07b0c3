import type { Db } from "../../store/engine/db.ts";
import type { AnyRow, Table } from "../../store/tables/table.ts";
import type { Condition } from "../../store/lists/order.ts";

/** Of hashes and addresses, four characters leave one in 65,536. */
const CANDIDATES_MAX = 1_000;
/** Of all accounts, and however many rows each of them has. */
const BEGINNINGS_MAX = 1_000;

export interface Way {
  readonly index: string;
  /** What the index finds. */
  readonly keys: readonly Condition[];
  /** What the rows found must have besides. */
  readonly filters: readonly Condition[];
  /** The same as the keys if the index goes on with the account, but they leave several values. */
  readonly range?: Range | undefined;
}

interface Range {
  /** The indexed one. */
  readonly expression: string;
  readonly from: string;
  readonly below: string;
}

interface Rows {
  readonly way: Way;
  /** What the index is limited to. */
  readonly where: string | undefined;
  /** Nothing: of all accounts. */
  readonly owned: readonly Condition[];
  readonly order: string;
  readonly limit: number;
}

/** However many match a short part, and whoever they belong to, only so many are looked at. */
export function rowsOn<Row extends AnyRow>(
  db: Db,
  table: Table<Row>,
  { way, where, owned, order, limit }: Rows,
): Promise<Row[]> {
  const limited: Condition[] = where === undefined ? [] : [[where]];
  const from = `${table.name} INDEXED BY ${way.index}`;
  const source = { name: table.name, from, limited, owned };
  const [sql, ...values] = way.range && owned.length > 0
    ? steppedTo(way.range, { ...source, limit })
    : straightTo(way, source);
  const outside = [...way.filters, ...owned];
  return db.rows(
    table,
    `WHERE rowid IN (${sql})${outside.length === 0 ? "" : ` AND ${textOf(outside)}`}
ORDER BY ${order}
LIMIT ?`,
    [...values, ...valuesOf(outside), limit],
  );
}

interface Source extends Pick<Rows, "owned"> {
  /** The table's, and with its index. */
  readonly name: string;
  readonly from: string;
  readonly limited: readonly Condition[];
}

function straightTo({ keys }: Way, { from, limited, owned }: Source): Condition {
  // The index then leads on to the account, and has its rows in the order of their ids.
  const isOwn = keys.every(isEqual) && owned.length > 0;
  const inside = [...limited, ...keys, ...isOwn ? owned : []];
  return [
    `
  SELECT rowid
  FROM ${from}
  WHERE ${textOf(inside)}${isOwn ? " ORDER BY rowid DESC" : ""}
  LIMIT ${CANDIDATES_MAX}
`,
    ...valuesOf(inside),
  ];
}

/**
 * From one value to the next, so that others' rows with the same value cost nothing. The newest of
 * each, because one payer can have paid often.
 */
function steppedTo(
  { expression, from: first, below }: Range,
  { name, from, limited, owned, limit }: Source & Pick<Rows, "limit">,
): Condition {
  const next = (after: string) =>
    `SELECT ${expression} FROM ${from}
    WHERE ${textOf([...limited, [`${expression} ${after}`]])} AND ${expression} < ?
    ORDER BY ${expression} LIMIT 1`;
  return [
    `
  WITH RECURSIVE beginnings (text) AS (
    SELECT (${next(">= ?")})
    UNION ALL
    SELECT (${next("> b.text")}) FROM beginnings AS b WHERE b.text IS NOT NULL
    LIMIT ${BEGINNINGS_MAX}
  )
  SELECT o.rowid
  FROM beginnings AS b CROSS JOIN ${name} AS o
  WHERE o.rowid IN (
    SELECT rowid FROM ${from}
    WHERE ${textOf([...limited, [`${expression} = b.text`], ...owned])}
    ORDER BY rowid DESC LIMIT ?
  )
  LIMIT ${CANDIDATES_MAX}
`,
    ...[first, below, below, ...valuesOf(owned), limit],
  ];
}

function isEqual([sql]: Condition): boolean {
  return sql.endsWith(" = ?");
}

function textOf(conditions: readonly Condition[]): string {
  return conditions.map(([sql]) => sql).join(" AND ");
}

function valuesOf(conditions: readonly Condition[]) {
  return conditions.flatMap(([, ...values]) => values);
}
