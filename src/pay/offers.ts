import { depositCounts } from "../accounts/reads/volumes.ts";
import { lately } from "../books/lately.ts";
import type { Deps } from "../deps/deps.ts";
import { moneyText } from "../domain/money/written.ts";
import { nativeAmount } from "../transfers/price.ts";
import { usualCostOf } from "../withdrawals/free_of_charge.ts";
import type { CoinChoice, Order } from "./order.ts";
import { cookieText } from "./paid_with.ts";
import type { Language } from "./texts/texts.ts";
import { pricedIn } from "./worth.ts";

/** A payer doesn't wait for nodes. */
const NODE_WAIT_MS = 100;
const DATABASE_WAIT_MS = 1_000;
const SOLD_WITHIN_MS = 30 * 86_400_000;

/** By choice: what its network charges the payer besides, roughly. Absent: nobody says it. */
export type Fees = ReadonlyMap<string, string>;

export async function feesOf(deps: Deps, order: Order, language: Language): Promise<Fees> {
  const fees = await Promise.all(
    order.coins.map(async (coin) => {
      const fee = await feeOf(deps, { order, coin, language });
      return fee === null ? [] : [[coin.id, fee] as const];
    }),
  );
  return new Map(fees.flat());
}

async function feeOf(
  deps: Deps,
  { order: { row, isCoin }, coin, language }: {
    order: Order;
    coin: CoinChoice;
    language: Language;
  },
): Promise<string | null> {
  const { networkCode: code, coin: symbol } = coin;
  const catalog = await deps.catalog.current();
  const [network, currency] = [catalog.network(code), catalog.currency(code, symbol)];
  if (!network || !currency) return null;
  const isToken = currency.contractAddress !== null;
  const raw = await usualCostOf(deps, { network, isToken, waitMs: NODE_WAIT_MS });
  if (!raw) return null;
  const fee = nativeAmount(network, raw).toString();
  const priced = await pricedIn(deps, {
    ...{ accountId: row.accountId, amount: fee, currency: network.nativeSymbol },
    quotes: isCoin ? [] : [row.currency],
  });
  const shown = priced ?? { amount: fee, currency: network.nativeSymbol, isCoin: true };
  const text = moneyText(shown.amount, { ...shown, language });
  return text.startsWith("<") ? isolated(text) : isolated(`≈ ${text}`);
}

/** Reads the same in a sentence of either direction. */
function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}

/** What this browser paid with last, then what the merchant was paid with most often lately. */
export async function likeliestFirst(
  deps: Deps,
  { row: { accountId }, coins }: Pick<Order, "row" | "coins">,
  paidWith: string | null,
): Promise<readonly CoinChoice[]> {
  const sinceMs = deps.clock.nowMs() - SOLD_WITHIN_MS;
  const counts = await lately(deps, {
    key: `sold by ${accountId}`,
    look: () => depositCounts(deps.db, { accountId, sinceMs }),
    waitMs: DATABASE_WAIT_MS,
  });
  const rank = ({ id, networkCode, coin }: CoinChoice) =>
    cookieText(id) === paidWith ? Infinity : counts?.get(`${networkCode}/${coin}`) ?? 0;
  return coins.toSorted((a, b) => rank(a) === rank(b) ? 0 : rank(b) - rank(a));
}
