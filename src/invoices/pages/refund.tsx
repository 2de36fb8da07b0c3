import { present } from "../../base/assert.ts";
import { accountAsked, AccountChoice } from "../../dashboard/parts/account.tsx";
import { asset } from "../../dashboard/parts/asset.ts";
import { Card, CopyButton, EmptyState } from "../../dashboard/parts/facts.tsx";
import { COST, feeText, PayoutCost } from "../../dashboard/parts/fee.tsx";
import { Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Once, onceKey } from "../../dashboard/parts/once.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { withQuery } from "../../dashboard/parts/table.tsx";
import { act, page } from "../../dashboard/routes.ts";
import { fieldFault } from "../../dashboard/form.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import { type Amount, assetOf } from "../../domain/money/amount.ts";
import { moneyText } from "../../domain/money/written.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { ownInvoice } from "./invoice.tsx";
import { owed } from "../rules/kinds.ts";
import type { InvoiceRow } from "../tables/invoices.ts";
import { payByHand } from "../../payouts/pay.ts";
import { makeRefundLinkByHand } from "../../refunds/by_hand.ts";
import { type PaidPrice, paidPriceOf } from "../../refunds/paid_price.ts";
import { refundableOf } from "../../refunds/refundable.ts";
import { CLIENT_REFERENCE_MAX } from "../../withdrawals/rules/fields.ts";
import { faultsOfForm, notPayableFault, payoutFlash } from "../../withdrawals/words/payouts.ts";

/** The only time it is shown. */
const LinkMade = (
  { visit, invoice, url }: { visit: Visit; invoice: InvoiceRow; url: string },
) => (
  <Page visit={visit} title="Refund link made" up={upTo(invoice)}>
    <Card>
      <p class="message warn">
        This link is shown only once. Send it to the payer: whoever has it says where the money
        goes.
      </p>
      <p class="hash">
        <code class="whole">{url}</code>
        <CopyButton text={url} />
      </p>
      <p>
        <a class="button" href={`${BASE}/invoices/${invoice.id}`}>I have sent it</a>
      </p>
    </Card>
  </Page>
);

const refundPage = page({
  path: "/invoices/:id{[0-9]+}/refund",
  ability: "pay",
  isSensitive: true,
  show: async (visit) => {
    const invoice = await ownInvoice(visit);
    const coins = await refundableOf(visit.deps, invoice);
    const asked = visit.form.text("asset") || (visit.query.get("coin") ?? "");
    const coin = coins.find(({ left }) => left.asset === asked) ?? coins[0];
    const others = coins.filter((one) => one !== coin);
    return (
      <Page
        visit={visit}
        title={`Refund invoice ${invoice.id}`}
        extra="payout"
        up={upTo(invoice)}
      >
        {coin ? <Forms visit={visit} invoice={invoice} coin={coin} /> : <Nothing />}
        {others.length > 0 && (
          <p class="actions">
            {others.map(({ left }) => (
              <a href={withQuery(visit, { coin: left.asset })}>
                {`Refund ${visit.asset(left.asset)} instead: ${left} left`}
              </a>
            ))}
          </p>
        )}
      </Page>
    );
  },
});

const Nothing = () => (
  <Card>
    <EmptyState title="Nothing is left to refund">
      Only what was credited for the invoice and hasn't been refunded yet can be given back.
    </EmptyState>
  </Card>
);

const Forms = async ({ visit, invoice, coin }: Omit<Refunding, "converted">) => {
  const account = visit.seesAll ? await accountAsked(visit, String(invoice.accountId)) : undefined;
  const price = await paidPriceOf(visit.deps, { invoice, coin });
  const converted = price && convertedIn(visit, price);
  const refunding = { visit, invoice, coin, converted };
  return (
    <>
      {account && <AccountChoice visit={visit} account={account} word="From" isFixed />}
      {price && <ByValue {...refunding} price={price} />}
      <PayBack {...refunding} />
      <LinkInstead {...refunding} />
    </>
  );
};

/** What was asked for in the invoice's currency, as it is sent. */
interface Converted {
  readonly value: string;
  readonly coins: Amount;
}

/** It stays if the form below is refused. */
function convertedIn({ form, query }: Visit, price: PaidPrice): Converted | undefined {
  const value = owed.read(form.text("value") || (query.get("value") ?? ""));
  const coins = value && price.coinsFor(value);
  return coins && !coins.isZero() ? { value, coins } : undefined;
}

/** Only fills in the forms below, which then say in coins what is sent. */
const ByValue = (
  { visit, invoice: { id, currency }, coin: { left, ...coin }, converted, price }: Refunding & {
    price: PaidPrice;
  },
) => {
  const inCoins = (amount: Amount) => visit.money({ ...coin, amount: amount.toString() });
  const worth = price.valueOf(left).toString();
  return (
    <Card title={`How much in ${currency}?`}>
      <Form visit={visit} action={`/invoices/${id}/refund-value`} isInline>
        <input type="hidden" name="asset" value={left.asset} />
        <Field
          visit={visit}
          name="value"
          label={`Amount in ${currency}`}
          inputmode="decimal"
          value={converted?.value ?? ""}
          isRequired
        />
        <Submit tone="plain">Convert</Submit>
      </Form>
      {converted && (
        <p class="message" role="status">
          <strong>
            {moneyText(converted.value, { currency, rounding: "exact" })} ={" "}
            {inCoins(converted.coins)}
          </strong>
        </p>
      )}
      <p class="quiet">
        {`${inCoins(left)} left to refund counted for ` +
          `${moneyText(worth, { currency, rounding: "down" })}. What you enter is converted at ` +
          "that price, not at today's, and nothing is sent before you have seen the coins."}
      </p>
    </Card>
  );
};

const valueAct = act({
  path: "/invoices/:id{[0-9]+}/refund-value",
  ability: "pay",
  on: refundPage,
  run: async (visit) => {
    const invoice = await ownInvoice(visit);
    const { coin, value } = visit.form.read((fields) => ({
      coin: fields.required("asset", asset),
      value: fields.required("value", owed),
    }));
    const price = await paidPriceOf(visit.deps, { invoice, coin });
    if (!price) throw new OperatorError(`What was paid has no price in ${invoice.currency}`);
    if (price.coinsFor(value).isZero()) {
      throw fieldFault("value", `This is worth less than the smallest unit of ${coin.currency}`);
    }
    const query = new URLSearchParams({ coin: assetOf(coin), value });
    return { to: `/invoices/${invoice.id}/refund?${query}` };
  },
});

const PayBack = async ({ visit, invoice: { id }, coin, converted }: Refunding) => {
  const { left, network, currency } = coin;
  const listed = present(
    (await visit.deps.catalog.current()).currency(network, currency),
    "Currencies stay",
  );
  const fault = visit.fault?.fields.get("asset");
  const question = `Refund {amount} ${visit.asset(left.asset)} to\n\`{to_address}\`\n` +
    `{${COST}} Payments to a wrong address can't be called back.`;
  // What else is wrong with it, the server says.
  const { symbol, feeFlat: flat, feePercent: percent } = listed;
  const rules = JSON.stringify({ symbol, minimum: "0", flat, percent });
  return (
    <Card title={`Send ${visit.asset(left.asset)} back`}>
      {fault && <p class="field-fault">{fault}</p>}
      <Form visit={visit} action={`/invoices/${id}/refund`}>
        <input
          type="hidden"
          name="asset"
          value={left.asset}
          data-fee={feeText(listed)}
          data-rules={rules}
        />
        <Once visit={visit} />
        <ValueKept converted={converted} />
        <Field
          visit={visit}
          name="to_address"
          label="To address"
          hint="Ask the payer for it: the address that the money came from may be an exchange's"
          isMono
          isRequired
        />
        <Field
          visit={visit}
          name="amount"
          label="Amount"
          inputmode="decimal"
          value={(converted?.coins ?? left).toString()}
          hint={`At most ${left} ${currency}. The account pays the fee on top.`}
          isRequired
        />
        <PayoutCost />
        <Field
          visit={visit}
          name="reference"
          label="Your reference"
          maxlength={CLIENT_REFERENCE_MAX}
        />
        <Submit confirm={question}>Refund</Submit>
      </Form>
    </Card>
  );
};

const refundAct = act({
  path: "/invoices/:id{[0-9]+}/refund",
  ability: "pay",
  isUrgent: true,
  on: refundPage,
  run: async (visit) => {
    const { deps, form, actor } = visit;
    const invoice = await ownInvoice(visit);
    const { reference, key, ...order } = form.read((fields) => ({
      ...fields.required("asset", asset),
      toAddress: fields.required("to_address", kind.text({ max: 256 })),
      amount: fields.required("amount", kind.amount),
      reference: fields.optional("reference", kind.text({ max: CLIENT_REFERENCE_MAX })),
      key: onceKey(fields),
    }));
    const paid = await payByHand(deps, {
      ...{ ...order, actor, accountId: invoice.accountId, refundOf: invoice },
      clientReference: reference ?? key,
    });
    if (paid.kind === "faults") throw faultsOfForm(paid.checked);
    if (paid.kind === "not_payable") throw notPayableFault(paid.why);
    return { to: `/withdrawals/${paid.row.id}`, flash: payoutFlash(paid.row) };
  },
});

const linkAct = act({
  path: "/invoices/:id{[0-9]+}/refund-link",
  ability: "pay",
  on: refundPage,
  run: async (visit) => {
    const { deps, form, actor } = visit;
    const invoice = await ownInvoice(visit);
    const wish = form.read((fields) => ({
      ...fields.required("asset", asset),
      amount: fields.required("link_amount", kind.amount),
    }));
    const { id: invoiceId, accountId } = invoice;
    const url = await makeRefundLinkByHand(deps, { ...wish, invoiceId, accountId, actor });
    return <LinkMade visit={visit} invoice={invoice} url={url} />;
  },
});

export const REFUND_ROUTES = [refundPage, valueAct, refundAct, linkAct];

type Coin = Awaited<ReturnType<typeof refundableOf>>[number];

interface Refunding {
  readonly visit: Visit;
  readonly invoice: InvoiceRow;
  readonly coin: Coin;
  readonly converted: Converted | undefined;
}

const ValueKept = ({ converted }: Pick<Refunding, "converted">) =>
  converted && <input type="hidden" name="value" value={converted.value} />;

function upTo({ id }: InvoiceRow) {
  return { path: `/invoices/${id}`, label: `Invoice ${id}` };
}

const LinkInstead = ({ visit, invoice: { id }, coin: { left }, converted }: Refunding) => (
  <Card title="Or let the payer say where to">
    <p class="quiet">
      You get a link for the payer, who enters an address of their own within 7 days. The payout
      then waits until somebody approves it.
    </p>
    <Form visit={visit} action={`/invoices/${id}/refund-link`}>
      <input type="hidden" name="asset" value={left.asset} />
      <ValueKept converted={converted} />
      <Field
        visit={visit}
        name="link_amount"
        label={`Amount in ${visit.asset(left.asset)}`}
        inputmode="decimal"
        value={(converted?.coins ?? left).toString()}
        isRequired
      />
      <Submit tone="plain">Make a refund link</Submit>
    </Form>
  </Card>
);
