import type { refundableOf } from "../../refunds/refundable.ts";
import type { InvoiceRow } from "../tables/invoices.ts";
import { Card, CopyButton } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { assetText } from "../../dashboard/words/assets.ts";

type Coin = Awaited<ReturnType<typeof refundableOf>>[number];

export interface Refunding {
  readonly visit: Visit;
  readonly invoice: InvoiceRow;
  readonly coin: Coin;
}

export function upTo({ id }: InvoiceRow) {
  return { path: `/invoices/${id}`, label: `Invoice ${id}` };
}

export const LinkInstead = ({ visit, invoice: { id }, coin: { left } }: Refunding) => (
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
        label={`Amount in ${assetText(left.asset)}`}
        inputmode="decimal"
        value={left.toString()}
        isRequired
      />
      <Submit tone="plain">Make a refund link</Submit>
    </Form>
  </Card>
);

/** The only time it is shown. */
export const LinkMade = (
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
