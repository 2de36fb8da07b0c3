import type { Component } from "../base/html.ts";
import { isoUtc } from "../domain/time.ts";
import type { Shown } from "./shown.ts";

export const Receipt: Component<Shown> = ({ order: { row, payments }, say }) => (
  <section class="receipt">
    <h2>{say("receipt")}</h2>
    <dl>
      {row.paidAtMs !== null && (
        <div>
          <dt>{say("paidAt")}</dt>
          <dd>
            <time datetime={isoUtc(row.paidAtMs)}>{isoUtc(row.paidAtMs).replace("T", " ")}</time>
          </dd>
        </div>
      )}
      {payments.map(({ txHash, amount, coin }) => (
        <div>
          <dt>{say("transaction")}</dt>
          <dd dir="ltr">
            {amount} {coin}
            <code>{txHash}</code>
          </dd>
        </div>
      ))}
    </dl>
    <button type="button" id="print" hidden>{say("print")}</button>
  </section>
);
