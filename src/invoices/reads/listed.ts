import { foldAscii } from "../../base/fold_ascii.ts";
import type { Db } from "../../store/engine/db.ts";
import { type InvoiceRow, Invoices } from "../tables/invoices.ts";
import { UNPAID_WITHDRAWALS } from "../../withdrawals/table.ts";
import { type Fact, hasOne, type Listing } from "../../store/lists/listing.ts";

const REFERRED = "reference IS NOT NULL";
const OF_CUSTOMER = "customer IS NOT NULL";

export const INVOICES_LISTED: Listing<InvoiceRow> = {
  table: Invoices,
  time: "created_at_ms",
  narrow: [
    [{ index: "invoices_reference", columns: ["account_id", "reference"], where: REFERRED }],
    [{ index: "invoices_customer", columns: ["account_id", "customer"], where: OF_CUSTOMER }],
    [{ index: "invoices_text", columns: ["lower(reference)"], where: REFERRED }],
    [{ index: "invoices_customer_text", columns: ["lower(customer)"], where: OF_CUSTOMER }],
  ],
  ways: [
    [{ index: "invoices_status", columns: ["account_id", "status"] }],
    [{ index: "invoices_account", columns: ["account_id"] }],
  ],
};

/** To the letter, though the indexes over all accounts have it in lower case. */
export function isCalled(column: "reference" | "customer", text: string): Fact[] {
  const folded = hasOne(`lower(${column})`, [foldAscii(text)]);
  return [hasOne(column, [text]), { ...folded, isEvery: true }];
}

/** More than these are looked for among the newest invoices instead. */
const FEW_MAX = 1_000;
/** Sorts after every text. */
const LAST = "\u{10FFFF}";

/** How the reference begins, in any case. */
export async function isReferenceBeginning(
  db: Db,
  { accountId, reference, fewMax = FEW_MAX }: {
    /** Null: of all accounts. */
    readonly accountId: number | null;
    readonly reference: string;
    readonly fewMax?: number;
  },
): Promise<Fact> {
  const folded = foldAscii(reference);
  const range = [folded, `${folded}${LAST}`] as const;
  const [index, owned, owner] = accountId === null
    ? ["invoices_text", "", []]
    : ["invoices_account_text", "account_id = ? AND ", [accountId]];
  const rows = await db.query(
    `SELECT id
FROM invoices INDEXED BY ${index}
WHERE ${owned}reference IS NOT NULL AND lower(reference) >= ? AND lower(reference) < ?
LIMIT ?`,
    [...owner, ...range, fewMax + 1],
  );
  if (rows.length <= fewMax) return hasOne("id", rows.map(({ id }) => Number(id)));
  // The plus signs keep the database from sorting all that begin like this.
  const others = [["+lower(reference) >= ? AND +lower(reference) < ?", ...range]] as const;
  return { columns: [], values: [], others };
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
