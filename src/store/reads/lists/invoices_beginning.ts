import { foldAscii } from "../../../base/fold_ascii.ts";
import { at } from "../../../base/lists.ts";
import type { Db } from "../../engine/db.ts";
import type { Table } from "../../tables/table.ts";
import { type Condition, equal, type PageOf } from "../pages/page.ts";
import type { IdSpan } from "./id_spans.ts";
import { orderOf } from "./order.ts";
import { type InvoicesAsked, invoicesIn, invoicesOfAll } from "./invoices.ts";

interface Asked extends Omit<InvoicesAsked, "accountId" | "reference" | "others"> {
  /** Null: of all accounts. */
  readonly accountId: number | null;
  /** How the reference begins, in any case. */
  readonly reference: string;
  readonly span: IdSpan | undefined;
  /** More than these are found among the newest invoices instead. */
  readonly fewMax?: number;
}

const FEW_MAX = 1_000;
/** Sorts after every text. */
const LAST = "\u{10FFFF}";

/** With all or some of the columns. */
export async function invoicesBeginning<Row extends { readonly id: number }>(
  db: Db,
  table: Table<Row>,
  { reference, fewMax = FEW_MAX, ...asked }: Asked,
): Promise<PageOf<Row>> {
  const folded = foldAscii(reference);
  const range = [folded, `${folded}${LAST}`] as const;
  const ids = await idsBeginning(db, { accountId: asked.accountId, range, limit: fewMax + 1 });
  if (ids.length <= fewMax) return await pageAmong(db, table, { ...asked, ids });
  // The plus signs keep the database from sorting all that begin like this.
  const others: Condition[] = [["+lower(reference) >= ? AND +lower(reference) < ?", ...range]];
  const { accountId, ...query } = { ...asked, others, reference: null };
  return accountId === null
    ? await invoicesOfAll(db, table, query)
    : await invoicesIn(db, table, { ...query, accountId });
}

async function idsBeginning(
  db: Db,
  { accountId, range, limit }: {
    readonly accountId: number | null;
    readonly range: readonly [string, string];
    readonly limit: number;
  },
): Promise<number[]> {
  const [index, owned, owner] = accountId === null
    ? ["invoices_text", "", []]
    : ["invoices_account_text", "account_id = ? AND ", [accountId]];
  const rows = await db.query(
    `SELECT id
FROM invoices INDEXED BY ${index}
WHERE ${owned}reference IS NOT NULL AND lower(reference) >= ? AND lower(reference) < ?
LIMIT ?`,
    [...owner, ...range, limit],
  );
  return rows.map(({ id }) => Number(id));
}

async function pageAmong<Row extends { readonly id: number }>(
  db: Db,
  table: Table<Row>,
  { ids, cursor, after = 0, limit, ...asked }: Omit<Asked, "reference"> & { ids: number[] },
): Promise<PageOf<Row>> {
  const { status, customer, fromMs, untilMs } = asked;
  const { sql: order, beyond } = orderOf(asked);
  const isBeyond = (id: number) => cursor === null || (beyond === "<" ? id < cursor : id > cursor);
  const conditions: Condition[] = [
    [
      "id IN (SELECT value FROM json_each(?))",
      JSON.stringify(ids.filter((id) => id > after && isBeyond(id))),
    ],
    ...equal({ "+status": status, "+customer": customer }),
    [
      "+created_at_ms >= ? AND +created_at_ms < ?",
      fromMs ?? Number.MIN_SAFE_INTEGER,
      untilMs ?? Number.MAX_SAFE_INTEGER,
    ],
  ];
  const rows = await db.rows(
    table,
    `WHERE ${conditions.map(([sql]) => sql).join(" AND ")} ORDER BY id ${order} LIMIT ?`,
    [...conditions.flatMap(([, ...values]) => values), limit + 1],
  );
  if (rows.length <= limit) return { rows, next: null };
  return { rows: rows.slice(0, limit), next: at(rows, limit - 1).id };
}
