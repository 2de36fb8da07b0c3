import { EXPIRES_S, TOLERANCE_PERCENT } from "../../invoices/create.ts";
import type { Component } from "../../base/html.ts";
import type { CheckoutRow } from "../table.ts";
import type { AccountRow } from "../../store/tables/setup.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Check, Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import type { Visit } from "../../dashboard/visit.ts";

interface FormProps {
  readonly visit: Visit;
  readonly account: AccountRow;
  readonly checkout: CheckoutRow;
  readonly hasLogo: boolean;
}

const written = (value: number | string | null) => value === null ? "" : String(value);

export const CheckoutForm: Component<FormProps> = ({ visit, account, checkout, hasLogo }) => (
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

export function minutesOf(seconds: number | null): number | null {
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
