import { checkoutOf, type CheckoutSettings, logoOf, setCheckout } from "../checkout.ts";
import { fromBase64, toBase64, utf8 } from "../../base/bytes.ts";
import { readColour } from "../rules/colour.ts";
import { digits, shopName } from "../rules/kinds.ts";
import { type Logo, LOGO_ON_PAGE_MAX, readLogo } from "../rules/logo.ts";
import { expiresInMinutes, tolerance } from "../../invoices/rules/kinds.ts";
import * as kind from "../../domain/kinds.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { logoResponse } from "../../dashboard/assets/logo_response.ts";
import { fieldFault } from "../../dashboard/form.ts";
import { AccountChoice, accountChosen, accountOf } from "../../dashboard/parts/account.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, done, page, type RawRoute } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { CheckoutForm, minutesOf } from "./_form.tsx";
import { Preview } from "./_preview.tsx";

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
