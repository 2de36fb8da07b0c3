import { LINK_ID } from "../payment_link_shape.ts";
import { PAYER } from "../../books/trail.ts";
import type { AuditRow } from "../../audit/table.ts";
import type { TransactionRow } from "../../deposits/tables/transactions.ts";
import { Time } from "../../dashboard/parts/facts.tsx";
import { Person } from "../../dashboard/parts/payment/person.tsx";
import { deedsOf, type Moment, Moments, reached } from "../../dashboard/parts/payment/timeline.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import { BASE } from "../../dashboard/visit.ts";
import { coinText } from "../../dashboard/words/assets.ts";
import { PaymentLinkName } from "./_facts.tsx";
import type { Story } from "./_story.ts";

export const Timeline = ({ visit, story }: { visit: Visit; story: Story }) => (
  <Moments of={momentsOf(visit, story)} />
);

function momentsOf(visit: Visit, { row, payments, audited }: Story): Moment[] {
  const isOver = row.expiresAtMs <= visit.nowMs;
  const byHand = audited.find(({ action }) => action === "invoice.created");
  const actor = byHand?.actor ?? `api:${row.keyId}`;
  return [
    { atMs: row.createdAtMs, shown: <Asked visit={visit} story={{ row }} actor={actor} /> },
    ...payments.flatMap((payment) => seen(payment)),
    ...deedsOf(visit, {
      ...{ audited: audited.filter((entry) => !isByPayer(entry)), words: DEEDS, about: refundIn },
    }),
    ...deedsOf(visit, { audited: audited.filter(isByPayer), words: BY_PAYER, about: refundIn }),
    ...isOver && row.status !== "paid" ? reached("Time was up", row.expiresAtMs) : [],
    ...reached("Paid", row.paidAtMs),
  ];
}

const Asked = (
  { visit, story: { row }, actor }: {
    visit: Visit;
    story: Pick<Story, "row">;
    actor: string | null;
  },
) => (
  <li>
    <strong>Created</strong> by <Creator visit={visit} row={row} actor={actor} />,{" "}
    <Time atMs={row.createdAtMs} />{" "}
    <p class="quiet">
      Prices were locked for {row.methods.map(coinText).join(", ")}.
    </p>
  </li>
);

/** Payers start those of payment links. */
const Creator = (
  { visit, row: { metadata }, actor }: Pick<Story, "row"> & { visit: Visit; actor: string | null },
) => {
  const link = metadata[LINK_ID];
  if (link === undefined) return <Person visit={visit} actor={actor} />;
  return (
    <>
      the payer, through <PaymentLinkName visit={visit} id={link} />
    </>
  );
};

function seen(row: TransactionRow) {
  const { id, amount, createdAtMs, confirmedAtMs } = row;
  const link = <a href={`${BASE}/deposits/${id}`}>{`${amount} ${coinText(row)}`}</a>;
  const moment = (words: string, atMs: number): Moment => ({
    atMs,
    shown: (
      <li>
        <strong>{words}</strong> {link}, <Time atMs={atMs} />
      </li>
    ),
  });
  return [
    moment("Payment seen:", createdAtMs),
    ...confirmedAtMs === null ? [] : [moment("Credited:", confirmedAtMs)],
  ];
}

const DEEDS: Readonly<Record<string, string>> = {
  "invoice.extended": "Extended",
  "invoice.accepted": "Accepted as paid",
  "invoice.cancelled": "Cancelled",
  "invoice.refunded": "Refunded",
  "invoice.refund_link_made": "Refund link made for",
};

/** Somebody else approves it. */
const BY_PAYER: typeof DEEDS = { "invoice.refunded": "Refund asked for" };

/** How much, and the payout that pays it. */
function refundIn({ detail }: AuditRow) {
  const { amount, network, currency, withdrawal_id: id } = detail;
  if (typeof amount !== "string") return null;
  const text = `${amount} ${coinText({ network: String(network), currency: String(currency) })}`;
  return (
    <>{" "}{typeof id === "number" ? <a href={`${BASE}/withdrawals/${id}`}>{text}</a> : text}</>
  );
}

function isByPayer({ actor }: AuditRow): boolean {
  return actor === PAYER;
}
