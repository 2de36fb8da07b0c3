import { zip } from "../base/lists.ts";
import { isStopped } from "../books/stopped.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import type { NetworkRow } from "../networks/table.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import { gasTargetOf } from "./gas_target.ts";
import { topUpOnItsWay } from "./reads/claims.ts";
import { topUp } from "./top_up.ts";
import { hotWallets } from "../wallets/reads/addresses.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";

const WALLETS_MAX = 500;

/** Fills hot wallets below half of the operator's target from the gas wallet. */
export async function fillHotWallets(
  deps: Deps,
  { network }: { network: NetworkRow },
): Promise<void> {
  if (!isFilled(network) || await isStopped(deps)) return;
  try {
    await fillAll(deps, network);
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof CannotPay)) throw error;
    deps.log.warn("hot wallets not filled", { network: network.code, error: error.message });
  }
}

/** The gas wallet could pay others: this one's row was changed, or its transfer costs more. */
function isOnlyOf({ id }: AddressRow, error: unknown): error is CannotPay {
  if (error instanceof TamperedRow) {
    return error.table === Addresses.name && error.key === String(id);
  }
  return error instanceof CannotPay && error.lack === "fee";
}

export function isFilled({ hotGasTarget }: NetworkRow): boolean {
  return hotGasTarget !== "0";
}

async function fillAll(deps: Deps, network: NetworkRow): Promise<void> {
  const chain = deps.chains.of(network);
  const wallets = await hotWallets(deps.db, { network: network.code, limit: WALLETS_MAX });
  if (wallets.length === 0) return;
  const asked = wallets.map(({ address }) => ({ address, contract: null }));
  const balances = await chain.balancesAt(await chain.tip(), asked);
  for (const [wallet, balanceRaw] of zip(wallets, balances)) {
    try {
      await fillHotWallet(deps, { network, wallet, balanceRaw });
    } catch (error) {
      if (!isOnlyOf(wallet, error)) throw error;
      const fields = { network: network.code, address: wallet.address, error: error.message };
      deps.log.warn("a hot wallet is not filled", fields);
    }
  }
}

/** True if gas is on its way, now or already. */
export async function fillHotWallet(
  deps: Deps,
  { network, wallet, balanceRaw }: { network: NetworkRow; wallet: AddressRow; balanceRaw: bigint },
): Promise<boolean> {
  const targetRaw = gasTargetOf(network);
  // Somebody else may have its key and would take that too.
  if (wallet.accountId === null || wallet.haltedReason !== null) return false;
  if (balanceRaw * 2n >= targetRaw) return false;
  if (await topUpOnItsWay(deps.db, { network: network.code, address: wallet.address })) return true;
  const target = { accountId: wallet.accountId, address: wallet.address };
  const chain = deps.chains.of(network);
  await topUp(deps, { network, chain, target, amountRaw: targetRaw - balanceRaw });
  return true;
}
