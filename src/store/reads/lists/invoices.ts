import type { InvoiceStatus } from "../../../domain/invoices/status.ts";
import type { Db } from "../../engine/db.ts";
import { type InvoiceRow, Invoices } from "../../tables/checkout/invoices.ts";
import type { Table } from "../../tables/table.ts";
import { UNPAID_WITHDRAWALS } from "../../tables/withdrawals.ts";
import { type Condition, equal, type PageOf, pageOf } from "../pages/page.ts";
import type { IdSpan } from "./id_spans.ts";
import { type Listed, windowOf } from "./listed.ts";
import type { Source } from "./_branches.ts";
import type { Turned } from "./order.ts";
import { walk } from "./walk.ts";

interface Filters extends Turned {
  readonly status: InvoiceStatus | null;
  readonly reference: string | null;
  readonly customer: string | null;
  /** Only rows above this id. */
  readonly after?: number | undefined;
  /** What no index serves. */
  readonly others?: readonly Condition[];
}

export interface InvoicesAsked extends Omit<Listed, "assets" | "isAssetChosen">, Filters {}

export function invoicesListed(db: Db, asked: InvoicesAsked): Promise<PageOf<InvoiceRow>> {
  return invoicesIn(db, Invoices, asked);
}

/** With all or some of the columns. */
export function invoicesIn<Row extends { readonly id: number }>(
  db: Db,
  table: Table<Row>,
  asked: InvoicesAsked,
): Promise<PageOf<Row>> {
  const { spans, accountId, status, reference, customer, cursor, limit, after } = asked;
  const { others = [], isOldestFirst } = asked;
  return walk(db, { table, spans }, {
    sources: [sourceOf(asked)],
    filters: [...equal({ account_id: accountId, status, reference, customer }), ...others],
    windows: windowOf("created_at_ms", asked),
    ...{ cursor, limit, after, isOldestFirst },
  });
}

/** Of all accounts. */
export function invoicesOfAll<Row extends { readonly id: number }>(
  db: Db,
  table: Table<Row>,
  asked: Omit<InvoicesAsked, "accountId" | "spans"> & { span: IdSpan | undefined },
): Promise<PageOf<Row>> {
  const { status, reference, customer, fromMs, untilMs, others = [], ...page } = asked;
  const conditions: Condition[] = [...equal({ status, reference, customer }), ...others];
  const isWide = conditions.length > 0;
  if (fromMs !== null) conditions.push(["created_at_ms >= ?", fromMs]);
  if (untilMs !== null) conditions.push(["created_at_ms < ?", untilMs]);
  return pageOf(db, table, { conditions, isWide, ...page });
}

/** The narrowest that it asks for. */
function sourceOf({ accountId, status, reference, customer }: InvoicesAsked): Source {
  const by = (index: string, column: string, value: string) => ({
    index: `invoices_${index}`,
    columns: ["account_id", column],
    values: [[accountId, value]],
  });
  if (reference !== null) {
    return { ...by("reference", "reference", reference), where: "reference IS NOT NULL" };
  }
  if (customer !== null) {
    return { ...by("customer", "customer", customer), where: "customer IS NOT NULL" };
  }
  if (status !== null) return by("status", "status", status);
  return { index: "invoices_account", columns: ["account_id"], values: [[accountId]] };
}

interface Due {
  readonly id: number;
  readonly judgeAtMs: number;
}

/** Those to look at, longest due first. */
export async function dueInvoices(
  db: Db,
  { nowMs, after, limit }: { nowMs: number; after: Due; limit: number },
): Promise<InvoiceRow[]> {
  return await db.rows(
    Invoices,
    `WHERE judge_at_ms IS NOT NULL AND judge_at_ms <= ? AND (judge_at_ms, id) > (?, ?)
ORDER BY judge_at_ms, id
LIMIT ?`,
    [nowMs, after.judgeAtMs, after.id, limit],
  );
}

/** How many of them are judged again when it changes whether a network's coins are real. */
export async function countJudgedAgain(db: Db, network: string): Promise<number> {
  const [row] = await db.query(
    `SELECT count(*) AS n
FROM invoices AS i INDEXED BY invoices_unsettled
WHERE i.status IN ('open', 'processing', 'underpaid') AND EXISTS (
  SELECT 1
  FROM invoice_payments AS p
  CROSS JOIN transactions AS t ON t.id = p.transaction_id
  WHERE p.invoice_id = i.id AND t.network = ?)`,
    [network],
  );
  return Number(row?.n);
}

/** Ids of invoices with payments, in order. */
export async function paidInvoices(
  db: Db,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<number[]> {
  const rows = await db.query(
    `SELECT DISTINCT invoice_id FROM invoice_payments INDEXED BY invoice_payments_invoice
WHERE invoice_id > ?
ORDER BY invoice_id
LIMIT ?`,
    [afterId, limit],
  );
  return rows.map((row) => Number(row.invoice_id));
}

/** By invoice. */
export async function paymentCounts(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await db.query(
    `SELECT i.value AS id, (SELECT count(*) FROM invoice_payments WHERE invoice_id = i.value) AS n
FROM json_each(?) AS i`,
    [JSON.stringify(ids)],
  );
  return new Map(rows.map(({ id, n }) => [Number(id), Number(n)]));
}

/** By invoice: refunds that its sums don't count as they are now. No invoice uses up another's. */
export async function changedRefunds(
  db: Db,
  { ids, limitEach }: { ids: readonly number[]; limitEach: number },
): Promise<ReadonlyMap<number, readonly number[]>> {
  const rows = await db.query(
    `SELECT i.value AS id, (
  SELECT json_group_array(withdrawal_id)
  FROM (
    SELECT r.withdrawal_id
    FROM refunds AS r INDEXED BY refunds_moving
    JOIN withdrawals AS w ON w.id = r.withdrawal_id
    WHERE r.invoice_id = i.value
      AND r.returned IS NULL
      AND r.counted IS NOT '0'
      AND (r.counted IS NULL OR w.status = 'confirmed' OR w.status IN ${UNPAID_WITHDRAWALS})
    ORDER BY r.withdrawal_id
    LIMIT ?)) AS refunds
FROM json_each(?) AS i`,
    [limitEach, JSON.stringify(ids)],
  );
  return new Map(rows.map(({ id, refunds }) => [Number(id), JSON.parse(String(refunds))]));
}
