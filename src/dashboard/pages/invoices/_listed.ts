import { INVOICE_STATUSES } from "../../../domain/invoices/status.ts";
import type { Period } from "../../../domain/money/period.ts";
import { invoicesIn, invoicesOfAll } from "../../../store/reads/lists/invoices.ts";
import { windowOf } from "../../../store/reads/lists/listed.ts";
import { Invoices } from "../../../store/tables/checkout/invoices.ts";
import type { Table } from "../../../store/tables/table.ts";
import { idsWithin, periodWanted } from "../../parts/lists/period.tsx";
import type { Visit } from "../../visit.ts";

type Wanted = ReturnType<typeof invoicesWanted>;

export function invoicesWanted(visit: Visit) {
  const text = (name: string) => visit.query.get(name)?.trim() || null;
  const { fromMs, untilMs }: Period = periodWanted(visit, { otherwise: "all" });
  return {
    accountId: visit.accountWanted(),
    status: visit.wanted("status", INVOICE_STATUSES),
    reference: text("reference"),
    customer: text("customer"),
    ...{ fromMs, untilMs, cursor: visit.cursor },
  };
}

/** With the columns of this table. */
export async function invoicesFound<Row extends { readonly id: number }>(
  visit: Visit,
  table: Table<Row>,
  { accountId, ...query }: Wanted & { limit: number; after?: number },
): Promise<{ readonly rows: readonly Row[]; readonly next: number | null }> {
  const { deps: { db, memory: { idSpans: spans } } } = visit;
  if (accountId !== null) return await invoicesIn(db, table, { ...query, accountId, spans });
  const [asked] = windowOf("created_at_ms", query);
  const span = asked && await idsWithin(visit, Invoices, asked);
  return await invoicesOfAll(db, table, { ...query, span });
}
