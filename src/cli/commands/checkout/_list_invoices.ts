import { genuine } from "../../../actions/books/tampered.ts";
import type { Deps } from "../../../actions/deps.ts";
import type { InvoiceStatus } from "../../../domain/invoices/status.ts";
import { invoicesListed, invoicesOfAll } from "../../../store/reads/lists/invoices.ts";
import { type InvoiceRow, Invoices } from "../../../store/tables/checkout/invoices.ts";

/** Each searches some thousand rows. */
const PAGES_MAX = 50;

interface Wanted {
  readonly account: number | undefined;
  readonly status: InvoiceStatus | undefined;
  readonly reference: string | undefined;
  readonly customer: string | undefined;
  readonly limit: number;
}

/** `isCut`: there may be more. */
export async function listInvoices(
  deps: Deps,
  wanted: Wanted,
  after: number | null,
): Promise<{ rows: readonly InvoiceRow[]; next: number | null }> {
  const rows: InvoiceRow[] = [];
  let cursor = after;
  for (let page = 0; page < PAGES_MAX; page++) {
    const limit = wanted.limit - rows.length;
    const found: Awaited<ReturnType<typeof pageOf>> = await pageOf(deps, {
      wanted,
      cursor,
      limit,
    });
    rows.push(...found.rows);
    cursor = found.next;
    if (cursor === null || rows.length >= wanted.limit) break;
  }
  await genuine(deps, Invoices, rows);
  return { rows, next: cursor };
}

function pageOf(
  { db, memory: { idSpans: spans } }: Deps,
  { wanted, cursor, limit }: { wanted: Wanted; cursor: number | null; limit: number },
) {
  const { account, status = null, reference = null, customer = null } = wanted;
  const query = { status, reference, customer, cursor, limit, fromMs: null, untilMs: null };
  return account === undefined
    ? invoicesOfAll(db, Invoices, { ...query, span: undefined })
    : invoicesListed(db, { ...query, accountId: account, spans });
}
