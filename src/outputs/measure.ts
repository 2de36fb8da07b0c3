import type { Metrics } from "../base/metrics.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { hasOutputs } from "../networks/fitting.ts";
import type { NetworkRow } from "../networks/table.ts";
import { WALLETS_MEASURED_MAX } from "../wallets/measure.ts";
import { hotWallets } from "../wallets/reads/addresses.ts";
import { outputBook } from "./book.ts";

interface Measuring {
  readonly network: NetworkRow;
  readonly metrics: Metrics;
}

/** Virtual bytes whose price is asked for. */
const SIZE_ASKED = 1_000n;

/** What payouts cost now and can be made from, for the operator's monitoring. */
export async function measureOutputs(deps: Deps, measuring: Measuring): Promise<void> {
  if (!hasOutputs(measuring.network)) return;
  await measureFeeRate(deps, measuring);
  await measureWallets(deps, measuring);
}

async function measureFeeRate(deps: Deps, { network, metrics }: Measuring): Promise<void> {
  const costRaw = await deps.chains.of(network).costNow(SIZE_ASKED).catch((error) => {
    if (error instanceof NodeError) return NaN;
    throw error;
  });
  const labels = { network: network.code };
  metrics.gauge("cpg_network_fee_rate", Number(costRaw) / Number(SIZE_ASKED), labels);
}

/** As the books have them: payouts that wait for each other's change are fewer if there are several. */
async function measureWallets(deps: Deps, { network, metrics }: Measuring): Promise<void> {
  const { code } = network;
  const wallets = await hotWallets(deps.db, { network: code, limit: WALLETS_MEASURED_MAX });
  const addresses = wallets.map(({ address }) => address);
  const outputs = await outputBook(deps).unspentOf({ network: code, addresses });
  const byAddress = Map.groupBy(outputs, ({ address }) => address);
  for (const { address, accountId } of wallets) {
    const own = byAddress.get(address) ?? [];
    const labels = { network: code, account: String(accountId), address };
    metrics.gauge("cpg_hot_wallet_outputs", own.length, labels);
    const most = own.reduce((most, { family }) => Math.max(most, family.length), 0);
    metrics.gauge("cpg_hot_wallet_unmined", most, labels);
  }
}
