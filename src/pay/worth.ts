import type { Deps } from "../deps/deps.ts";
import { worldOfAccount } from "../networks/worlds.ts";
import { currentRates } from "../rates/current.ts";
import { Amount } from "../domain/money/amount.ts";
import { isSameSymbol } from "../domain/money/symbols.ts";
import { fiatText, isFiat } from "../domain/money/written.ts";
import { rateOf } from "../rates/rules/rate_of.ts";
import type { Order } from "./order.ts";
import type { Language } from "./texts/texts.ts";

/** If the account doesn't report in one that has a rate. */
const USUAL = ["USD", "EUR"];
const DECIMALS = 2;

/** What a payer is asked for in coins, in money that they know, at the price of now. */
export async function worthOf(
  deps: Deps,
  { row, status, isCoin }: Order,
  language: Language,
): Promise<string | null> {
  const { amount, currency, accountId } = row;
  if (!isCoin || status === "paid" || status === "cancelled") return null;
  const { reporting } = await deps.catalog.current();
  const { of } = await currentRates(deps);
  const world = await worldOfAccount(deps, accountId) ?? "real";
  const own = reporting.get(accountId);
  for (const quote of own === undefined ? USUAL : [own, ...USUAL]) {
    const rate = rateOf(of[world], { base: currency, quote, nowMs: deps.clock.nowMs() });
    if (!rate || isSameSymbol(quote, currency)) continue;
    const value = Amount.parse(amount, currency).convertedBy(rate.value, quote);
    const shown = value.truncatedTo(DECIMALS);
    if (shown.isZero()) return null;
    return isFiat(quote)
      ? fiatText(value.toString(), { code: quote, language, rounding: "down" })
      : `${shown} ${quote}`;
  }
  return null;
}
