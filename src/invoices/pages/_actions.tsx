import { REASON_MAX } from "../rules/kinds.ts";
import { isFinalStatus } from "../rules/status.ts";
import { moneyText } from "../../domain/money/written.ts";
import { CREDITED_STATUSES } from "../../deposits/rules/transaction_moves.ts";
import { Fold } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import type { Shape } from "./_story.ts";

export const TIMES = [
  { value: "900", label: "15 minutes" },
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "1 day" },
  { value: "604800", label: "7 days" },
  { value: "2592000", label: "30 days" },
];

interface Acting {
  readonly visit: Visit;
  readonly shape: Shape;
}

/** What is still possible; in sight once the time is up. */
export const InvoiceActions = ({ visit, shape }: Acting) => {
  const { invoice_id: id, status, payments } = shape;
  const path = `/invoices/${id}`;
  if (!mayChange({ visit, shape })) return null;
  const isOver = status === "expired" || status === "underpaid";
  return (
    <Fold title="Give more time, or accept as paid" isOpen={isOver || visit.fault !== undefined}>
      <Form visit={visit} action={`${path}/extend`} isInline>
        <Select visit={visit} name="expires_in" label="More time, from now" options={TIMES} />
        <Submit tone="plain">Extend</Submit>
      </Form>
      {payments.some((one) =>
        CREDITED_STATUSES.includes(one.status)
      ) && <Accept visit={visit} shape={shape} />}
    </Fold>
  );
};

export const CancelInvoice = ({ visit, shape }: Acting) =>
  mayChange({ visit, shape }) && (
    <Form visit={visit} action={`/invoices/${shape.invoice_id}/cancel`} isInline>
      <Submit
        tone="danger"
        confirm="The payer is asked not to pay any more. What arrives anyway is still credited."
      >
        Cancel invoice
      </Submit>
    </Form>
  );

function mayChange({ visit, shape: { invoice_id: id, status } }: Acting): boolean {
  return visit.may("POST", `/invoices/${id}/cancel`) && !isFinalStatus(status);
}

const Accept = ({ visit, shape: { invoice_id: id, confirmed, amount, currency } }: Acting) => (
  <Form visit={visit} action={`/invoices/${id}/accept`} isInline>
    <Field
      visit={visit}
      name="reason"
      label="Accept as paid, because"
      maxlength={REASON_MAX}
      isRequired
    />
    <Submit
      confirm={`Only ${moneyText(confirmed, { currency, rounding: "down" })} of ${
        moneyText(amount, { currency, rounding: "exact" })
      } are credited.`}
    >
      Accept as paid
    </Submit>
  </Form>
);
