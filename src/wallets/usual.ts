import { Amount } from "../domain/money/amount.ts";
import { paidOutSince } from "./reads/wallets.ts";
import type { AddressRow } from "./tables/addresses.ts";
import type { CurrencyRow } from "../store/tables/setup.ts";
import { amountOf } from "../books/address_books.ts";
import type { Deps } from "../deps/deps.ts";

const DAY_MS = 24 * 3_600_000;

export type UsualPayouts = (accountId: number | null, currency: CurrencyRow) => Amount;

/** The larger of what an account paid out yesterday and today. */
export async function usualPayouts(
  { db, clock }: Deps,
  { network, wallets }: { network: string; wallets: readonly AddressRow[] },
): Promise<UsualPayouts> {
  const accountIds = wallets.flatMap(({ accountId }) => accountId ?? []);
  const nowMs = clock.nowMs();
  const sinceMs = nowMs - nowMs % DAY_MS - DAY_MS;
  const rows = await paidOutSince(db, { network, accountIds, sinceMs });
  const days = Map.groupBy(rows, ({ accountId, currency }) => `${accountId} ${currency}`);
  return (accountId, currency) =>
    (days.get(`${accountId} ${currency.symbol}`) ?? []).reduce((largest, { amount }) => {
      const sum = Amount.parse(amount, largest.asset);
      return largest.isLessThan(sum) ? sum : largest;
    }, amountOf(0n, currency));
}
