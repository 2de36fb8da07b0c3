import type { AccountRow } from "../../accounts/tables/accounts.ts";
import { checkoutOf } from "../../checkout/checkout.ts";
import type { Fields } from "../../dashboard/form.ts";
import {
  AccountChoice,
  accountChosen,
  accountOf,
  withAccount,
} from "../../dashboard/parts/account.tsx";
import { asset } from "../../dashboard/parts/asset.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Once, onceKey } from "../../dashboard/parts/once.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { sentBefore } from "../../dashboard/words/refusals.ts";
import * as kind from "../../domain/kinds.ts";
import { assetOf } from "../../domain/money/amount.ts";
import { moneyText } from "../../domain/money/written.ts";
import { trialAmount } from "../../networks/rules/suggested_limits.ts";
import { coinsOf as coinsOfAccount } from "../currency.ts";
import { createInvoiceByHand, isSameOrder } from "../by_hand.ts";
import { EXPIRES_S, type NewInvoice, TOLERANCE_PERCENT } from "../create.ts";
import { TIMES } from "./_actions.tsx";
import { coinsOf, quotesOf } from "./_quotes.ts";
import { expiresIn, owed, redirectUrl, tolerance } from "../rules/kinds.ts";

const LONG_DECIMALS = 9;

const newInvoicePage = page({
  path: "/invoices/new",
  ability: "manage_invoices",
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page
        visit={visit}
        title="New invoice"
        up={{ path: withAccount(visit, "/invoices"), label: "Invoices" }}
      >
        <AccountChoice visit={visit} account={account} />
        {account && <InvoiceForm visit={visit} account={account} />}
      </Page>
    );
  },
});

const InvoiceForm = async ({ visit, account }: { visit: Visit; account: AccountRow }) => (
  <Card>
    <Form visit={visit} action="/invoices/new">
      <input type="hidden" name="account" value={String(account.id)} />
      <Once visit={visit} />
      <AmountField visit={visit} account={account} />
      <Select
        visit={visit}
        name="currency"
        label="Currency"
        options={(await quotesOf(visit, account)).map((value) => ({ value, label: value }))}
        hint="A currency with rates, or one of your coins"
      />
      <DigitsNote visit={visit} account={account} />
      <CoinChoice visit={visit} account={account} />
      <Field
        visit={visit}
        name="description"
        label="What it is for"
        maxlength={500}
        hint="The payer reads it"
      />
      <Field visit={visit} name="reference" label="Your reference" maxlength={128} />
      <Field
        visit={visit}
        name="customer"
        label="Customer"
        maxlength={256}
        hint="The payer doesn't see it"
      />
      <OpenFor visit={visit} account={account} />
      <Tolerance visit={visit} account={account} />
      <Field visit={visit} name="redirect_url" label="Link back to the shop" type="url" />
      <Submit>Create invoice</Submit>
    </Form>
  </Card>
);

/** Without prices it is in a coin, and 1 of it may be a fortune. */
const AmountField = async ({ visit, account }: { visit: Visit; account: AccountRow }) => {
  const { enabled } = await coinsOfAccount(visit.deps, account.id);
  const [quote] = await quotesOf(visit, account);
  const coin = enabled.find(({ symbol }) => symbol === quote);
  const trial = coin && moneyText(trialAmount(coin), { currency: coin.symbol, isCoin: true });
  return (
    <Field
      visit={visit}
      name="amount"
      label="Amount"
      inputmode="decimal"
      hint={trial && `There are no prices yet, so it is in coins. For a first try, take ${trial}`}
      isRequired
      isFocused
    />
  );
};

/** Nobody types 18 decimals into a wallet without a mistake. */
const DigitsNote = async ({ visit, account }: { visit: Visit; account: AccountRow }) => {
  const [coins, { digits }, catalog] = await Promise.all([
    coinsOf(visit, account),
    checkoutOf(visit.deps, account.id),
    visit.deps.catalog.current(),
  ]);
  const decimals = coins.map((coin) =>
    catalog.currency(coin.network, coin.currency)?.decimals ?? 0
  );
  const most = Math.max(...decimals);
  if (digits !== null || most < LONG_DECIMALS || !visit.may("GET", "/checkout")) return null;
  return (
    <p class="quiet small">
      {`Payers are asked for amounts of coins with up to ${most} decimals. `}
      <a href={BASE + withAccount(visit, "/checkout")}>Fewer are set under Checkout</a>
    </p>
  );
};

const Tolerance = async ({ visit, account }: { visit: Visit; account: AccountRow }) => {
  const { tolerancePercent } = await checkoutOf(visit.deps, account.id);
  return (
    <Field
      visit={visit}
      name="tolerance_percent"
      label="Percent that may be missing from a payment"
      inputmode="decimal"
      hint={`${tolerancePercent ?? TOLERANCE_PERCENT} if you leave it empty`}
    />
  );
};

const newInvoiceAct = act({
  path: "/invoices/new",
  ability: "manage_invoices",
  on: newInvoicePage,
  run: async (visit) => {
    const { deps, form, actor } = visit;
    const { id: accountId } = await accountChosen(visit);
    const wish = form.read(wishIn);
    const row = await createInvoiceByHand(deps, { ...wish, accountId, actor });
    if (!isSameOrder(wish, row)) throw sentBefore(row);
    return done(
      `/invoices/${row.id}`,
      "Created. Send the payer the link, or let them scan its code",
    );
  },
});

function wishIn(fields: Fields): NewInvoice {
  const text = (name: string, max: number) => fields.optional(name, kind.text({ max })) ?? null;
  return {
    amount: fields.required("amount", owed),
    currency: fields.required("currency", kind.symbol),
    coins: null,
    chosen: fields.optional("method", asset) ?? null,
    expiresInS: fields.required("expires_in", expiresIn),
    tolerancePercent: fields.optional("tolerance_percent", tolerance) ?? null,
    idempotencyKey: onceKey(fields),
    details: {
      reference: text("reference", 128),
      description: text("description", 500),
      customer: text("customer", 256),
      redirectUrl: fields.optional("redirect_url", redirectUrl) ?? null,
      ...{ metadata: {}, language: null },
    },
  };
}

export const NEW_INVOICE_ROUTES = [newInvoicePage, newInvoiceAct];

interface Choosing {
  readonly visit: Visit;
  readonly account: AccountRow;
}

/** As Checkout says, at first. */
const OpenFor = async ({ visit, account }: Choosing) => {
  const seconds = (await checkoutOf(visit.deps, account.id)).expiresInS ?? EXPIRES_S;
  const value = String(seconds);
  const isListed = TIMES.some((time) => time.value === value);
  const own = isListed ? [] : [{ value, label: `${Math.ceil(seconds / 60)} minutes` }];
  const options = [...own, ...TIMES];
  return (
    <Select
      visit={visit}
      name="expires_in"
      label="Open for"
      options={options}
      value={value}
    />
  );
};

/** Without a choice there is nothing to ask. */
const CoinChoice = async ({ visit, account }: Choosing) => {
  const coins = await coinsOf(visit, account);
  const options = coins.map((coin) => {
    const value = assetOf(coin);
    return { value, label: visit.asset(value) };
  });
  return options.length > 1 && (
    <Select
      visit={visit}
      name="method"
      label="Paid with"
      options={[{ value: "", label: "What the payer chooses" }, ...options]}
      hint="The payer's page opens with this coin, and still offers the others"
    />
  );
};
