import type { Child, Component } from "../base/html.ts";
import { Qr } from "../base/qr.tsx";
import { StrongEnds } from "../base/strong_ends.tsx";
import { moneyText } from "../domain/money/written.ts";
import type { CoinChoice, Order, Target } from "./order.ts";
import type { Shown } from "./shown.ts";
import { Sign } from "./signs.tsx";
import type { Say } from "./texts/texts.ts";

interface Asked {
  readonly say: Say;
  readonly target: Target;
}

export const Paying: Component<Shown> = (shown) => {
  const { order, chosen } = shown;
  if (order.coins.length === 0) return <p>{shown.say("cannot")}</p>;
  const choice = choiceIn(order, chosen);
  return choice?.target
    ? <Instructions {...shown} choice={choice} target={choice.target} />
    : <Choices {...shown} />;
};

/** Whether the payer still has to choose a coin. */
export function isChoosing(order: Order, chosen: string | null): boolean {
  return !choiceIn(order, chosen)?.target;
}

function choiceIn({ coins }: Order, chosen: string | null): CoinChoice | undefined {
  return coins.find(({ id }) => id === chosen) ?? (coins.length === 1 ? coins[0] : undefined);
}

const Choices: Component<Shown> = ({ order: { isLate, row }, choices, fees, say, language }) => (
  <form method="post" action={`?lang=${language}`} class="choices">
    <h2>{say("choose")}</h2>
    {isLate && choices.some(({ coin }) => coin !== row.currency) && (
      <p class="quiet">{say("lateRate")}</p>
    )}
    {choices.map(({ id, coin, network, due, isCheap }) => {
      const fee = fees.get(id);
      const price = moneyText(due, { currency: coin, isCoin: true, language });
      const exact = moneyText(due, { currency: coin, isCoin: true, language, rounding: "exact" });
      return (
        <button type="submit" name="coin" value={id}>
          <Sign coin={coin} />
          <span class="offer">
            <span>
              <b>{coin}</b> · {network}
            </span>{" "}
            <b title={exact === price ? undefined : exact}>
              <bdi>{price}</bdi>
            </b>
            {fee !== undefined
              ? <small>{say("fee", { fee })}</small>
              : isCheap && <small>{say("lowFee")}</small>}
          </span>
        </button>
      );
    })}
  </form>
);

const Instructions: Component<Shown & { choice: CoinChoice; target: Target }> = (
  { order, say, language, hasDemoWallet, choice: { id, coin, network, due }, target },
) => (
  <section class="pay">
    <p class="coin">
      <Sign coin={coin} />
      <span>
        <b>{coin}</b> · {network}
      </span>
      {order.coins.length > 1 && (
        <a href={`?lang=${language}&coin=`} title={say("another")}>{say("change")}</a>
      )}
    </p>
    <Qr text={target.inCode.uri} label={say("codeAll")} />
    <Field say={say} label={say("address")} text={target.address}>
      <StrongEnds text={target.address} />
    </Field>
    <Field say={say} label={say("send")} text={due}>
      <span class="exact">
        <b class="all">{due}</b> {coin}
      </span>
    </Field>
    <p class="quiet">{say("onlyThis", { coin, network })}</p>
    {order.isLate && coin !== order.row.currency && <p class="quiet">{say("lateRate")}</p>}
    <Wallets say={say} target={target} />
    {hasDemoWallet && (
      <form method="post" action={`/pay/${order.row.token}/demo/${id}?lang=${language}`}>
        <p class="wallets">
          <button type="submit">{say("demoWallet")}</button>
        </p>
      </form>
    )}
    <p id="wallet-answer" role="alert"></p>
    <OtherCodes say={say} target={target} />
  </section>
);

/** What is copied as a whole: by a tap, by selecting any of it, and by a button where scripts run. */
const Field: Component<{ say: Say; label: string; text: string; children?: Child }> = (
  { say, label, text, children },
) => (
  <>
    <p class="label">{label}</p>
    <p class="field" dir="ltr">
      {children}
      <button type="button" class="copy" data-copy={text} hidden>{say("copy")}</button>
    </p>
  </>
);

/** For wallets that don't read the first one. */
const OtherCodes: Component<Asked> = ({ say, target }) => (
  <>
    <details name="code">
      <summary>{say("codeAddress")}</summary>
      <Qr text={target.inCode.address} label={say("codeAddress")} />
    </details>
    {target.wallet && (
      <details name="code">
        <summary>{say("codeWallet")}</summary>
        <Qr text={target.wallet.link} label={say("codeWallet")} />
      </details>
    )}
  </>
);

const Wallets: Component<Asked> = ({ say, target }) => (
  <p class="wallets">
    <a class="button" href={target.uri}>{say("openWallet")}</a>
    {target.wallet && (
      <span
        id="wallets"
        data-chain={target.wallet.chainId}
        data-to={target.wallet.to}
        data-value={target.wallet.value}
        data-data={target.wallet.data}
      >
      </span>
    )}
  </p>
);
