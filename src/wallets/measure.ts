import { PAY_OUT } from "../accounts/rules/usable.ts";
import { AccountCurrencies } from "../accounts/tables/accounts.ts";
import { present } from "../base/assert.ts";
import { zip } from "../base/lists.ts";
import type { Metrics } from "../base/metrics.ts";
import { amountOf } from "../books/address_books.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { balancesNow } from "./balances.ts";
import { hotWallets } from "./reads/addresses.ts";
import type { AddressRow } from "./tables/addresses.ts";

export const WALLETS_MEASURED_MAX = 200;
const BALANCES_MEASURED_MAX = 1_000;

/** The hot wallets' holdings, for the operator's monitoring. */
export async function measureWallets(
  deps: Deps,
  { network, metrics }: { network: NetworkRow; metrics: Metrics },
): Promise<void> {
  try {
    await measureAll(deps, { network, metrics });
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    deps.log.debug("hot wallets not measured", { network: network.code, error: error.message });
  }
}

async function measureAll(
  deps: Deps,
  { network, metrics }: { network: NetworkRow; metrics: Metrics },
): Promise<void> {
  const wallets = await hotWallets(deps.db, { network: network.code, limit: WALLETS_MEASURED_MAX });
  if (wallets.length === 0) return;
  const paidIn = await Promise.all(wallets.map((wallet) => currenciesPaid(deps, wallet)));
  const measured = zip(wallets, paidIn)
    .flatMap(([wallet, paid]) => paid.map((currency) => ({ wallet, currency })))
    .slice(0, BALANCES_MEASURED_MAX);
  const asked = measured.map(({ wallet: { address }, currency: { contractAddress } }) => ({
    address,
    contract: contractAddress,
  }));
  const balances = await balancesNow(deps, { network, asked });
  for (const [i, { wallet, currency }] of measured.entries()) {
    if (balances[i] === undefined) continue;
    const owner = { network: network.code, account: String(wallet.accountId) };
    const labels = { ...owner, address: wallet.address, currency: currency.symbol };
    const amount = amountOf(balances[i], currency).toString();
    metrics.gauge("cpg_hot_wallet_balance", Number(amount), labels);
  }
}

/** The coin, which pays for gas, and tokens that the account may withdraw. */
async function currenciesPaid(
  deps: Deps,
  { accountId, network }: AddressRow,
): Promise<CurrencyRow[]> {
  const catalog = await deps.catalog.current();
  const enabled = await deps.db.list(AccountCurrencies, {
    accountId: present(accountId, "A hot wallet has an account"),
  });
  const paid = new Set(
    enabled.filter((row) => row.network === network && PAY_OUT.isOn(row))
      .map(({ currency }) => currency),
  );
  return catalog.currencies.filter((row) =>
    row.network === network && (row.contractAddress === null || paid.has(row.symbol))
  );
}
