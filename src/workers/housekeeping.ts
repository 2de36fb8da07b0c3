import type { Deps } from "../actions/deps.ts";
import { fillHotWallets } from "../actions/fill_hot_wallets.ts";
import { measureWallets } from "../actions/measure_wallets.ts";
import { prune } from "../actions/prune.ts";
import { reconcileSome } from "../actions/reconcile.ts";
import type { Metrics } from "../base/metrics.ts";

/** What is done now and then, whatever the chains do. */
export async function keepHouse(deps: Deps, metrics: Metrics): Promise<void> {
  await prune(deps);
  await measureWallets(deps, metrics);
  await fillHotWallets(deps);
  await reconcileSome(deps);
}
