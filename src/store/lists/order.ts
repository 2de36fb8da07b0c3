import type { SqlValue } from "../engine/db.ts";

/** `next` is where the following page begins, null at the end. */
export interface PageOf<Row> {
  readonly rows: Row[];
  readonly next: number | null;
}

export type Condition = readonly [sql: string, ...values: SqlValue[]];

/** In which order rows are numbered on a page. */
export interface Order {
  readonly sql: "ASC" | "DESC";
  /** How what follows compares with the cursor. */
  readonly beyond: "<" | ">";
  /** Every id is beyond it. */
  readonly start: number;
}

const NEWEST_FIRST: Order = { sql: "DESC", beyond: "<", start: Number.MAX_SAFE_INTEGER };
const OLDEST_FIRST: Order = { sql: "ASC", beyond: ">", start: -1 };

export function orderOf({ isOldestFirst = false }: Turned): Order {
  return isOldestFirst ? OLDEST_FIRST : NEWEST_FIRST;
}

/** A list is newest first, unless it is turned round. */
export interface Turned {
  readonly isOldestFirst?: boolean | undefined;
}

export interface Paged extends Turned {
  /** The last row of the page before; null: from the start. */
  readonly cursor: number | null;
  readonly limit: number;
}

/** The end of a query for a page by id. */
export function idsBeyond(paged: Paged): { readonly sql: string; readonly args: SqlValue[] } {
  const { sql, beyond, start } = orderOf(paged);
  return {
    sql: `id ${beyond} ?\nORDER BY id ${sql}\nLIMIT ?`,
    args: [paged.cursor ?? start, paged.limit],
  };
}
