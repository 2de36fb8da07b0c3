import { sleep } from "../base/clock.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import { NetworkCursors } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { fillHotWallet, isFilled } from "./fill_hot_wallets.ts";
import { topUpOnItsWay } from "./reads/claims.ts";
import { SignedTransactions } from "./table.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";

/** Leaves time to sign and send within the request. */
const WAIT_MAX_MS = 5_000;
const LOOK_EVERY_MS = 200;

interface Wallet {
  readonly network: NetworkRow;
  readonly wallet: AddressRow;
}

/**
 * For a hot wallet without enough gas: waits for gas on its way. If there is none, sends some for
 * the next withdrawal, and this one is refused. True: try again.
 */
export async function awaitGas(deps: Deps, { network, wallet }: Wallet): Promise<boolean> {
  if (!isFilled(network)) return false;
  const found = await topUpOnItsWay(deps.db, { network: network.code, address: wallet.address });
  if (!found) {
    await startFilling(deps, { network, wallet });
    return false;
  }
  for (let waitedMs = 0; waitedMs < WAIT_MAX_MS; waitedMs += LOOK_EVERY_MS) {
    const row = await deps.db.find(SignedTransactions, [found.id]);
    if (row?.blockHash !== null) return true;
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}

/** Until another block was read. True: try again. */
export async function awaitBlock(deps: Deps, { code }: NetworkRow): Promise<boolean> {
  const heightNow = async () => (await deps.db.get(NetworkCursors, [code])).scanHeight;
  const height = await heightNow();
  for (let waitedMs = 0; waitedMs < WAIT_MAX_MS; waitedMs += LOOK_EVERY_MS) {
    await sleep(LOOK_EVERY_MS);
    if (await heightNow() !== height) return true;
  }
  return false;
}

async function startFilling(deps: Deps, { network, wallet }: Wallet): Promise<void> {
  try {
    const { nativeRaw } = await deps.chains.of(network).walletState(wallet.address, []);
    await fillHotWallet(deps, { network, wallet, balanceRaw: nativeRaw });
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof CannotPay)) throw error;
    deps.log.warn("hot wallet not filled", { network: network.code, error: error.message });
  }
}
