import type { Metrics } from "../base/metrics.ts";
import { NodeError } from "../chains/chain.ts";
import { Amount } from "../domain/amount.ts";
import { hotWallets } from "../store/address_reads.ts";
import type { NetworkRow } from "../store/rows.ts";
import type { Deps } from "./deps.ts";

const WALLETS_MEASURED_MAX = 200;

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
  const unit = {
    asset: `${network.code}/${network.nativeSymbol}`,
    decimals: network.nativeDecimals,
  };
  if (wallets.length === 0) return;
  const asked = wallets.map(({ address }) => ({ address, contract: null }));
  const balances = await chain.balancesAt(await chain.tip(), asked);
  for (const [i, wallet] of wallets.entries()) {
    const balance = Amount.fromRaw(balances[i]!, unit);
    metrics.gauge("cpg_hot_wallet_balance", Number(balance.toString()), {
      network: network.code,
      account: String(wallet.accountId),
      address: wallet.address,
    });
  }
}
