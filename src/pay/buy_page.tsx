import type { Component } from "../base/html.ts";
import type { PaymentLinkRow } from "../invoices/tables/payment_links.ts";
import type { Spoken } from "./answers.tsx";
import { Qr } from "../base/qr.tsx";
import { Frame, Owed } from "./page.tsx";
import { type Price, pricesIn } from "./prices.ts";
import type { Say, TextKey } from "./texts/texts.ts";

/** What a payer may know of a payment link. */
export interface Offer {
  readonly link: PaymentLinkRow;
  /** Who is paid. */
  readonly name: string;
  /** The amount is one, and not a state's money. */
  readonly isCoin: boolean;
  /** Its invoices take test coins. */
  readonly isTest: boolean;
}

type Offered = Spoken & Offer;

const AMOUNT_CHARS_MAX = 100;

/** Where an invoice is started. */
export const BuyPage: Component<Offered & { typed?: string; fault?: TextKey | null }> = (
  { say, language, link, name, isCoin, isTest, typed = "", fault = null },
) => {
  const price = pricesIn(language, { currency: link.currency, isCoin });
  return (
    <Frame say={say} language={language} title={say("title", { name })} isTest={isTest}>
      <div id="order">
        <div class="sum">
          <What say={say} link={link} name={name} price={price} />
          <form method="post" action={`?lang=${language}`}>
            {link.amount === null && (
              <>
                <p>
                  <label for="amount">{say("howMuch")}</label>
                </p>
                <p class="amount" dir="ltr">
                  <input
                    id="amount"
                    name="amount"
                    inputmode="decimal"
                    autocomplete="off"
                    maxlength={AMOUNT_CHARS_MAX}
                    value={typed}
                    aria-describedby="bounds"
                    aria-invalid={fault === null ? null : "true"}
                    required
                  />{" "}
                  {link.currency}
                </p>
                <p id="bounds" class="quiet">{bounds(link, say, price)}</p>
              </>
            )}
            {fault !== null && <p class="fault" role="alert">{say(fault)}</p>}
            <p>
              <button type="submit" class="button">{say("next")}</button>
            </p>
          </form>
        </div>
      </div>
    </Frame>
  );
};

/** For the counter: whoever reads the code comes to the page above. */
export const PrintPage: Component<Offered & { url: string }> = (
  { say, language, link, name, isCoin, isTest, url },
) => {
  const price = pricesIn(language, { currency: link.currency, isCoin });
  return (
    <Frame say={say} language={language} title={say("title", { name })} isTest={isTest}>
      <div id="order" class="poster">
        <div class="sum">
          <What say={say} link={link} name={name} price={price} />
          {link.amount === null && <p class="quiet">{bounds(link, say, price)}</p>}
          <Qr text={url} label={say("scan")} />
          <p>
            <strong>{say("scan")}</strong>
          </p>
          <button type="button" id="print" hidden>{say("print")}</button>
        </div>
      </div>
    </Frame>
  );
};

const What: Component<Pick<Offer, "link" | "name"> & { say: Say; price: Price }> = (
  { say, link, name, price },
) => (
  <>
    <h1>
      <bdi>{say("title", { name })}</bdi>
    </h1>
    <p class="what">
      <bdi>{link.title}</bdi>
    </p>
    {link.amount !== null && <Owed amount={link.amount} price={price} />}
  </>
);

function bounds({ min, max }: PaymentLinkRow, say: Say, price: Price): string {
  if (min !== null && max !== null) return say("between", { min: price(min), max: price(max) });
  if (min !== null) return say("atLeast", { min: price(min) });
  return max === null ? "" : say("atMost", { max: price(max) });
}
