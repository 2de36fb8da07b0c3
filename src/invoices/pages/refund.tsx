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
import { BASE, type Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import { ownInvoice } from "./invoice.tsx";
import type { InvoiceRow } from "../tables/invoices.ts";
import { payByHand } from "../../payouts/pay.ts";
import { makeRefundLinkByHand } from "../../refunds/by_hand.ts";
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

const Forms = async (refunding: Refunding) => {
  const { visit, invoice } = refunding;
  const account = visit.seesAll ? await accountAsked(visit, String(invoice.accountId)) : undefined;
  return (
    <>
      {account && <AccountChoice visit={visit} account={account} word="From" isFixed />}
      <PayBack {...refunding} />
      <LinkInstead {...refunding} />
    </>
  );
};

const PayBack = async ({ visit, invoice: { id }, coin }: Refunding) => {
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
          value={left.toString()}
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

export const REFUND_ROUTES = [refundPage, refundAct, linkAct];

type Coin = Awaited<ReturnType<typeof refundableOf>>[number];

interface Refunding {
  readonly visit: Visit;
  readonly invoice: InvoiceRow;
  readonly coin: Coin;
}

function upTo({ id }: InvoiceRow) {
  return { path: `/invoices/${id}`, label: `Invoice ${id}` };
}

const LinkInstead = ({ visit, invoice: { id }, coin: { left } }: Refunding) => (
  <Card title="Or let the payer say where to">
    <p class="quiet">
      You get a link for the payer, who enters an address of their own within 7 days. The payout
      then waits until somebody approves it.
    </p>
    <Form visit={visit} action={`/invoices/${id}/refund-link`}>
      <input type="hidden" name="asset" value={left.asset} />
      <Field
        visit={visit}
        name="link_amount"
        label={`Amount in ${visit.asset(left.asset)}`}
        inputmode="decimal"
        value={left.toString()}
        isRequired
      />
      <Submit tone="plain">Make a refund link</Submit>
    </Form>
  </Card>
);
