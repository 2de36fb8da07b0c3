import { at } from "../../../base/lists.ts";
import type { Spelled } from "../../../domain/money/symbols.ts";
import type { Db, SqlValue } from "../../engine/db.ts";
import { Addresses, type AddressRow } from "../../tables/addresses.ts";
import { type SignedTransferRow, SignedTransfers } from "../../tables/signed_transfers.ts";
import { type TransactionRow, Transactions } from "../../tables/transactions.ts";
import type { IdSpan } from "../lists/id_spans.ts";
import type { AnyRow, Table } from "../../tables/table.ts";

/** Newest first unless asked otherwise. `next` is where the following page begins, null at the end. */
export interface PageOf<Row> {
  readonly rows: Row[];
  readonly next: number | null;
}

/** No index serves several conditions at once, so a page searches at most this many rows. */
const REACH = 20_000;
const ADDRESSES_OF_USER_MAX = 200;

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

export interface TransactionQuery {
  /** Null: of all accounts. */
  readonly accountId: number | null;
  readonly direction: string | null;
  readonly status: string | null;
  readonly network: string | null;
  readonly currency: Spelled | null;
  readonly isBelowMinimum: boolean;
  readonly txHash: string | null;
  /** Any of these addresses. */
  readonly addressIds: readonly number[] | null;
  /** That they count for. */
  readonly invoiceId?: number | null;
  readonly cursor: number | null;
  readonly limit: number;
  /** Detected then, and the ids that such rows can have. */
  readonly within?: Within | undefined;
  /** Only rows above this id. */
  readonly after?: number | undefined;
  readonly isOldestFirst?: boolean | undefined;
}

export interface Within {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly span: IdSpan;
}

const OF_DEPOSITS_ONLY = ["sweep_pending", "swept"];

export function transactionList(db: Db, query: TransactionQuery): Promise<PageOf<TransactionRow>> {
  return transactionsIn(db, Transactions, query);
}

/** With all or some of the columns. */
export function transactionsIn<Row extends { readonly id: number }>(
  db: Db,
  table: Table<Row>,
  query: TransactionQuery,
): Promise<PageOf<Row>> {
  const { accountId, status, txHash, addressIds, isBelowMinimum, cursor, limit } = query;
  const { invoiceId = null } = query;
  const isDirectionSaid = query.direction === "deposit" &&
    (isBelowMinimum || OF_DEPOSITS_ONLY.includes(status ?? ""));
  const loose: Condition[] = equal({
    direction: isDirectionSaid ? null : query.direction,
    status,
    network: query.network,
    currency: query.currency,
  });
  if (isBelowMinimum) loose.push(["is_below_minimum = 1"]);
  const narrow: Condition[] = [];
  if (txHash !== null) {
    const named = "network IN (SELECT code FROM networks) AND tx_hash = ?";
    narrow.push([`id IN (SELECT id FROM transactions WHERE ${named})`, txHash]);
  }
  if (addressIds !== null) {
    const named = "address_id IN (SELECT value FROM json_each(?))";
    narrow.push([
      `id IN (SELECT id FROM transactions WHERE ${named})`,
      JSON.stringify(addressIds),
    ]);
  }
  if (invoiceId !== null) {
    narrow.push([
      "id IN (SELECT transaction_id FROM invoice_payments WHERE invoice_id = ?)",
      invoiceId,
    ]);
  }
  const others = [...equal({ account_id: accountId }), ...loose];
  // Few rows are left then: a plus sign keeps the planner from walking a longer index instead.
  const conditions = narrow.length === 0 ? others : [...narrow, ...others.map(unindexed)];
  const isWide = narrow.length === 0 && (loose.length > 1 || Array.isArray(query.currency));
  const { within } = query;
  if (within) {
    const { fromMs, untilMs } = within;
    conditions.push(["+created_at_ms >= ? AND +created_at_ms < ?", fromMs, untilMs]);
  }
  const { after, isOldestFirst } = query;
  const asked = { conditions, isWide, cursor, limit, span: within?.span, after, isOldestFirst };
  return pageOf(db, table, asked);
}

/** The plus sign keeps the database from looking at an index of this column instead. */
function unindexed([sql, ...values]: Condition): Condition {
  return [`+${sql}`, ...values];
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

export function addressesOfUser(
  db: Db,
  { accountId, userIdentifier }: { accountId: number | null; userIdentifier: string },
): Promise<AddressRow[]> {
  const tail = `ORDER BY id DESC LIMIT ${ADDRESSES_OF_USER_MAX}`;
  return accountId === null
    ? db.rows(Addresses, `WHERE user_identifier = ? ${tail}`, [userIdentifier])
    // The plus sign keeps the database from walking all addresses of the account instead.
    : db.rows(Addresses, `WHERE user_identifier = ? AND +account_id = ? ${tail}`, [
      userIdentifier,
      accountId,
    ]);
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
