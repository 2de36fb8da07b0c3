import { type Refunded, refundedOf } from "../../../domain/invoices/sums.ts";
import { lookAt as lookAtInvoice } from "../../../actions/invoices/look.ts";
import { genuine } from "../../../actions/books/tampered.ts";
import { invoiceShape } from "../../../actions/invoices/shape.ts";
import { eventsOfInvoice, type PaymentEvent } from "../../../store/reads/pages/payment_events.ts";
import { auditPage } from "../../../store/reads/pages/audit.ts";
import type { AuditRow } from "../../../store/tables/audit.ts";
import { type InvoiceRow, Invoices } from "../../../store/tables/checkout/invoices.ts";
import type { TransactionRow } from "../../../store/tables/transactions.ts";
import type { Step } from "../../parts/payment/steps.tsx";
import type { Visit } from "../../visit.ts";

const DEEDS_SHOWN = 50;
const SHOWN = { paymentsMax: 10, refundsMax: 10 };

/** As the API shows it. */
export type Shape = ReturnType<typeof invoiceShape>;

export interface Story {
  readonly row: InvoiceRow;
  readonly shape: Shape;
  readonly refunded: Refunded | undefined;
  /** The largest, oldest first. */
  readonly payments: readonly TransactionRow[];
  readonly events: readonly PaymentEvent[];
  /** What people did with it. */
  readonly audited: readonly AuditRow[];
}

export async function storyOf(visit: Visit, row: InvoiceRow): Promise<Story> {
  const { db } = visit.deps;
  const query = { actor: null, subject: `invoice:${row.id}`, cursor: null, limit: DEEDS_SHOWN };
  const [{ shape, refunded, payments }, events, audited] = await Promise.all([
    lookAt(visit, row),
    eventsOfInvoice(db, row),
    auditPage(db, query),
  ]);
  return { row, shape, refunded, payments, events, audited };
}

export async function shapeOf(visit: Visit, row: InvoiceRow): Promise<Shape> {
  return (await lookAt(visit, row)).shape;
}

async function lookAt({ deps, nowMs }: Visit, row: InvoiceRow) {
  await genuine(deps, Invoices, [row]);
  const look = await lookAtInvoice(deps, row, SHOWN);
  const shape = invoiceShape(row, { look, publicUrl: deps.publicUrl, nowMs });
  const payments = look.payments.map((one) => one.row);
  return { shape, refunded: refundedOf(look.sums), payments };
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
export function reloadOf(shape: Shape): string {
  const { status, paid, confirmed, expires_at, payments, methods, refunds } = shape;
  const { payments_count: seenCount, refunds_count: returnedCount } = shape;
  const given = methods.filter(({ address }) => address !== null).length;
  const seen = payments.map((payment) => payment.status).join();
  const returned = refunds.map((refund) => refund.status).join();
  const counts = [seenCount, returnedCount];
  return [status, paid, confirmed, expires_at, given, seen, returned, ...counts].join(" ");
}
