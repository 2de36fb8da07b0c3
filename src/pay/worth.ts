import type { Deps } from "../deps/deps.ts";
import { worldOfAccount } from "../networks/worlds.ts";
import { currentRates } from "../rates/current.ts";
import { Amount } from "../domain/money/amount.ts";
import { isSameSymbol } from "../domain/money/symbols.ts";
import { moneyText } from "../domain/money/written.ts";
import { rateOf } from "../rates/rules/rate_of.ts";
import type { Order } from "./order.ts";
import type { Language } from "./texts/texts.ts";

/** If the account doesn't report in one that has a rate. */
const USUAL = ["USD", "EUR"];
/** Less than that isn't worth saying. */
const DECIMALS = 2;

/** What a payer is asked for in coins, in money that they know, at the price of now. */
export async function worthOf(
  deps: Deps,
  { row: { amount, currency, accountId }, status, isCoin }: Order,
  language: Language,
): Promise<string | null> {
  if (!isCoin || status === "paid" || status === "cancelled") return null;
  const priced = await pricedIn(deps, { accountId, amount, currency, quotes: [] });
  if (!priced || Amount.parse(priced.amount, "").truncatedTo(DECIMALS).isZero()) return null;
  return moneyText(priced.amount, { currency: priced.currency, language, rounding: "down" });
}

/** In the first of these, of what the account reports in, and of the usual ones that has a rate. */
export async function pricedIn(
  deps: Deps,
  { accountId, amount, currency, quotes }: {
    accountId: number;
    amount: string;
    currency: string;
    quotes: readonly string[];
  },
): Promise<{ readonly amount: string; readonly currency: string } | null> {
  const { reporting } = await deps.catalog.current();
  const { of } = await currentRates(deps);
  const world = await worldOfAccount(deps, accountId) ?? "real";
  const own = reporting.get(accountId);
  for (const quote of [...quotes, ...own === undefined ? [] : [own], ...USUAL]) {
    const rate = rateOf(of[world], { base: currency, quote, nowMs: deps.clock.nowMs() });
    if (!rate || isSameSymbol(quote, currency)) continue;
    const value = Amount.parse(amount, currency).convertedBy(rate.value, quote);
    return { amount: value.toString(), currency: quote };
  }
  return null;
}
