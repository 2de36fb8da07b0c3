import { isGenuine } from "../books/tampered.ts";
import type { ExtendedKey } from "../chains/extended_key.ts";
import { NodeError } from "../chains/faults.ts";
import { rulesOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import { isNewestReceiver } from "../integrity/newest.ts";
import type { NetworkRow } from "../networks/table.ts";
import { tampered } from "../store/engine/tampered_row.ts";
import { type XpubRow, Xpubs } from "../wallets/tables/xpubs.ts";
import { keyIn } from "./receiver.ts";
import { receiverNow } from "./receiver_now.ts";
import { type ReceivingWalletRow, ReceivingWallets } from "./tables/accounts.ts";

/** A wallet of the merchant's own that deposits arrive in. */
export interface OwnWallet {
  readonly wallet: ReceivingWalletRow;
  readonly key: ExtendedKey;
  readonly xpub: XpubRow;
}

/**
 * Undefined if new addresses are our seed's. They are again after a restore: which of the key's
 * addresses others got since the backup, nobody knows, and leaving out many would be more than its
 * wallet looks ahead.
 */
export async function ownWalletOf(
  deps: Deps,
  { network, accountId }: { network: NetworkRow; accountId: number },
): Promise<OwnWallet | undefined> {
  if (!rulesOf(network).extendedKeys) return undefined;
  const stored = await deps.db.find(ReceivingWallets, [accountId, network.code]);
  if (!stored) return undefined;
  const isOwn = [stored.address, stored.nextAddress].some((text) =>
    text !== null && keyIn(network, text)
  );
  if (!isOwn) return undefined;
  if (!await isNewestReceiver(deps, stored)) throw tampered(ReceivingWallets, stored);
  // If no node can tell the time, a change that is due takes effect later.
  const wallet = await receiverNow(deps, { network, wallet: stored }).catch((error) => {
    if (error instanceof NodeError) return stored;
    throw error;
  });
  const key = keyIn(network, wallet.address);
  const xpub = key && await deps.db.find(Xpubs, [key.id], "key");
  if (!key || !xpub) return undefined;
  if (!await isGenuine(deps, Xpubs, xpub) || xpub.accountId !== accountId) {
    throw tampered(Xpubs, xpub);
  }
  const { numberedFrom } = await deps.catalog.current();
  return xpub.id < numberedFrom ? undefined : { wallet, key, xpub };
}
