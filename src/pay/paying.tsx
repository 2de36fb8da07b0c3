import { Grouped } from "../base/grouped.tsx";
import type { Component } from "../base/html.ts";
import { Qr } from "../base/qr.tsx";
import type { CoinChoice, Target } from "./order.ts";
import type { Shown } from "./shown.ts";
import type { Say } from "./texts/texts.ts";

interface Asked {
  readonly say: Say;
  readonly target: Target;
}

export const Paying: Component<Shown> = (shown) => {
  const { order: { coins }, chosen } = shown;
  const choice = coins.find(({ id }) => id === chosen) ??
    (coins.length === 1 ? coins[0] : undefined);
  if (coins.length === 0) return <p>{shown.say("cannot")}</p>;
  return choice?.target
    ? <Instructions {...shown} choice={choice} target={choice.target} />
    : <Choices {...shown} />;
};

const Choices: Component<Shown> = ({ order: { coins, isLate, row }, say, language }) => (
  <form method="post" action={`?lang=${language}`} class="choices">
    <h2>{say("choose")}</h2>
    {isLate && coins.some(({ coin }) =>
      coin !== row.currency
    ) && <p class="quiet">{say("lateRate")}</p>}
    {coins.map(({ id, coin, network, due, isCheap }) => (
      <button type="submit" name="coin" value={id}>
        <span>
          {say("coin", { coin, network })}
          {isCheap && <small>{say("lowFee")}</small>}
        </span>
        <b dir="ltr">{due} {coin}</b>
      </button>
    ))}
  </form>
);

const Instructions: Component<Shown & { choice: CoinChoice; target: Target }> = (
  { order, say, language, hasDemoWallet, choice: { id, coin, network, due }, target },
) => (
  <section class="pay">
    <p class="label">{say("send")}</p>
    <p class="value" dir="ltr">
      <b class="all">{due}</b> {coin}
      <CopyButton say={say} text={due} />
    </p>
    <p class="label">{say("address")}</p>
    <p class="value" dir="ltr">
      <Grouped text={target.address} />
      <CopyButton say={say} text={target.address} />
    </p>
    {order.isLate && coin !== order.row.currency && <p class="quiet">{say("lateRate")}</p>}
    <p class="quiet">{say("onlyThis", { coin, network })}</p>
    <Codes say={say} target={target} />
    <Wallets say={say} target={target} />
    {hasDemoWallet && (
      <form method="post" action={`/pay/${order.row.token}/demo/${id}?lang=${language}`}>
        <p class="wallets">
          <button type="submit">{say("demoWallet")}</button>
        </p>
      </form>
    )}
    <p id="wallet-answer" role="alert"></p>
    {order.coins.length > 1 && (
      <p>
        <a href={`?lang=${language}&coin=`}>{say("another")}</a>
      </p>
    )}
  </section>
);

const Codes: Component<Asked> = ({ say, target }) => (
  <>
    <details name="code" open>
      <summary>{say("codeAll")}</summary>
      <Qr text={target.inCode.uri} label={say("codeAll")} />
    </details>
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

const CopyButton: Component<{ say: Say; text: string }> = ({ say, text }) => (
  <button type="button" class="copy" data-copy={text} hidden>{say("copy")}</button>
);
