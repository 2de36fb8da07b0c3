import { isBegun, type Refunded, refundedOf } from "../rules/sums.ts";
import { lookAt } from "../look.ts";
import { genuine } from "../../books/tampered.ts";
import { invoiceShape } from "../shape.ts";
import { eventsOfInvoice, type PaymentEvent } from "../../store/reads/pages/payment_events.ts";
import { auditPage } from "../../audit/reads/page.ts";
import type { AuditRow } from "../../audit/table.ts";
import { type InvoiceRow, Invoices } from "../tables/invoices.ts";
import type { TransactionRow } from "../../deposits/tables/transactions.ts";
import type { Step } from "../../dashboard/parts/payment/steps.tsx";
import type { Visit } from "../../dashboard/visit.ts";

const DEEDS_SHOWN = 50;
const SHOWN = { paymentsMax: 10, refundsMax: 10 };

/** As the API shows it. */
export type Shape = ReturnType<typeof invoiceShape>;

/** What it has. */
interface Seen {
  readonly shape: Shape;
  readonly isBegun: boolean;
  readonly refunded: Refunded | undefined;
  /** The largest, oldest first. */
  readonly payments: readonly TransactionRow[];
}

export interface Story extends Seen {
  readonly row: InvoiceRow;
  readonly events: readonly PaymentEvent[];
  /** What people did with it. */
  readonly audited: readonly AuditRow[];
}

export async function storyOf(visit: Visit, row: InvoiceRow): Promise<Story> {
  const { db } = visit.deps;
  const query = { actor: null, subject: `invoice:${row.id}`, cursor: null, limit: DEEDS_SHOWN };
  const [seen, events, audited] = await Promise.all([
    seenOf(visit, row),
    eventsOfInvoice(db, row),
    auditPage(db, query),
  ]);
  return { row, ...seen, events, audited };
}

export async function seenOf({ deps, nowMs }: Visit, row: InvoiceRow): Promise<Seen> {
  await genuine(deps, Invoices, [row]);
  const look = await lookAt(deps, row, SHOWN);
  const shape = invoiceShape(row, { look, publicUrl: deps.publicUrl, nowMs });
  const payments = look.payments.map((one) => one.row);
  const { sums } = look;
  return { shape, isBegun: isBegun(sums), refunded: refundedOf(sums), payments };
}

export function stepsOf({ status, payments }: Shape): Step[] {
  const isSeen = payments.some((payment) => payment.status !== "failed");
  const isOver = status === "expired" || status === "cancelled" || status === "underpaid";
  return [
    { text: "Asked", tone: "good", isCurrent: false },
    {
      text: isSeen ? "Payment seen" : "No payment yet",
      tone: isSeen ? "good" : isOver ? "bad" : "under-way",
      isCurrent: status === "open",
    },
    {
      text: STATUS_STEPS[status],
      tone: status === "paid" ? "good" : isOver ? "bad" : "plain",
      isCurrent: status !== "open",
    },
  ];
}

const STATUS_STEPS: Readonly<Record<Shape["status"], string>> = {
  open: "Paid",
  processing: "Waiting for confirmations",
  paid: "Paid",
  underpaid: "Underpaid",
  expired: "Expired",
  cancelled: "Cancelled",
};

/** Another one means that there is something new to see. */
export function reloadOf({ shape, refunded }: Seen): string {
  const { status, paid, confirmed, expires_at, payments, methods, refunds } = shape;
  const { payments_count: seenCount, refunds_count: returnedCount } = shape;
  const given = methods.filter(({ address }) => address !== null).length;
  const seen = payments.map((payment) => payment.status).join();
  const returned = refunds.map((refund) => refund.status).join();
  const back = [returned, returnedCount, refunded];
  return [status, paid, confirmed, expires_at, given, seen, seenCount, ...back].join(" ");
}
