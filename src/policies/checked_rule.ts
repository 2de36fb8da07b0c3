import { ApiKeys } from "../access/tables/keys.ts";
import { findAccount, findCurrency, findNetwork } from "../books/find.ts";
import type { Deps } from "../deps/deps.ts";
import { isSameSymbol, spellingIn } from "../domain/money/symbols.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { meterRates } from "./count.ts";
import type { Rule } from "./rules/rules.ts";
import { currentRates, hasRates } from "../rates/current.ts";
import { rateOf } from "../rates/rules/rate_of.ts";

/** What earlier payments are worth to a rule in another currency. */
export async function ratesFor(
  deps: Deps,
  { quote = null, network, currency }: Omit<Rule, "id">,
): Promise<Record<string, string> | null> {
  if (quote === null) return null;
  const { currencies } = await deps.catalog.current();
  const nowMs = deps.clock.nowMs();
  const { of: { real, test } } = await currentRates(deps);
  const rates: Record<string, string> = {};
  for (const { symbol, ...one } of currencies) {
    if (network !== null && one.network !== network) continue;
    if (currency !== null && !isSameSymbol(symbol, currency)) continue;
    // Earlier payments in test coins count like real ones, which is stricter.
    const rate = rateOf(real, { base: symbol, quote, nowMs }) ??
      rateOf(test, { base: symbol, quote, nowMs });
    if (rate) rates[symbol] = rate.value;
  }
  return meterRates(rates);
}

export async function checkedRule<R extends Omit<Rule, "id">>(deps: Deps, order: R): Promise<R> {
  const rule = { ...order, quote: await knownQuote(deps, order.quote ?? null) };
  const { accountId, keyId, network, currency } = rule;
  if (accountId !== null) await findAccount(deps, accountId);
  const key = keyId === null ? undefined : await deps.db.find(ApiKeys, [keyId]);
  const isOthers = accountId !== null && key?.accountId !== accountId;
  if (keyId !== null && (!key || isOthers)) throw refuse("key_unknown", { keyId });
  if (network !== null && currency === null) {
    return { ...rule, network: (await findNetwork(deps, network)).code };
  }
  if (currency === null) return rule;
  if (network !== null) {
    const found = await findCurrency(deps, { network, symbol: currency });
    return { ...rule, network: found.network, currency: found.symbol };
  }
  const { currencies } = await deps.catalog.current();
  const found = spellingIn(currencies.map(({ symbol }) => symbol), currency);
  if (found === undefined) throw refuse("policy_currency_unknown", { symbol: currency });
  return { ...rule, currency: found };
}

async function knownQuote(deps: Deps, quote: string | null): Promise<string | null> {
  if (quote === null) return null;
  if (await hasRates(deps, quote)) return quote.toUpperCase();
  throw refuse("policy_quote_unknown", { quote });
}
