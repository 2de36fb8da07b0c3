import { at } from "../../../base/lists.ts";
import type { Spelled } from "../../../domain/money/symbols.ts";
import type { Db, SqlValue } from "../../engine/db.ts";
import { Addresses, type AddressRow } from "../../tables/addresses.ts";
import { type SignedTransferRow, SignedTransfers } from "../../tables/signed_transfers.ts";
import type { IdSpan } from "../lists/id_spans.ts";
import type { AnyRow, Table } from "../../tables/table.ts";

/** Newest first unless asked otherwise. `next` is where the following page begins, null at the end. */
export interface PageOf<Row> {
  readonly rows: Row[];
  readonly next: number | null;
}

/** No index serves several conditions at once, so a page searches at most this many rows. */
const REACH = 20_000;

export type Condition = readonly [sql: string, ...values: SqlValue[]];

interface Asked {
  readonly conditions: readonly Condition[];
  /** No index leads to the rows. */
  readonly isWide: boolean;
  readonly cursor: number | null;
  readonly limit: number;
  readonly span?: IdSpan | undefined;
  /** Only rows above this id. */
  readonly after?: number | undefined;
  readonly isOldestFirst?: boolean | undefined;
}

const EVERY_ID: IdSpan = { from: 0, below: Number.MAX_SAFE_INTEGER };

export async function pageOf<Row extends { readonly id: number }>(
  db: Db,
  table: Table<Row>,
  asked: Asked,
): Promise<PageOf<Row>> {
  if (asked.isOldestFirst) return await pageFromOldest(db, table, asked);
  const { conditions, isWide, cursor, limit, span = EVERY_ID, after = 0 } = asked;
  const top = Math.min(cursor ?? span.below, span.below);
  const reached = isWide ? Math.min(top, await edgeId(db, table, "max") + 1) - REACH : 0;
  const floor = Math.max(reached, span.from, after && after + 1);
  const all = [...conditions, ["id < ?", top] as const, ["id >= ?", floor] as const];
  const rows = await rowsThat(db, table, { all, limit: limit + 1, order: "DESC" });
  if (rows.length > limit) return { rows: rows.slice(0, limit), next: at(rows, limit - 1).id };
  return { rows, next: floor > Math.max(1, span.from) ? floor : null };
}

/** The same from the other end. */
async function pageFromOldest<Row extends { readonly id: number }>(
  db: Db,
  table: Table<Row>,
  { conditions, isWide, cursor, limit, span = EVERY_ID }: Asked,
): Promise<PageOf<Row>> {
  const from = Math.max(cursor === null ? 0 : cursor + 1, span.from);
  const below = isWide
    ? Math.min(span.below, Math.max(from, await edgeId(db, table, "min")) + REACH)
    : span.below;
  const all = [...conditions, ["id < ?", below] as const, ["id >= ?", from] as const];
  const rows = await rowsThat(db, table, { all, limit: limit + 1, order: "ASC" });
  if (rows.length > limit) return { rows: rows.slice(0, limit), next: at(rows, limit - 1).id };
  const isMore = isWide && below < span.below && below <= await edgeId(db, table, "max");
  return { rows, next: isMore ? below - 1 : null };
}

function rowsThat<Row extends AnyRow>(
  db: Db,
  table: Table<Row>,
  { all, limit, order }: { all: readonly Condition[]; limit: number; order: "ASC" | "DESC" },
): Promise<Row[]> {
  return db.rows(
    table,
    `WHERE ${all.map(([sql]) => sql).join(" AND ")} ORDER BY id ${order} LIMIT ?`,
    [...all.flatMap(([, ...values]) => values), limit],
  );
}

async function edgeId(db: Db, table: Table<AnyRow>, edge: "min" | "max"): Promise<number> {
  const [row] = await db.query(`SELECT ${edge}(id) AS edge FROM ${table.name}`);
  return Number(row?.edge ?? 0);
}

/** Nulls match everything, and lists whatever is in them. */
export function equal(values: Readonly<Record<string, SqlValue | Spelled>>): Condition[] {
  return Object.entries(values).flatMap(([column, value]): Condition[] => {
    if (value === null) return [];
    return Array.isArray(value)
      ? [[`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(value)]]
      : [[`${column} = ?`, value as SqlValue]];
  });
}

/** In the order of signing. */
export function transfersOfWithdrawal(db: Db, withdrawalId: number): Promise<SignedTransferRow[]> {
  return db.rows(SignedTransfers, "WHERE withdrawal_id = ? ORDER BY id LIMIT 100", [withdrawalId]);
}

/** For any purpose; the same address can be ours on several networks. */
export function addressesNamed(
  db: Db,
  { accountId, address }: { accountId: number | null; address: string },
): Promise<AddressRow[]> {
  const named = "WHERE network IN (SELECT code FROM networks) AND address = ?";
  return accountId === null
    ? db.rows(Addresses, named, [address])
    : db.rows(Addresses, `${named} AND account_id = ?`, [address, accountId]);
}
