import type { AccountRow } from "../../accounts/tables/accounts.ts";
import type { Component } from "../../base/html.ts";
import { Qr } from "../../base/qr.tsx";
import { AccountChoice, accountChosen, accountOf } from "../../dashboard/parts/account.tsx";
import { Card, Money } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Once, onceKey } from "../../dashboard/parts/once.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { withQuery } from "../../dashboard/parts/table.tsx";
import { act, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { sentBefore } from "../../dashboard/words/refusals.ts";
import * as kind from "../../domain/kinds.ts";
import { createInvoiceByHand, isSameOrder } from "../by_hand.ts";
import { INVOICES } from "../lists/invoices.ts";
import { quotesOf } from "./_quotes.ts";
import { reloadOf, seenOf, type Shape } from "./_story.ts";
import { ownInvoice } from "./invoice.tsx";
import { owed } from "../rules/kinds.ts";
import { isPayable } from "../rules/status.ts";
import type { InvoiceRow } from "../tables/invoices.ts";
import { invoiceSentence } from "../words.ts";
import { rowsOf } from "../../operations/lists/list.ts";

const counterPage = page({
  path: "/counter",
  ability: "manage_invoices",
  nav: { label: "Counter", group: "Payments" },
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page visit={visit} title="Counter">
        <AccountChoice visit={visit} account={account} />
        {account && <AmountForm visit={visit} account={account} />}
      </Page>
    );
  },
});

/** A single field, so that a cashier can type at once. */
const AmountForm: Component<{ visit: Visit; account: AccountRow }> = async ({ visit, account }) => {
  const quotes = await quotesOf(visit, account);
  const asked = visit.typed("currency", visit.query.get("currency") ?? "");
  const currency = quotes.find((quote) => quote === asked) ??
    await lastCurrency(visit, account) ?? quotes[0];
  if (currency === undefined) {
    return <p class="message warn">Enable a currency for deposits first.</p>;
  }
  return (
    <Card>
      <div class="counter">
        <Form visit={visit} action="/counter">
          <input type="hidden" name="account" value={String(account.id)} />
          <input type="hidden" name="currency" value={currency} />
          <Once visit={visit} />
          <Field
            visit={visit}
            name="amount"
            label={`Amount in ${currency}`}
            inputmode="decimal"
            isRequired
            isFocused
          />
          <Submit>Show the code</Submit>
        </Form>
        <Others visit={visit} quotes={quotes} currency={currency} />
      </div>
    </Card>
  );
};

const Others: Component<{ visit: Visit; quotes: readonly string[]; currency: string }> = (
  { visit, quotes, currency },
) => {
  const others = quotes.filter((quote) => quote !== currency);
  return others.length > 0 && (
    <p class="actions">
      Charge in {others.map((quote) => <a href={withQuery(visit, { currency: quote })}>{quote}</a>)}
    </p>
  );
};

/** What was used last is most likely used again. */
async function lastCurrency({ deps }: Visit, { id }: AccountRow): Promise<string | undefined> {
  const asked = { accountId: id, values: {}, cursor: null, limit: 1 };
  const { rows } = await rowsOf(deps, INVOICES, asked);
  return rows[0]?.currency;
}

const askAct = act({
  path: "/counter",
  ability: "manage_invoices",
  on: counterPage,
  run: async (visit) => {
    const { id: accountId } = await accountChosen(visit);
    const wish = visit.form.read((fields) => ({
      amount: fields.required("amount", owed),
      currency: fields.required("currency", kind.symbol),
      idempotencyKey: onceKey(fields),
    }));
    const row = await createInvoiceByHand(visit.deps, {
      ...{ ...wish, accountId, actor: visit.actor },
      ...{ coins: null, chosen: null, expiresInS: null, tolerancePercent: null },
      details: {
        ...{ reference: null, description: null, customer: null, metadata: {} },
        ...{ redirectUrl: null, language: null },
      },
    });
    if (!isSameOrder(wish, row)) throw sentBefore(row);
    return { to: `/counter/${row.id}` };
  },
});

const codePage = page({
  path: "/counter/:id{[0-9]+}",
  ability: "manage_invoices",
  show: async (visit) => {
    const row = await ownInvoice(visit);
    const seen = await seenOf(visit, row);
    return (
      <Page
        visit={visit}
        title="Counter"
        up={{ path: `/invoices/${row.id}`, label: `Invoice ${row.id}` }}
        actions={<Next visit={visit} row={row} />}
        reload={reloadOf(seen)}
        isLive
      >
        <Card>
          <Code shape={seen.shape} />
        </Card>
      </Page>
    );
  },
  live: async (visit) => ({ reload: reloadOf(await seenOf(visit, await ownInvoice(visit))) }),
});

const Code: Component<{ shape: Shape }> = ({ shape }) => {
  const { amount, currency, status, url } = shape;
  return (
    <div class="counter">
      <p class="big">
        <Money amount={amount} quote={currency} isWhole />
      </p>
      <p class={`message ${status === "paid" ? "done" : "warn"}`} role="status">
        {invoiceSentence(shape)}
      </p>
      {isPayable(status) && <Qr text={url} label="Code with the link to the payer's page" />}
    </div>
  );
};

const Next: Component<{ visit: Visit; row: InvoiceRow }> = ({ visit, row }) => {
  const account: Record<string, string> = visit.seesAll ? { account: String(row.accountId) } : {};
  const query = new URLSearchParams({ currency: row.currency, ...account });
  return <a class="button" href={`${BASE}/counter?${query}`}>Next customer</a>;
};

export const COUNTER_ROUTES = [counterPage, askAct, codePage];
