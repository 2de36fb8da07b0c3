import { first } from "../base/lists.ts";
import { checkoutOf } from "../checkout/checkout.ts";
import type { CheckoutRow } from "../checkout/table.ts";
import type { Deps } from "../deps/deps.ts";
import { isSameSymbol } from "../domain/money/symbols.ts";
import { Refused } from "../domain/refusal.ts";
import { type AccountCoins, coinsOf, quoteOf } from "./currency.ts";
import type { Method } from "./rules/coins.ts";
import type { InvoiceRow } from "./tables/invoices.ts";
import type { World } from "../networks/rules/world.ts";
import type { CurrencyRow } from "../networks/table.ts";
import { rateOf } from "../rates/current.ts";

/** A coin on a network, spelled in any case. */
export interface Coin {
  readonly network: string;
  readonly currency: string;
}

export interface Asked {
  readonly amount: string;
  readonly currency: string;
  /** What the payer may choose from; null: everything enabled for deposits. */
  readonly coins: readonly Coin[] | null;
  /** Already chosen. */
  readonly chosen: Coin | null;
}

export type Terms = Pick<InvoiceRow, "amount" | "currency" | "methods">;

/** What all invoices of an account begin with. */
interface Ground extends AccountCoins {
  readonly checkout: CheckoutRow;
}

export async function groundOf(deps: Deps, accountId: number): Promise<Ground> {
  const [checkout, coins] = await Promise.all([
    checkoutOf(deps, accountId),
    coinsOf(deps, accountId),
  ]);
  return { checkout, ...coins };
}

/** What is owed, and the price of each coin it can be paid with, from now on. */
export async function termsOf(
  deps: Deps,
  { checkout: { digits }, wish, ...has }: Ground & { wish: Asked },
): Promise<Terms> {
  const { enabled, world } = has;
  const currency = await quoteOf(deps, { enabled, world, wanted: wish.currency });
  const coins = await wantedCoins(deps, { ...has, wish, quote: currency });
  const priced = await Promise.all(
    coins.map((coin) => methodOf(deps, { coin, currency, world })),
  );
  const methods = priced.flatMap((method) =>
    method ? [{ ...method, digits, ...chosenIn(wish, method) }] : []
  );
  mustHaveRates(methods, { wish, currency, coins });
  return { amount: wish.amount, currency, methods };
}

/** For the chosen coin, or for at least one if none was chosen. */
function mustHaveRates(
  methods: readonly Method[],
  { wish: { chosen }, currency, coins }: {
    wish: Asked;
    currency: string;
    coins: readonly CurrencyRow[];
  },
): void {
  if (methods.length === 0) throw noRate(chosen?.currency ?? first(coins).symbol, currency);
  if (chosen && !methods.some((method) => isSame(method, chosen))) {
    throw noRate(chosen.currency, currency);
  }
}

export function noRate(base: string, quote: string): Refused {
  return new Refused("rate_unavailable", { text: `${base.toUpperCase()}/${quote}` });
}

/** Where an account has real coins, test coins have no price, not even in themselves. */
export function noTestRate({ network, symbol }: CurrencyRow, quote: string): Refused {
  const text =
    `${symbol.toUpperCase()}/${quote}: coins of the test network ${network} are worth nothing`;
  return new Refused("rate_unavailable", { text });
}

function chosenIn({ chosen }: Asked, method: Coin): Pick<Method, "isChosen"> {
  return chosen && isSame(method, chosen) ? { isChosen: true } : {};
}

async function wantedCoins(
  deps: Deps,
  { wish, enabled, worthless, whyNot, quote }: AccountCoins & { wish: Asked; quote: string },
): Promise<readonly CurrencyRow[]> {
  const catalog = await deps.catalog.current();
  const { coins, chosen } = wish;
  const asked = [...coins ?? [], ...chosen ? [chosen] : []];
  const found = asked.map((coin) => {
    if (!catalog.network(coin.network)?.isActive) throw new Refused("network_not_found");
    const listed = catalog.currency(coin.network, coin.currency);
    if (!listed?.isActive) throw new Refused("currency_not_found");
    if (worthless.includes(listed)) throw noTestRate(listed, quote);
    // Without a reason it was changed just now.
    if (!enabled.includes(listed)) throw new Refused(whyNot(listed) ?? "deposits_disabled");
    return listed;
  });
  if (coins) return [...new Set(found)];
  if (enabled.length === 0) throw new Refused("deposits_disabled");
  return enabled;
}

async function methodOf(
  deps: Deps,
  { coin, currency, world }: { coin: CurrencyRow; currency: string; world: World },
): Promise<Method | undefined> {
  const { network, symbol, decimals } = coin;
  const rate = isSameSymbol(symbol, currency)
    ? { value: "1", atMs: deps.clock.nowMs() }
    : await rateOf(deps, { base: symbol, quote: currency, world });
  if (!rate) return undefined;
  return { network, currency: symbol, decimals, rate: rate.value, rateAtMs: rate.atMs };
}

export function isSame(one: Coin, other: Coin): boolean {
  return one.network.toLowerCase() === other.network.toLowerCase() &&
    isSameSymbol(one.currency, other.currency);
}
