import type { Deps } from "../../../src/deps/deps.ts";
import type { NetworkRow } from "../../../src/networks/table.ts";
import { checkSomeLedgers, reconcileNetwork } from "../../../src/reconcile/reconcile.ts";
import { fillHotWallets } from "../../../src/transfers/fill_hot_wallets.ts";

/** The rounds' own comparison of the books. */
export async function reconcileSome(deps: Deps): Promise<void> {
  await checkSomeLedgers(deps);
  await onEachNetwork(deps, reconcileNetwork);
}

export async function fillEachHotWallet(deps: Deps): Promise<void> {
  await onEachNetwork(deps, fillHotWallets);
}

async function onEachNetwork(
  deps: Deps,
  work: (deps: Deps, order: { network: NetworkRow }) => Promise<void>,
): Promise<void> {
  const { networks } = await deps.catalog.current();
  for (const network of networks) if (network.isActive) await work(deps, { network });
}
