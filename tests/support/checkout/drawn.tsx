import type { Page as BrowserPage } from "playwright-core";
import { htmlOf } from "../../../src/base/html.ts";
import { ASSETS } from "../../../src/pay/assets/assets.ts";
import type { Order } from "../../../src/pay/order.ts";
import { Page } from "../../../src/pay/page.tsx";
import { type Language, sayIn } from "../../../src/pay/texts/texts.ts";
import { COIN, ORDERS } from "./orders.ts";

/** Browsers trust it like one with TLS. */
const ORIGIN = "http://pay.localhost";

/** The page of one of the orders. */
export async function draw(state: string, language: Language): Promise<string> {
  const [order, chosen] = ORDERS[state]!;
  return await drawOrder(order, { chosen, language });
}

export async function drawOrder(
  order: Order,
  { chosen, language }: { chosen: string | null; language: Language },
): Promise<string> {
  const about = { chosen, worth: null, hasDemoWallet: false, version: "v" };
  const offered = { choices: order.coins, fees: new Map([[COIN.id, "≈ €0.42"]]) };
  const html = (
    <Page order={order} say={sayIn(language)} language={language} {...about} {...offered} />
  );
  return `<!doctype html>${await htmlOf(html)}`;
}

/** Everything that the browser asks for, without a gateway. */
export async function serve(page: BrowserPage): Promise<(html: string) => Promise<void>> {
  let shown = "";
  await page.route(`${ORIGIN}/**`, async (route) => {
    const path = new URL(route.request().url()).pathname;
    const asset = ASSETS.find((one) => one.path === path);
    if (path.endsWith("/state")) return await route.fulfill({ json: { version: "v" } });
    const contentType = asset?.type ?? "text/html; charset=utf-8";
    await route.fulfill({ body: asset?.text ?? shown, contentType });
  });
  return async (html) => {
    shown = html;
    await page.goto(`${ORIGIN}/pay/token`);
  };
}
