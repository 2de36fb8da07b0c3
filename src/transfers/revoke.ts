import { first } from "../base/lists.ts";
import { findNetwork } from "../books/find.ts";
import { familyOf } from "../chains/registry.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { outbidTransfer } from "./outbid.ts";
import { firstOfWallets } from "./outbid_stuck.ts";
import { openTransactionsOf, withPayments } from "./reads/transfers.ts";
import { AlreadyMoved } from "./save_signed.ts";
import type { Signed } from "./table.ts";
import { gasWalletOf } from "../wallets/reads/addresses.ts";

/**
 * Sends an empty transaction in the place of the gas wallet's first one that no block has taken. If
 * it is mined first, all that the other one was for has not been done, and is signed again as
 * anything that is due. An operator does this, so the bids so far don't count.
 */
export async function revokeOfGasWallet(
  deps: Deps,
  { network: code, actor }: { network: string; actor: Actor },
): Promise<{ revoked: Signed; bid: Signed }> {
  const network = await findNetwork(deps, code);
  const { transferLifetimeMs } = familyOf(network.family);
  if (transferLifetimeMs !== null) {
    throw refuse("not_replaceable", { network: code, minutes: transferLifetimeMs / 60_000 });
  }
  const wallet = await gasWalletOf(deps.db, code);
  if (!wallet) throw refuse("gas_wallet_missing", { code });
  const open = await openTransactionsOf(deps.db, { network: code, sender: wallet.address });
  const [newest] = firstOfWallets(open);
  if (!newest) throw refuse("nothing_to_revoke", { network: code });
  const revoked = first(await withPayments(deps.db, [newest]));
  try {
    const order = { network, newest: revoked, revokes: () => true, isAnyway: true, actor };
    return { revoked, bid: await outbidTransfer(deps, order) };
  } catch (error) {
    if (error instanceof AlreadyMoved) throw refuse("nothing_to_revoke", { network: code });
    if (!(error instanceof CannotPay)) throw error;
    throw refuse("not_revoked", { txHash: newest.txHash, why: error.message, cause: error });
  }
}
