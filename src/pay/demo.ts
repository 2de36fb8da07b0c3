import { Hono } from "hono";
import type { Deps } from "../deps/deps.ts";
import { Lru } from "../base/lru.ts";
import type { DemoPayment, DemoWallet } from "../invoices/rules/demo_wallet.ts";
import { isPayable } from "../invoices/rules/status.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { HttpEnv } from "../http/request_state.ts";
import { isForeign, seeOther, visitOf } from "./answers.tsx";
import { BASE } from "./assets/assets.ts";
import { type Order, orderOf } from "./order.ts";

const PAID_MAX = 10_000;

/** The button that pays this invoice, and nothing else. Only the demo's program has this route. */
export function createDemoButton(deps: Deps, wallet: DemoWallet): Hono<HttpEnv> {
  // A second click must not pay again before the first payment is seen.
  const paid = new Lru<string, boolean>(PAID_MAX);
  const app = new Hono<HttpEnv>();
  return app.post(`${BASE}/:token/demo/:coin`, async (c) => {
    c.env.state.route = `${BASE}/:token/demo/:coin`;
    const { token, coin } = c.req.param();
    const order = isForeign(c.req.raw) ? undefined : await orderOf(deps, token);
    const payment = order && await paymentOf(deps, { order, coin });
    const key = `${token} ${coin} ${payment?.raw}`;
    if (payment && !paid.get(key)) {
      paid.set(key, true);
      await wallet.pay(payment).catch((error) => {
        // The chain refused it, so the next click may pay.
        paid.set(key, false);
        throw error;
      });
    }
    const { language } = visitOf(c, order?.row.language ?? null);
    return seeOther(`${BASE}/${token}?${new URLSearchParams({ lang: language, coin })}`);
  });
}

/** What is due in a coin that the payer has chosen. */
async function paymentOf(
  deps: Deps,
  { order, coin: id }: { order: Order; coin: string },
): Promise<DemoPayment | undefined> {
  const choice = order.coins.find((one) => one.id === id);
  if (!choice?.target || !isPayable(order.status) || choice.due === "0") return undefined;
  const [network = ""] = id.split(".");
  const listed = (await deps.catalog.current()).currency(network, choice.coin);
  if (!listed) return undefined;
  const asset = assetOf({ network, currency: choice.coin });
  const raw = Amount.parse(choice.due, asset).toRaw(listed.decimals);
  return { network, contract: listed.contractAddress, address: choice.target.address, raw };
}
