import type { AccountRow } from "../../accounts/tables/accounts.ts";
import { fromBase64, toBase64, utf8 } from "../../base/bytes.ts";
import type { Component } from "../../base/html.ts";
import { checkoutOf, type CheckoutSettings, logoOf, setCheckout } from "../checkout.ts";
import { readColour } from "../rules/colour.ts";
import { digits, shopName } from "../rules/kinds.ts";
import { type Logo, LOGO_ON_PAGE_MAX, readLogo } from "../rules/logo.ts";
import type { CheckoutRow } from "../table.ts";
import { logoResponse } from "../../dashboard/assets/logo_response.ts";
import { fieldFault } from "../../dashboard/form.ts";
import { AccountChoice, accountChosen, accountOf } from "../../dashboard/parts/account.tsx";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Check, Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, done, page, type RawRoute } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { EXPIRES_S, TOLERANCE_PERCENT } from "../../invoices/create.ts";
import { expiresInMinutes, tolerance } from "../../invoices/rules/kinds.ts";

const USUAL = "#1b57d6";

const checkoutPage = page({
  path: "/checkout",
  ability: "set_up_account",
  nav: { label: "Checkout", group: "Payments" },
  isSensitive: true,
  show: async (visit) => {
    const account = await accountOf(visit);
    const checkout = account && await checkoutOf(visit.deps, account.id);
    const logo = account && await logoOf(visit.deps, account.id);
    return (
      <Page visit={visit} title="Checkout">
        <AccountChoice visit={visit} account={account} />
        {account && checkout && (
          <>
            <Preview {...{ account, checkout }} hasLogo={logo !== undefined} />
            <CheckoutForm {...{ visit, account, checkout }} hasLogo={logo !== undefined} />
          </>
        )}
      </Page>
    );
  },
});

const checkoutAct = act({
  path: "/checkout",
  ability: "set_up_account",
  on: checkoutPage,
  isSensitive: true,
  run: async (visit) => {
    const { id: accountId } = await accountChosen(visit);
    const { deps, actor } = visit;
    const { expiresInS } = await checkoutOf(deps, accountId);
    const [change, logo] = [changeIn(visit, expiresInS), logoIn(visit)];
    await setCheckout(deps, { accountId, change, logo, actor });
    const isLarge = logo && logo.bytes.length > LOGO_ON_PAGE_MAX;
    const text = isLarge
      ? `Saved. The logo has ${logo.bytes.length} bytes, and the payer's page has room for ${LOGO_ON_PAGE_MAX}, so it isn't shown there`
      : "Saved";
    return done(`/checkout?account=${accountId}`, text);
  },
});

function changeIn({ form }: Visit, secondsBefore: number | null): CheckoutSettings {
  const { minutes, ...change } = form.read((fields) => ({
    name: fields.optional("name", shopName) ?? null,
    colour: fields.optional("colour", kind.text({ max: 7 })) ?? null,
    minutes: fields.optional("expires_minutes", expiresInMinutes) ?? null,
    tolerancePercent: fields.optional("tolerance_percent", tolerance) ?? null,
    digits: fields.optional("digits", digits) ?? null,
  }));
  const { colour } = change;
  // The command line can set seconds. They stay unless somebody changes the minutes.
  const isKept = minutes === minutesOf(secondsBefore);
  const expiresInS = isKept ? secondsBefore : minutes && minutes * 60;
  return { ...change, expiresInS, colour: colour && of("colour", () => readColour(colour)) };
}

/** Undefined: it stays as it is. */
function logoIn({ form }: Visit): Logo | null | undefined {
  if (form.values.has("no_logo")) return null;
  const given = form.text("logo");
  if (given === "") return undefined;
  const bytes = fromBase64(given);
  if (!bytes) throw fieldFault("logo", "Must be a PNG or an SVG");
  return of("logo", () => readLogo(bytes));
}

/** Shows what is wrong next to the field. */
function of<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof OperatorError ? fieldFault(name, error.message) : error;
  }
}

const NO_LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>';

const logoRoute: RawRoute = {
  kind: "raw",
  path: "/checkout/:id{[0-9]+}/logo",
  ability: "set_up_account",
  respond: async (visit) => {
    const { accountId } = visit.own({ accountId: visit.id() });
    const none = { mediaType: "image/svg+xml", body: toBase64(utf8(NO_LOGO)) };
    return logoResponse(await logoOf(visit.deps, accountId) ?? none);
  },
};

export const CHECKOUT_ROUTES = [checkoutPage, checkoutAct, logoRoute];

interface FormProps {
  readonly visit: Visit;
  readonly account: AccountRow;
  readonly checkout: CheckoutRow;
  readonly hasLogo: boolean;
}

const written = (value: number | string | null) => value === null ? "" : String(value);

const CheckoutForm: Component<FormProps> = ({ visit, account, checkout, hasLogo }) => (
  <Card title="Settings">
    <Form visit={visit} action="/checkout" hasFile>
      <input type="hidden" name="account" value={String(account.id)} />
      <Field
        visit={visit}
        name="name"
        label="Name that payers read"
        maxlength={100}
        value={written(checkout.name)}
        hint={`${account.name} if you leave it empty`}
      />
      <LogoField visit={visit} />
      {hasLogo && <Check visit={visit} name="no_logo" label="Remove the logo" />}
      <Field
        visit={visit}
        name="colour"
        label="Colour of buttons"
        maxlength={7}
        value={written(checkout.colour)}
        hint="Such as #1b57d6. Dark enough for white text"
      />
      <Defaults visit={visit} checkout={checkout} />
      <Submit>Save</Submit>
    </Form>
  </Card>
);

function minutesOf(seconds: number | null): number | null {
  return seconds === null ? null : Math.ceil(seconds / 60);
}

/** What new invoices start with. */
const Defaults: Component<Pick<FormProps, "visit" | "checkout">> = ({ visit, checkout }) => (
  <>
    <Field
      visit={visit}
      name="expires_minutes"
      label="Minutes that an invoice is open"
      inputmode="numeric"
      value={written(minutesOf(checkout.expiresInS))}
      hint={`${minutesOf(EXPIRES_S)} if you leave it empty`}
    />
    <Field
      visit={visit}
      name="tolerance_percent"
      label="Percent that may be missing from a payment"
      inputmode="decimal"
      value={written(checkout.tolerancePercent)}
      hint={`${TOLERANCE_PERCENT} if you leave it empty`}
    />
    <Field
      visit={visit}
      name="digits"
      label="Decimals of amounts in coins"
      inputmode="numeric"
      value={written(checkout.digits)}
      hint="Amounts are rounded up to this many decimals, unless that adds more than 1 %. All if you leave it empty"
    />
  </>
);

const LogoField: Component<{ visit: Visit }> = ({ visit }) => {
  const fault = visit.fault?.fields.get("logo");
  return (
    <div class="field">
      <label for="field-logo">
        Logo <span class="quiet">(optional)</span>
      </label>
      <input
        id="field-logo"
        name="logo"
        type="file"
        accept="image/png,image/svg+xml"
        aria-invalid={fault ? "true" : undefined}
        aria-describedby={fault ? "field-logo-fault" : "field-logo-hint"}
      />
      {fault
        ? <p class="field-fault" id="field-logo-fault">{fault}</p>
        : <p class="hint" id="field-logo-hint">PNG or SVG, at most 64 kB</p>}
    </div>
  );
};

interface PreviewProps {
  readonly account: AccountRow;
  readonly checkout: CheckoutRow;
  readonly hasLogo: boolean;
}

/** What payers see of it. Attributes of a drawing have the colour, because styles aren't allowed. */
const Preview: Component<PreviewProps> = (
  { account, checkout: { name, colour, logoHash }, hasLogo },
) => (
  <Card title="What payers see">
    {hasLogo && (
      <p>
        <img class="logo" src={`${BASE}/checkout/${account.id}/logo`} alt="Your logo" />
      </p>
    )}
    {hasLogo && logoHash === null && (
      <p class="message warn">
        The payer's page has no room for this logo, so it isn't shown there.
      </p>
    )}
    <p>
      <strong class="whole">
        Pay <bdi>{name ?? account.name}</bdi>
      </strong>
    </p>
    <svg
      width="180"
      height="44"
      viewBox="0 0 180 44"
      role="img"
      aria-label="A button in your colour"
    >
      <rect width="180" height="44" rx="9" fill={colour ?? USUAL} />
      <text x="90" y="28" text-anchor="middle" font-size="16" fill="#fff">Open my wallet</text>
    </svg>
  </Card>
);
