import type { Child, Component } from "../base/html.ts";
import { isoUtc } from "../domain/time.ts";
import { LANGUAGES } from "../invoices/rules/languages.ts";
import { isFinalStatus, isPayable } from "../invoices/rules/status.ts";
import { readableOn } from "../checkout/rules/colour.ts";
import { BASE, PATHS } from "./assets/assets.ts";
import { DARK_CARD } from "./assets/style.ts";
import type { Order } from "./order.ts";
import { type Price, pricesIn } from "./prices.ts";
import { isChoosing, Paying } from "./paying.tsx";
import { Coins, Receipt, TransactionLink } from "./receipt.tsx";
import type { Shown } from "./shown.ts";
import { isRightToLeft, type Language, languageName, type Say } from "./texts/texts.ts";

const SCALE = 1_000;
/** As the text "reloads" says. */
export const RELOAD_S = 15;

/** The page's policy names its hash. */
export function brandStyle(colour: string): string {
  const dark = `@media screen and (prefers-color-scheme:dark){:root{--go:${
    readableOn(DARK_CARD, colour)
  }}}`;
  return `:root{--brand:${colour};--on-brand:#fff;--go:${colour}}${dark}`;
}

export const Frame: Component<{
  say: Say;
  language: Language;
  title: string;
  /** By itself, so often. */
  reloadS?: number | undefined;
  colour?: string | null;
  chosen?: string | null;
  /** It is about test coins. */
  isTest: boolean;
  /** The whole page says it. */
  isPaid?: boolean;
  children?: Child;
}> = (
  { say, language, title, reloadS, colour = null, chosen = null, isTest, isPaid = false, children },
) => (
  <html lang={language} dir={isRightToLeft(language) ? "rtl" : "ltr"}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <meta name="color-scheme" content="light dark" />
      <title>{title}</title>
      <link rel="icon" href={PATHS.icon} />
      <link rel="stylesheet" href={PATHS.style} />
      {colour !== null && <style>{brandStyle(colour)}</style>}
      <script src={PATHS.script} defer></script>
      {reloadS !== undefined && (
        <noscript>
          <meta http-equiv="refresh" content={reloadS} />
        </noscript>
      )}
    </head>
    <body class={isPaid ? "paid" : undefined}>
      <main>
        {isTest && <p class="test">{say("test")}</p>}
        {children}
      </main>
      <footer>
        <form method="get" class="languages">
          <label>
            {say("language")}{" "}
            <select name="lang">
              {LANGUAGES.map((one) => (
                <option value={one} lang={one} selected={one === language}>
                  {languageName(one)}
                </option>
              ))}
            </select>
          </label>
          {chosen !== null && <input type="hidden" name="coin" value={chosen} />}
          <button type="submit">{say("change")}</button>
        </form>
      </footer>
    </body>
  </html>
);

export const Page: Component<Shown> = (shown) => {
  const { order, say, language, version } = shown;
  const { row, name, status, brand, isTest } = order;
  const price = pricesIn(language, { currency: row.currency, isCoin: order.isCoin });
  // Nobody is to pay it any more, and a receipt isn't an order to pay.
  const title = isFinalStatus(status) ? name : say("title", { name });
  // Late payments still count, and those after a cancellation are shown.
  const reloads = status !== "paid";
  const [asks, isPaid] = [asksForMoney(order), status === "paid" && !isWhollyBack(order)];
  // Nothing can come yet.
  const isUnchosen = asks && classOf(order) === "watching" && isChoosing(order, shown.chosen);
  const hasReceipt = status === "paid" || order.refunds.length > 0;
  return (
    <Frame
      {...{ say, language, title, isTest, isPaid, reloadS: reloads ? RELOAD_S : undefined }}
      {...{ chosen: shown.chosen, colour: brand.colour }}
    >
      <div
        id="order"
        class={asks ? "two" : undefined}
        data-version={reloads ? version : undefined}
        data-copied={say("copied")}
        data-wrong-chain={say("wrongChain")}
        data-not-sent={say("notSent")}
        data-pay-with={say("payWith", { wallet: "{wallet}" })}
      >
        <div class="sum">
          {isPaid && <State {...shown} price={price} />}
          <Heading order={order} title={title} />
          <Figures {...shown} price={price} />
          {!isPaid && !isUnchosen && <State {...shown} price={price} />}
          {!hasReceipt && <Seen {...shown} />}
          {reloads && (
            <noscript>
              <p class="quiet">{say("reloads")}</p>
            </noscript>
          )}
        </div>
        {asks && (
          <div class="act">
            <Paying {...shown} />
          </div>
        )}
        {(hasReceipt || row.redirectUrl !== null) && (
          <div class="foot">
            {row.redirectUrl !== null && (
              <p>
                <a class={asks ? "back" : "button back"} href={backUrl(order)} rel="noreferrer">
                  {say("back", { name })}
                </a>
              </p>
            )}
            {hasReceipt && <Receipt {...shown} />}
          </div>
        )}
      </div>
    </Frame>
  );
};

const Heading: Component<{ order: Order; title: string }> = ({ order: { row, brand }, title }) => (
  <div class="who">
    {brand.hasLogo && <img class="logo" src={`${BASE}/${row.token}/logo`} alt="" />}
    <div>
      <h1>
        <bdi>{title}</bdi>
      </h1>
      {row.description !== null && (
        <p class="what">
          <bdi>{row.description}</bdi>
        </p>
      )}
    </div>
  </div>
);

/** How much, and how long. What is missing is the amount to pay. */
const Figures: Component<Shown & { price: Price }> = ({ order, say, worth, price }) => {
  const { row: { amount }, paid, due, status } = order;
  const isPart = asksForMoney(order) && paid !== "0";
  return (
    <div class="figures">
      <div>
        <Owed amount={isPart ? due : amount} price={price} rounding={isPart ? "up" : "nearest"} />
        {isPart && <p class="of">{say("whole", { amount: price(amount, "nearest") })}</p>}
        {worth !== null && (
          <p class="of">
            ≈ <bdi>{worth}</bdi>
          </p>
        )}
      </div>
      {status === "open" && <TimeLeft order={order} say={say} />}
    </div>
  );
};

const SEEN_MAX = 3;

/** What came, newest last, while it isn't a receipt yet. */
const Seen: Component<Shown> = ({ order: { payments, others, status }, say, language }) => {
  const shown = payments.slice(-SEEN_MAX);
  const more = payments.length - shown.length + others;
  if (shown.length === 0) return null;
  return (
    <>
      <ul class="seen">
        {more > 0 && <li>+ {more}</li>}
        {shown.map(({ amount, coin, txHash, url }) => (
          <li>
            <b>
              <Coins amount={amount} coin={coin} language={language} />
            </b>{" "}
            <TransactionLink txHash={txHash} url={url} isShort />
          </li>
        ))}
      </ul>
      {status === "processing" && <p class="quiet">{say("done")}</p>}
    </>
  );
};

/** Nobody is asked for money that isn't missing. */
export function asksForMoney(order: Order): boolean {
  return isPayable(order.status) && order.due !== "0" && !isUndecided(order);
}

/** Nobody is thanked for what was given back. */
function isWhollyBack({ status, refunded }: Order): boolean {
  return status === "paid" && refunded === "refunded";
}

/** What came has no price: whoever is paid decides, and nobody is asked to pay it again. */
function isUndecided({ status, isUnrated, paid }: Order): boolean {
  return status === "underpaid" && isUnrated && paid === "0";
}

/** In large type. */
export const Owed: Component<{ amount: string; price: Price; rounding?: "up" | "nearest" }> = (
  { amount, price, rounding = "nearest" },
) => {
  const [shown, exact] = [price(amount, rounding), price(amount)];
  return (
    <p class="owed" title={exact === shown ? undefined : exact}>
      <bdi>{shown}</bdi>
    </p>
  );
};

interface Priced {
  readonly order: Order;
  readonly say: Say;
  readonly price: Price;
}

/** Where its amounts are rounded, all digits are shown on hover. */
const Sentence: Component<Priced> = ({ order, say, price }) => {
  const shown = sentence(order, say, price);
  const exact = sentence(order, say, (amount) => price(amount));
  return <strong title={exact === shown ? undefined : exact}>{shown}</strong>;
};

const State: Component<Shown & { price: Price }> = ({ order, say, price }) => (
  <div class={`state ${classOf(order)}`} role="status">
    {order.status === "paid" && !isWhollyBack(order) && <Tick />}
    <p>
      <Sentence order={order} say={say} price={price} />
      {classOf(order) === "watching" && <small>{say("watching")}</small>}
    </p>
    {order.isUnrated && !isUndecided(order) && <p>{say("unrated", { name: order.name })}</p>}
    {order.refunded !== undefined && !isWhollyBack(order) && (
      <p>{say(order.refunded === "refunded" ? "refunded" : "partlyRefunded")}</p>
    )}
    {order.status === "processing" && <Progress order={order} say={say} />}
    {order.status === "paid" && !isWhollyBack(order) && (
      <Overpaid order={order} say={say} price={price} />
    )}
  </div>
);

function classOf(order: Order): string {
  if (isUndecided(order)) return "";
  return order.status === "open" && order.paid === "0" ? "watching" : order.status;
}

const Tick: Component<object> = () => (
  <svg class="tick" viewBox="0 0 32 32" aria-hidden="true">
    <circle cx="16" cy="16" r="16" />
    <path d="M9 16.5l5 5 9.5-10.5" />
  </svg>
);

type Said = Component<Pick<Shown, "order" | "say">>;

const Progress: Said = ({ order, say }) => {
  const [done, needed] = progressOf(order);
  return <progress value={done} max={needed} aria-label={say("seen", { done, needed })}></progress>;
};

const Overpaid: Component<Priced> = ({ order: { overpaid, name }, say, price }) => {
  if (overpaid === "0") return null;
  const said = (text: string) => say("overpaid", { overpaid: text, name });
  const [shown, exact] = [price(overpaid, "down"), price(overpaid)];
  return <p title={exact === shown ? undefined : said(exact)}>{said(shown)}</p>;
};

const TimeLeft: Said = ({ order: { nowMs, row: { expiresAtMs } }, say }) => (
  <p class="left">
    {say("timeLeft")}{" "}
    <time data-left={expiresAtMs - nowMs} datetime={isoUtc(expiresAtMs)} dir="ltr">
      {timeLeft(expiresAtMs - nowMs)}
    </time>
  </p>
);

function sentence(order: Order, say: Say, price: Price): string {
  const { status, name } = order;
  const [paid, due] = [price(order.paid, "down"), price(order.due, "up")];
  const [done, needed] = progressOf(order);
  switch (status) {
    case "processing":
      return say("seen", { done, needed });
    case "open":
      return order.paid === "0" ? say("open") : say("partly", { paid, due });
    case "underpaid":
      return say(isUndecided(order) ? "unrated" : "underpaid", { due, name });
    case "paid":
      return say(isWhollyBack(order) ? "refunded" : "paid");
    case "cancelled":
      return say(order.paid === "0" ? "cancelled" : "cancelledPartly", { name, paid });
    default:
      return say(status, { name });
  }
}

/** Of the payment that takes longest. */
function progressOf({ payments }: Order): [done: number, needed: number] {
  const slowest =
    payments.toSorted((a, b) => b.needed - b.confirmations - (a.needed - a.confirmations))[0];
  if (!slowest) return [0, 1];
  return [Math.min(slowest.confirmations, slowest.needed), slowest.needed];
}

function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SCALE));
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return `${hours > 0 ? `${hours}:` : ""}${two(minutes)}:${two(seconds % 60)}`;
}

function backUrl({ row: { redirectUrl, id }, status }: Order): string {
  const url = new URL(redirectUrl!);
  url.searchParams.set("invoice_id", String(id));
  url.searchParams.set("status", status);
  return url.href;
}
