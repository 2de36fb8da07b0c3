import { LINK_ID } from "../payment_link_shape.ts";
import { Amount } from "../../domain/money/amount.ts";
import { isFiat, moneyText } from "../../domain/money/written.ts";
import { isFinalStatus } from "../rules/status.ts";
import { withAccount } from "../../dashboard/parts/account.tsx";
import { AMOUNT, STATUS } from "../../dashboard/parts/columns.tsx";
import {
  accountFact,
  type Fact,
  Fold,
  Hash,
  Money,
  Name,
  Time,
} from "../../dashboard/parts/facts.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import type { Shape, Story } from "./_story.ts";

/** Cents of a state's money, but all digits of a coin. */
const quoted = (quote: string) => ({ quote, isWhole: !isFiat(quote) });

export function factsOf(visit: Visit, { row, shape }: Story): Fact[] {
  const about = quoted(row.currency);
  const { paid, confirmed, due, overpaid, url, status } = shape;
  const isOpen = !isFinalStatus(status);
  const named = (name: string, text: string | null): Fact[] =>
    text === null ? [] : [[name, <bdi class="whole">{text}</bdi>]];
  return [
    ...accountFact(visit, row),
    ["Seen", <Money amount={paid} {...about} />],
    ["Credited", <Money amount={confirmed} {...about} />],
    ...due === "0"
      ? []
      : [["Still missing", <Money amount={due} {...about} isMissing />] satisfies Fact],
    ...overpaid === "0"
      ? []
      : [["Too much", <Money amount={overpaid} {...about} />] satisfies Fact],
    ...isOpen ? [["Counts as paid", toleranceText(row)] satisfies Fact] : [],
    ...isOpen ? [["To be paid by", <Time atMs={row.expiresAtMs} />] satisfies Fact] : [],
    ...named("Reference", row.reference),
    ...named("Description", row.description),
    ...named("Customer", row.customer),
    ...named("Link back to the shop", row.redirectUrl),
    ...Object.entries(row.metadata).flatMap(([name, text]): Fact[] =>
      name === LINK_ID
        ? [["Started by", <PaymentLinkName visit={visit} id={text} />]]
        : named(`${name} (yours)`, text)
    ),
    ...shape.is_late ? [["Late", "It took a payment after the time was up"] satisfies Fact] : [],
    ["The payer's page", <a class="whole" href={url}>{url}</a>],
    ["Invoice", row.id],
  ];
}

/** Networks and exchanges may take a little of it on its way. */
function toleranceText({ amount, currency, tolerancePercent }: Story["row"]): string {
  const whole = Amount.parse(amount, currency);
  const least = whole.minus(whole.percentage(tolerancePercent)).toString();
  return `from ${moneyText(least, { currency, rounding: "up" })}, ${tolerancePercent} % less`;
}

/** Of which an invoice was started, as its metadata says. */
export const PaymentLinkName = ({ visit, id }: { visit: Visit; id: string }) => {
  const name = (
    <>
      payment link <bdi>{id}</bdi>
    </>
  );
  if (!visit.may("GET", "/payment-links")) return name;
  return <a href={BASE + withAccount(visit, "/payment-links")}>{name}</a>;
};

type Method = Shape["methods"][number];

const methodsIn = (visit: Visit, quote: string): readonly Column<Method>[] => [
  { title: "Coin", at: "title", cell: (one) => visit.coin(one) },
  {
    title: "Amount",
    isNumber: true,
    at: "amount",
    // A digit less, and what the merchant tells the payer isn't enough.
    cell: ({ amount_decimal: amount, currency }) => (
      <Money amount={amount} currency={currency} isWhole />
    ),
  },
  {
    title: "Still missing",
    isNumber: true,
    isMinor: true,
    cell: ({ due_decimal: due }) => <Money amount={due} isWhole />,
  },
  {
    title: "Locked price",
    isNumber: true,
    cell: ({ rate }) => <Money amount={rate} quote={quote} isWhole />,
  },
  {
    title: "Price of",
    isMinor: true,
    at: "age",
    cell: ({ rate_at: at }) => <Time atMs={Date.parse(at)} />,
  },
  {
    title: "Address",
    cell: ({ address }) =>
      address === null ? <span class="quiet">not chosen</span> : <Hash text={address} />,
  },
];

/** What the payer may choose, and has chosen. */
export const Methods = (
  { visit, shape: { methods, currency } }: { visit: Visit; shape: Shape },
) => (
  <Fold title={`Coins and their prices in ${currency}`} count={methods.length}>
    <Table caption="Coins" rows={methods} columns={methodsIn(visit, currency)} empty="None" />
  </Fold>
);

type Payment = Shape["payments"][number];

const paymentsIn = (visit: Visit, quote: string): readonly Column<Payment>[] => [
  {
    title: "Payment",
    at: "title",
    cell: ({ transaction_id: id, ...coin }) => (
      <Name text={`Payment in ${visit.coin(coin)}`} href={`${BASE}/deposits/${id}`} />
    ),
  },
  { ...AMOUNT, isMixed: true, cell: (one) => <Counted payment={one} quote={quote} /> },
  STATUS,
  { title: "When", at: "age", cell: ({ detected_at: at }) => <Time atMs={Date.parse(at)} /> },
  { title: "Blocks", isNumber: true, isMinor: true, cell: ({ confirmations }) => confirmations },
  { title: "Transaction", isMinor: true, cell: ({ tx_hash: hash }) => <Hash text={hash} /> },
];

/** What it counts as, with the coins below. */
const Counted = (
  { payment: { amount_decimal: amount, currency, value }, quote }: {
    payment: Payment;
    quote: string;
  },
) => (
  <>
    {value === null
      ? <span class="quiet small">no price: counts once accepted</span>
      : quote !== currency && (
        <span class="above">
          <Money amount={value} {...quoted(quote)} />
        </span>
      )} <Money amount={amount} currency={currency} />
  </>
);

export const Payments = ({ visit, shape }: { visit: Visit; shape: Shape }) => {
  const { invoice_id: id, payments, payments_count: count, currency } = shape;
  return (
    <Fold
      title="Payments"
      count={count}
      isOpen={count > 0}
      actions={count > payments.length && (
        <a href={`${BASE}/deposits?invoice=${id}`}>{`All ${count} payments`}</a>
      )}
    >
      <Table
        caption="Payments"
        rows={payments}
        columns={paymentsIn(visit, currency)}
        empty="Nothing has been seen yet. A payment appears here seconds after it was sent."
      />
    </Fold>
  );
};

type Refund = Shape["refunds"][number];

const refundsIn = (visit: Visit): readonly Column<Refund>[] => [
  {
    title: "Refund",
    at: "title",
    cell: ({ withdrawal_id: id, ...coin }) => (
      <Name text={`Refund in ${visit.coin(coin)}`} href={`${BASE}/withdrawals/${id}`} />
    ),
  },
  AMOUNT,
  STATUS,
];

export const Refunds = (
  { visit, shape: { invoice_id: id, refunds, refunds_count: count } }: {
    visit: Visit;
    shape: Shape;
  },
) =>
  refunds.length > 0 && (
    <Fold
      title="Refunds"
      count={count}
      isOpen
      actions={count > refunds.length && (
        <a href={`${BASE}/withdrawals?invoice=${id}`}>{`All ${count} refunds`}</a>
      )}
    >
      <Table caption="Refunds" rows={refunds} columns={refundsIn(visit)} empty="" />
    </Fold>
  );
