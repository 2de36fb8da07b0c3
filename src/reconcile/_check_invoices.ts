import { isDeepStrictEqual } from "node:util";
import { mapInPortions } from "../base/waiting/in_portions.ts";
import type { WrongSums } from "./rules/difference.ts";
import { paidInvoices } from "../invoices/reads/listed.ts";
import { read } from "../store/engine/workspace.ts";
import { type InvoiceRow, Invoices } from "../invoices/tables/invoices.ts";
import { recordAudit } from "../books/records.ts";
import type { Deps } from "../deps/deps.ts";
import { isAddedUp, MARKED } from "../invoices/judge_due.ts";
import { sumsFromBooks } from "../invoices/sums.ts";

const INVOICES_PER_PAGE = 100;

interface InvoicesPage {
  readonly wrong: readonly WrongSums[];
  /** Where the next page begins; undefined at the end. */
  readonly next: number | undefined;
}

/** Compares what is kept of invoices with their payments and refunds, and puts right what differs. */
export async function checkInvoicesPage(deps: Deps, afterId: number): Promise<InvoicesPage> {
  const ids = await paidInvoices(deps.db, { afterId, limit: INVOICES_PER_PAGE });
  const found = await mapInPortions(ids, async (id) => {
    const row = await deps.db.get(Invoices, [id]);
    return isSettled(deps, row) ? await checkInvoice(deps, row) : undefined;
  });
  const wrong = found.filter((one) => one !== undefined);
  return { wrong, next: ids.length < INVOICES_PER_PAGE ? undefined : ids.at(-1) };
}

/** Nothing has come that isn't added up yet. Other checks report rows that somebody else wrote. */
function isSettled({ db }: Deps, row: InvoiceRow): boolean {
  return isAddedUp(row) && db.isGenuine(Invoices, row);
}

async function checkInvoice(deps: Deps, row: InvoiceRow): Promise<WrongSums | undefined> {
  const sums = await sumsFromBooks(deps, row);
  if (isDeepStrictEqual(sums, row.sums)) return undefined;
  const subject = `invoice:${row.id}`;
  const isRight = await deps.db.write({
    reads: [read(Invoices, [row.id])],
    decide: (view) => {
      const now = view.get(Invoices, [row.id]);
      if (!isDeepStrictEqual(now, row)) return false;
      // The worker decides what follows, and reports it.
      view.update(Invoices, now, { sums, judgeAtMs: MARKED });
      const detail = { before: row.sums, after: sums };
      const action = "invoice.added_up_again";
      recordAudit(view, { actor: "worker", action, subject, detail, nowMs: view.nowMs });
      return true;
    },
  });
  if (!isRight) return undefined;
  const { id: invoiceId, accountId, currency } = row;
  const kept = row.sums?.confirmed ?? "0";
  return { invoiceId, accountId, currency, expected: sums.confirmed, found: kept };
}
