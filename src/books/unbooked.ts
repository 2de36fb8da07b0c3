import { Balances, LedgerEntries } from "./table.ts";
import { hasMoved } from "../deposits/reads/transactions.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { Currencies, type CurrencyRow } from "../networks/table.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { allAccounts } from "../store/reads/pages/lists.ts";

type Token = Pick<CurrencyRow, "contractAddress" | "decimals">;

export function isSameToken(currency: Token, change: Partial<Token>): boolean {
  const { contractAddress, decimals } = { ...currency, ...change };
  return contractAddress === currency.contractAddress && decimals === currency.decimals;
}

const TRIES_MAX = 10;

/**
 * Other contracts or decimals would change the value of what is booked. No key finds everything a
 * currency has, so that is looked up outside the unit, which then checks that no rows were added
 * since.
 */
export async function whileUnbooked<T>(
  deps: Deps,
  { currency, contract, reads, decide }: {
    currency: CurrencyRow;
    /** Undefined: unchanged. */
    contract: string | null | undefined;
    reads: readonly Read[];
    decide(view: View): T;
  },
): Promise<T> {
  const { network, symbol } = currency;
  if (currency.contractAddress === null) {
    throw refuse("native_coin_without_contract", { network, symbol });
  }
  const wanted = [network, contract ?? currency.contractAddress];
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    // Writes nothing: the last ids come from the writer, as in the unit below.
    const seen = await deps.db.write({ reads: [], decide: bookedSoFar });
    await refuseBooked(deps, currency);
    const done = await deps.db.write({
      reads: [...reads, read(Currencies, wanted, "contract")],
      decide: (view) => {
        if (bookedSoFar(view) !== seen) return undefined;
        const taken = view.find(Currencies, wanted, "contract");
        if (taken && taken.symbol !== symbol) {
          throw refuse("contract_taken", { network, symbol: taken.symbol, contract: wanted[1]! });
        }
        return { value: decide(view) };
      },
    });
    if (done) return done.value;
  }
  throw refuse("bookings_too_many");
}

/** Every movement adds a row to one of these tables, every change of a balance to the other. */
function bookedSoFar(view: View): string {
  return `${view.lastId(Transactions)} ${view.lastId(LedgerEntries)}`;
}

async function refuseBooked({ db }: Deps, currency: CurrencyRow): Promise<void> {
  const { network, symbol } = currency;
  if (await hasMoved(db, { network, symbol })) throw refuse("currency_moved", { network, symbol });
  const accounts = await allAccounts(db);
  const balances = await Promise.all(
    accounts.map(({ id }) => db.find(Balances, [id, network, symbol])),
  );
  const asset = assetOf({ network, currency: symbol });
  const isEmpty = (text: string) => Amount.parse(text, asset).isZero();
  const holder = balances.find((row) => row && !(isEmpty(row.balance) && isEmpty(row.held)));
  if (holder) throw refuse("currency_held", { network, symbol, accountId: holder.accountId });
}
