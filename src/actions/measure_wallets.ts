import type { Metrics } from "../base/metrics.ts";
import { NodeError } from "../chains/chain.ts";
import { hotWallets } from "../store/address_reads.ts";
import type { AddressRow, CurrencyRow, NetworkRow } from "../store/rows.ts";
import { AccountCurrencies } from "../store/setup_tables.ts";
import { amountOf } from "./_address_books.ts";
import type { Deps } from "./deps.ts";

const WALLETS_MEASURED_MAX = 200;
const BALANCES_MEASURED_MAX = 1_000;

/** What the hot wallets hold to pay with, for the operator's monitoring. */
export async function measureWallets(deps: Deps, metrics: Metrics): Promise<void> {
  const { networks } = await deps.catalog.current();
  for (const network of networks.filter((row) => row.isActive)) {
    try {
      await measureNetwork(deps, { network, metrics });
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      deps.log.debug("hot wallets not measured", { network: network.code, error: error.message });
    }
  }
}

async function measureNetwork(
  deps: Deps,
  { network, metrics }: { network: NetworkRow; metrics: Metrics },
): Promise<void> {
  const chain = deps.chains.of(network);
  const wallets = await hotWallets(deps.db, { network: network.code, limit: WALLETS_MEASURED_MAX });
  if (wallets.length === 0) return;
  const paidIn = await Promise.all(wallets.map((wallet) => currenciesPaid(deps, wallet)));
  const measured = wallets
    .flatMap((wallet, i) => paidIn[i]!.map((currency) => ({ wallet, currency })))
    .slice(0, BALANCES_MEASURED_MAX);
  const asked = measured.map(({ wallet: { address }, currency }) => ({
    address,
    contract: currency.contractAddress,
  }));
  const balances = await chain.balancesAt(await chain.tip(), asked);
  for (const [i, { wallet, currency }] of measured.entries()) {
    metrics.gauge("cpg_hot_wallet_balance", Number(amountOf(balances[i]!, currency).toString()), {
      network: network.code,
      account: String(wallet.accountId),
      address: wallet.address,
      currency: currency.symbol,
    });
  }
}

/** The coin pays for gas; tokens count where the account may withdraw them. */
async function currenciesPaid(
  deps: Deps,
  { accountId, network }: AddressRow,
): Promise<CurrencyRow[]> {
  const catalog = await deps.catalog.current();
  const enabled = await deps.db.list(AccountCurrencies, { accountId: accountId! });
  const paid = new Set(
    enabled.filter((row) => row.network === network && row.isWithdrawalEnabled)
      .map(({ currency }) => currency),
  );
  return catalog.currencies.filter((row) =>
    row.network === network && (row.contractAddress === null || paid.has(row.symbol))
  );
}
