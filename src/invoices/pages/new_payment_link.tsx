import type { AccountRow } from "../../accounts/tables/accounts.ts";
import { formOf } from "../../dashboard/asking.ts";
import { AccountChoice, accountOf, withAccount } from "../../dashboard/parts/account.tsx";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { quotesOf } from "./_quotes.ts";
import { CREATE_PAYMENT_LINK } from "../operations/payment_link.ts";

const newLinkPage = page({
  path: "/payment-links/new",
  ability: "manage_invoices",
  show: async (visit) => {
    const account = await accountOf(visit);
    const up = { path: withAccount(visit, "/payment-links"), label: "Payment links" };
    return (
      <Page visit={visit} title="New payment link" up={up}>
        <AccountChoice visit={visit} account={account} />
        {account && <LinkForm visit={visit} account={account} />}
      </Page>
    );
  },
});

const LinkForm = async ({ visit, account }: { visit: Visit; account: AccountRow }) => (
  <Card>
    <Form visit={visit} action="/payment-links/new">
      <input type="hidden" name="account" value={String(account.id)} />
      <Field
        visit={visit}
        name="title"
        label="What it is for"
        maxlength={500}
        hint="The payer reads it"
        isRequired
        isFocused
      />
      <Field
        visit={visit}
        name="amount"
        label="Amount"
        inputmode="decimal"
        hint="If you leave it empty, the payer chooses"
      />
      <Select
        visit={visit}
        name="currency"
        label="Currency"
        options={(await quotesOf(visit, account)).map((value) => ({ value, label: value }))}
        hint="A currency with rates, or one of your coins"
      />
      <Field
        visit={visit}
        name="min"
        label="The least that a payer may choose"
        inputmode="decimal"
      />
      <Field visit={visit} name="max" label="The most" inputmode="decimal" />
      <Field visit={visit} name="redirect_url" label="Link back to the shop" type="url" />
      <Submit>Create link</Submit>
    </Form>
  </Card>
);

const newLinkAct = formOf(CREATE_PAYMENT_LINK, {
  path: "/payment-links/new",
  on: newLinkPage,
  fields: { names: ["title", "amount", "currency", "min", "max", "redirect-url"] },
  to: ({ flags: { account } }) => `/payment-links?account=${account}`,
  said: () => "Created. Put the link or the button on your site, or print its code",
});

export const NEW_PAYMENT_LINK_ROUTES = [newLinkPage, newLinkAct];
