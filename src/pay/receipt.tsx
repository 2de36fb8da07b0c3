import type { Component } from "../base/html.ts";
import { PAYMENTS_LISTED_MAX } from "../invoices/rules/listed.ts";
import { moneyText } from "../domain/money/written.ts";
import { isoUtc } from "../domain/time.ts";
import type { RefundShown } from "./order.ts";
import type { Shown } from "./shown.ts";
import type { Language, Say } from "./texts/texts.ts";

/** In the page's address, if it has more payments than a few. */
export const WHOLE = "payments";

const LINKED_MAX = 20;

/** What came, and what went back. */
export const Receipt: Component<Shown> = ({ order, say, language }) => {
  const { row: { reference, paidAtMs }, payments, others, refunds, hasOlderRefunds } = order;
  // Links of a long list would make the page too heavy.
  const shown = payments.length > LINKED_MAX
    ? payments.map((payment) => ({ ...payment, url: undefined }))
    : payments;
  return (
    <section class="receipt">
      <h2>{say("receipt")}</h2>
      <dl>
        {reference !== null && (
          <div>
            <dt>{say("reference")}</dt>
            <dd>
              <bdi>{reference}</bdi>
            </dd>
          </div>
        )}
        {paidAtMs !== null && (
          <div>
            <dt>{say("paidAt")}</dt>
            <dd>
              <Moment atMs={paidAtMs} language={language} />
            </dd>
          </div>
        )}
        {shown.map((payment) => (
          <Transfer name={say("transaction")} transfer={payment} language={language} />
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
        {hasOlderRefunds && (
          <div>
            <dt>{say("refund")}</dt>
            <dd>…</dd>
          </div>
        )}
        {refunds.map((refund) => <Refund refund={refund} say={say} language={language} />)}
      </dl>
      <button type="button" id="print" hidden>{say("print")}</button>
    </section>
  );
};

/** In a list of terms. */
export const Refund: Component<{ refund: RefundShown; say: Say; language: Language }> = (
  { refund, say, language },
) => <Transfer name={say("refund")} transfer={refund} language={language} />;

const Transfer: Component<{ name: string; transfer: RefundShown; language: Language }> = (
  { name, transfer: { txHash, amount, coin, network, atMs, url }, language },
) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <Moment atMs={atMs} language={language} />
    </dd>
    <dd>
      <Coins amount={amount} coin={coin} language={language} /> · <bdi>{network}</bdi>{" "}
      <TransactionLink txHash={txHash} url={url} />
    </dd>
  </div>
);

/** All digits: they are what somebody has sent. */
export const Coins: Component<{ amount: string; coin: string; language: Language }> = (
  { amount, coin, language },
) => (
  <bdi>
    {moneyText(amount, { currency: coin, isCoin: true, language, rounding: "exact" })}
  </bdi>
);

const SHORT = 8;

export const TransactionLink: Component<{
  txHash: string;
  url: string | undefined;
  isShort?: boolean;
}> = ({ txHash, url, isShort = false }) => {
  const text = isShort ? `${txHash.slice(0, SHORT)}…${txHash.slice(-SHORT)}` : txHash;
  const code = <code dir="ltr" title={isShort ? txHash : undefined}>{text}</code>;
  return url === undefined ? code : <a href={url} rel="noreferrer" target="_blank">{code}</a>;
};

/** In words, because a receipt is for people and gets printed. */
const Moment: Component<{ atMs: number; language: Language }> = ({ atMs, language }) => {
  const text = new Intl.DateTimeFormat(language, {
    ...{ dateStyle: "long", timeStyle: "short", timeZone: "UTC" },
  }).format(atMs);
  return <time datetime={isoUtc(atMs)}>{text} UTC</time>;
};
