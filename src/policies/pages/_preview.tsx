import type { Preview } from "../preview.ts";
import { Card, Money, Status, Time } from "../../dashboard/parts/facts.tsx";
import { Table } from "../../dashboard/parts/table.tsx";
import { BASE } from "../../dashboard/visit.ts";

/** More would be larger than the rest of the page. */
const SHOWN_MAX = 30;
const WORDS = { allow: "allowed", approve: "needs approval", refuse: "refused" } as const;
const TONES = { allow: "good", approve: "under-way", refuse: "bad" } as const;

export const PreviewCard = ({ preview: { payments, covered, isCut } }: { preview: Preview }) => {
  const of = (wanted: keyof typeof WORDS) =>
    payments.filter(({ outcome }) => outcome === wanted).length;
  const touched = payments.filter(({ outcome }) => outcome !== "allow");
  const last = payments.length === 1 ? "the last payout" : `the last ${payments.length} payouts`;
  return (
    <Card title="What it would have done">
      {payments.length === 0 ? <p>There are no payouts yet to compare with.</p> : (
        <p>
          Of {last}: <strong>{of("allow")} allowed</strong>,{" "}
          <strong>{of("approve")} would have needed approval</strong>,{" "}
          <strong>{of("refuse")} refused</strong>.{covered < payments.length &&
            ` It is about ${covered === 0 ? "none" : covered} of them.`}
        </p>
      )}
      {isCut && (
        <p class="quiet">
          There are many payouts: the totals of the oldest ones leave out what was requested long
          before.
        </p>
      )}
      {touched.length > 0 && <Touched payments={touched} />}
    </Card>
  );
};

const Touched = ({ payments }: Pick<Preview, "payments">) => (
  <>
    <Table
      caption="Payouts that it would have stopped"
      rows={payments.slice(0, SHOWN_MAX)}
      empty=""
      columns={[
        {
          title: "Payout",
          at: "title",
          cell: ({ past: { id } }) => <a href={`${BASE}/withdrawals/${id}`}>{id}</a>,
        },
        {
          title: "Amount",
          isNumber: true,
          at: "amount",
          cell: ({ past: { payment: { amount, currency } } }) => (
            <Money amount={amount} currency={currency} />
          ),
        },
        {
          title: "It would be",
          at: "state",
          cell: ({ outcome }) => <Status value={WORDS[outcome]} tone={TONES[outcome]} />,
        },
        {
          title: "Requested",
          at: "age",
          cell: ({ past: { requestedAtMs } }) => <Time atMs={requestedAtMs} />,
        },
      ]}
    />
    {payments.length > SHOWN_MAX && (
      <p class="quiet">And {payments.length - SHOWN_MAX} before these.</p>
    )}
  </>
);
