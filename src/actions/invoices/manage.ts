import { coinsOf } from "../../domain/invoices/accepted.ts";
import { GRACE_MS } from "../../domain/invoices/judge.ts";
import { isFinalStatus } from "../../domain/invoices/status.ts";
import { CREDITED_STATUSES } from "../../domain/states/transaction_moves.ts";
import { Refused } from "../../domain/refusal.ts";
import {
  InvoiceAddresses,
  type InvoiceRow,
  Invoices,
} from "../../store/tables/checkout/invoices.ts";
import type { TransactionRow } from "../../store/tables/transactions.ts";
import { read, type View } from "../../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { genuine, mustBeGenuine } from "../books/tampered.ts";
import { keepAddress, keptReads } from "../deposits/for_invoice.ts";
import type { Actor, Deps } from "../deps.ts";
import { factsOf, type InvoiceFacts, judgementOf } from "./facts.ts";
import { asOf, paymentReads, settle } from "./judge_due.ts";

interface Order {
  readonly accountId: number;
  readonly id: number;
  readonly actor: Actor;
}

export async function findInvoice(
  deps: Deps,
  { accountId, id }: Pick<Order, "accountId" | "id">,
): Promise<InvoiceRow> {
  const row = await deps.db.find(Invoices, [id]);
  if (row?.accountId !== accountId) throw new Refused("not_found");
  await genuine(deps, Invoices, [row]);
  return row;
}

/** What arrives later is still credited and listed. */
export function cancelInvoice(deps: Deps, order: Order): Promise<InvoiceRow> {
  return change(deps, { order, action: "invoice.cancelled" }, (row, { facts, nowMs }) => {
    const { status } = judgementOf(row, { facts, nowMs });
    if (row.status === "paid" || status === "paid") throw new Refused("invoice_final");
    return row.cancelledAtMs === null ? { cancelledAtMs: nowMs } : {};
  });
}

const NOTHING_CREDITED = "Nothing has been credited that could be accepted";

/** Makes it count as paid with whatever has been credited. */
export function acceptInvoice(
  deps: Deps,
  { reason, ...order }: Order & { reason: string },
): Promise<InvoiceRow> {
  return change(deps, { order, action: "invoice.accepted", detail: { reason } }, (row, now) => {
    const { confirmed } = judgementOf(row, now);
    const credited = creditedIn(now.facts);
    if (isFinalStatus(row.status)) throw new Refused("invoice_final");
    if (credited.length === 0) throw new Refused("invoice_final", { text: NOTHING_CREDITED });
    return { acceptedValue: confirmed, acceptedCoins: coinsOf(credited) };
  });
}

function creditedIn({ payments }: InvoiceFacts): TransactionRow[] {
  return payments.map(({ row }) => row)
    .filter(({ status }) => CREDITED_STATUSES.includes(status));
}

/** Open for longer, at the same rates. An address that others got meanwhile is given up. */
export function extendInvoice(
  deps: Deps,
  { expiresInS, ...order }: Order & { expiresInS: number },
): Promise<InvoiceRow> {
  const detail = { expires_in: expiresInS };
  return change(
    deps,
    { order, action: "invoice.extended", detail },
    (row, { view, facts, nowMs }) => {
      if (isFinalStatus(row.status)) throw new Refused("invoice_final");
      const expiresAtMs = Math.max(row.expiresAtMs, nowMs + expiresInS * 1_000);
      const openUntilMs = expiresAtMs + GRACE_MS;
      for (const { invoiceId, network } of facts.addresses) {
        const given = view.find(InvoiceAddresses, [invoiceId, network]);
        if (given) keepAddress(view, { windows: deps.windows, given, openUntilMs });
      }
      return { expiresAtMs };
    },
  );
}

interface Now {
  readonly view: View;
  readonly facts: InvoiceFacts;
  readonly nowMs: number;
}

async function change(
  deps: Deps,
  { order, action, detail = {} }: { order: Order; action: string; detail?: object },
  decide: (row: InvoiceRow, now: Now) => Partial<InvoiceRow>,
): Promise<InvoiceRow> {
  const row = await findInvoice(deps, order);
  const facts = await factsOf(deps, row);
  return await deps.db.write({
    reads: [
      read(Invoices, [row.id]),
      ...paymentReads(facts),
      ...facts.addresses.flatMap((given) => [
        read(InvoiceAddresses, [given.invoiceId, given.network]),
        ...keptReads(given),
      ]),
    ],
    decide: (view) => {
      const before = view.get(Invoices, [row.id]);
      mustBeGenuine(view, Invoices, before);
      const now = { view, facts: asOf(view, facts), nowMs: deps.clock.nowMs() };
      const change = decide(before, now);
      const isRepeated = Object.keys(change).length === 0;
      const changed = isRepeated ? before : view.update(Invoices, before, change);
      if (!isRepeated) {
        recordAudit(view, {
          ...{ actor: order.actor, action, subject: `invoice:${row.id}`, nowMs: now.nowMs },
          detail: { ...detail, before: asBefore(before, change), change },
        });
      }
      return settle(view, { deps, row: changed, facts: now.facts, seenAtMs: row.judgeAtMs });
    },
  });
}

/** The fields that change, as they were. */
function asBefore(before: InvoiceRow, change: Partial<InvoiceRow>): Partial<InvoiceRow> {
  const changed = new Set(Object.keys(change));
  return Object.fromEntries(Object.entries(before).filter(([field]) => changed.has(field)));
}
