import { INVOICE_STATUSES } from "../../../domain/invoices/status.ts";
import type { Period } from "../../../domain/money/period.ts";
import { invoicesBeginning } from "../../../store/reads/lists/invoices_beginning.ts";
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
    ...{ fromMs, untilMs, ...visit.paging },
  };
}

/** With the columns of this table. */
export async function invoicesFound<Row extends { readonly id: number }>(
  visit: Visit,
  table: Table<Row>,
  { accountId, reference, ...asked }: Wanted & { limit: number; after?: number },
): Promise<{ readonly rows: readonly Row[]; readonly next: number | null }> {
  const { deps: { db, memory: { idSpans: spans } } } = visit;
  const [window] = windowOf("created_at_ms", asked);
  const span = accountId === null && window ? await idsWithin(visit, Invoices, window) : undefined;
  const query = { ...asked, spans, span };
  if (reference !== null) {
    return await invoicesBeginning(db, table, { ...query, accountId, reference });
  }
  return accountId === null
    ? await invoicesOfAll(db, table, { ...query, reference })
    : await invoicesIn(db, table, { ...query, reference, accountId });
}
