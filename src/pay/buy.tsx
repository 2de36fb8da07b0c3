import { type Context, Hono } from "hono";
import { Accounts } from "../accounts/tables/accounts.ts";
import { htmlOf } from "../base/html.ts";
import { checkoutOf } from "../checkout/checkout.ts";
import type { Deps } from "../deps/deps.ts";
import { isSameSymbol } from "../domain/money/symbols.ts";
import { type RefusalCode, Refused } from "../domain/refusal.ts";
import type { HttpEnv } from "../http/request_state.ts";
import { paymentLinkUrl } from "../invoices/payment_link_shape.ts";
import { linkOfSlug, startInvoice } from "../invoices/payment_links.ts";
import { isWithin, typedAmount } from "../invoices/rules/chosen_amount.ts";
import { isTestAccount } from "../networks/worlds.ts";
import {
  isForeign,
  message,
  page,
  seeOther,
  type ShowPage,
  type Spoken,
  textPage,
  visitOf,
} from "./answers.tsx";
import { BASE } from "./assets/assets.ts";
import { BuyPage, type Offer, PrintPage } from "./buy_page.tsx";
import type { PayLimits } from "./limits.ts";

export const BUY = "/buy";

/** Of this link, or of its account's share of the day. */
const LIMITS: ReadonlySet<RefusalCode> = new Set(["rate_limited", "quota_exceeded"]);

type Asked = Context<HttpEnv, "/buy/:slug">;

interface Tools {
  readonly limits: PayLimits;
  readonly tooMany: (spoken: Spoken) => Promise<Response>;
  readonly shown: ShowPage;
  readonly readForm: (request: Request) => Promise<URLSearchParams>;
}

/** Where anybody with a payment link starts an invoice. Only a POST does. */
export function createBuy(deps: Deps, { limits, tooMany, shown, readForm }: Tools): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();

  app.get(`${BUY}/:slug`, (c) => {
    c.env.state.route = `${BUY}/:slug`;
    return shown(c, (turn) =>
      turn(() =>
        withOffer(
          deps,
          c,
          async (offer, spoken) => page(await htmlOf(<BuyPage {...offer} {...spoken} />), 200),
        )
      ));
  });

  app.get(`${BUY}/:slug/print`, (c) => {
    c.env.state.route = `${BUY}/:slug/print`;
    return shown(c, (turn) =>
      turn(() =>
        withOffer(deps, c, async (offer, spoken) => {
          const url = paymentLinkUrl(offer.link, deps.publicUrl);
          return page(await htmlOf(<PrintPage {...offer} {...spoken} url={url} />), 200);
        })
      ));
  });

  app.post(`${BUY}/:slug`, async (c) => {
    c.env.state.route = `${BUY}/:slug`;
    if (!limits.takeStart(c.env.state.ip)) return await tooMany(visitOf(c, null));
    if (isForeign(c.req.raw)) return seeOther(`${BUY}/${c.req.param("slug")}`);
    const form = await readForm(c.req.raw);
    return await withOffer(
      deps,
      c,
      (offer, spoken) => start(deps, { offer, spoken, typed: form.get("amount") ?? "" }),
    );
  });

  return app;
}

async function withOffer(
  deps: Deps,
  c: Asked,
  show: (offer: Offer, spoken: Spoken) => Promise<Response>,
): Promise<Response> {
  const spoken = visitOf(c, null);
  const link = await linkOfSlug(deps, c.req.param("slug"));
  if (!link) return await message(spoken, "absent", 404);
  const [checkout, account, isTest] = await Promise.all([
    checkoutOf(deps, link.accountId),
    deps.db.get(Accounts, [link.accountId]),
    isTestAccount(deps, link.accountId),
  ]);
  const name = checkout.name ?? account.name;
  if (link.deactivatedAtMs !== null) return await closed(spoken, name);
  const { currencies } = await deps.catalog.current();
  const isCoin = currencies.some(({ symbol }) => isSameSymbol(symbol, link.currency));
  return await show({ link, name, isCoin, isTest }, spoken);
}

async function closed(spoken: Spoken, name: string): Promise<Response> {
  return page(await textPage(spoken, spoken.say("closed", { name })), 410);
}

async function start(
  deps: Deps,
  { offer, spoken, typed }: { offer: Offer; spoken: Spoken; typed: string },
): Promise<Response> {
  const { link, name } = offer;
  const amount = link.amount ?? typedAmount(typed);
  const isRight = amount !== undefined && (link.amount !== null || isWithin(amount, link));
  if (!isRight) {
    const fault = amount === undefined ? "notAmount" : "outside";
    return page(await htmlOf(<BuyPage {...offer} {...spoken} typed={typed} fault={fault} />), 422);
  }
  const { language } = spoken;
  try {
    const row = await startInvoice(deps, { link, amount, language });
    if (!row) return await closed(spoken, name);
    return seeOther(`${BASE}/${row.token}?lang=${language}`);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (!LIMITS.has(error.code)) return await message(spoken, "cannot", 503);
    const full = page(await textPage(spoken, spoken.say("tooManyOrders", { name })), 429);
    full.headers.set("retry-after", String(error.detail.retryAfterS));
    return full;
  }
}
