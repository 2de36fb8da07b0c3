import type { Component } from "../base/html.ts";
import { PAYMENTS_LISTED_MAX } from "../domain/invoices/listed.ts";
import { isoUtc } from "../domain/time.ts";
import type { Shown } from "./shown.ts";
import type { Language } from "./texts/texts.ts";

/** In the page's address, if it has more payments than a few. */
export const WHOLE = "payments";

export const Receipt: Component<Shown> = ({ order: { row, payments, others }, say, language }) => (
  <section class="receipt">
    <h2>{say("receipt")}</h2>
    <dl>
      {row.paidAtMs !== null && (
        <div>
          <dt>{say("paidAt")}</dt>
          <dd>
            <Moment atMs={row.paidAtMs} language={language} />
          </dd>
        </div>
      )}
      {payments.map(({ txHash, amount, coin, atMs }) => (
        <div>
          <dt>{say("transaction")}</dt>
          <dd>
            <Moment atMs={atMs} language={language} />
          </dd>
          <dd dir="ltr">
            {amount} {coin}
            <code>{txHash}</code>
          </dd>
        </div>
      ))}
      {others > 0 && (
        <div>
          <dt>{say("transaction")}</dt>
          <dd>
            {payments.length < PAYMENTS_LISTED_MAX
              ? <a href={`?lang=${language}&${WHOLE}=all`}>+ {others}</a>
              : <>+ {others}</>}
          </dd>
        </div>
      )}
    </dl>
    <button type="button" id="print" hidden>{say("print")}</button>
  </section>
);

/** In words, because a receipt is for people and gets printed. */
const Moment: Component<{ atMs: number; language: Language }> = ({ atMs, language }) => {
  const text = new Intl.DateTimeFormat(language, {
    ...{ dateStyle: "long", timeStyle: "short", timeZone: "UTC" },
  }).format(atMs);
  return <time datetime={isoUtc(atMs)}>{text} UTC</time>;
};
