import type { WalletState } from "../chains/chain.ts";
import { NetworkCursors } from "../following/table.ts";
import { lastUsedNonce } from "./reads/nonces.ts";
import type { Spend } from "./authorise.ts";
import { CannotPayYet, WalletHalted } from "../domain/cannot_pay.ts";
import { haltWallet } from "../wallets/halt.ts";
import type { Deps } from "../deps/deps.ts";

/**
 * The chain counts more transactions than we signed. One node's word is only a reason not to sign
 * now. If it says so again after we have read past that height without an explanation, the key is
 * used elsewhere.
 */
export async function haltOnForeignNonce(
  deps: Deps,
  { network: { code }, wallet }: Pick<Spend, "network" | "wallet">,
  state: WalletState,
): Promise<void> {
  const firstSeen = deps.memory.unexplainedNonces;
  const key = `${code}/${wallet.address}`;
  const last = await lastUsedNonce(deps.db, { network: code, sender: wallet.address });
  // Also for a wallet that never signed: a transfer signed far above its nonce would block it
  // forever.
  const known = Math.max((last ?? -1) + 1, wallet.nonceFloor);
  if (state.nonce <= known) return void firstSeen.delete(key);
  const seenAt = firstSeen.get(key) ?? state.height;
  const isNew = !firstSeen.has(key);
  firstSeen.set(key, seenAt);
  const { scanHeight } = await deps.db.get(NetworkCursors, [code]);
  const what = `Wallet ${wallet.address} on ${code} has sent ${state.nonce} transactions, ` +
    `of which this gateway signed up to number ${known}`;
  if (isNew || scanHeight < seenAt) {
    throw new CannotPayYet(`${what}, says a node: nothing is signed before its blocks are read`);
  }
  const reason = `${what}: its key is used elsewhere, find out by whom`;
  await haltWallet(deps, wallet, reason);
  throw new WalletHalted(reason);
}
