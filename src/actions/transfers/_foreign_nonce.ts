import { present } from "../../base/assert.ts";
import type { WalletState } from "../../chains/chain.ts";
import { NetworkCursors } from "../../store/tables/following.ts";
import type { Db } from "../../store/engine/db.ts";
import { lastUsedNonce } from "../../store/reads/transfers.ts";
import type { Spend } from "./authorise.ts";
import { CannotPayYet, WalletHalted } from "../books/cannot_pay.ts";
import { haltWallet } from "../wallets/halt.ts";
import type { Deps } from "../deps.ts";

/** At which height a nonce was first told that our own reading does not explain. */
const unexplained = new WeakMap<Db, Map<string, number>>();

/**
 * The chain counts more than was signed here. A node's word for it is only a reason to sign nothing;
 * told again when our reading has passed that height without an explanation, the key is used elsewhere.
 */
export async function haltOnForeignNonce(
  deps: Deps,
  { network: { code }, wallet }: Pick<Spend, "network" | "wallet">,
  state: WalletState,
): Promise<void> {
  const firstTold = unexplained.get(deps.db) ?? new Map<string, number>();
  unexplained.set(deps.db, firstTold);
  const key = `${code}/${wallet.address}`;
  const last = await lastUsedNonce(deps.db, { network: code, sender: wallet.address });
  // Of a wallet that never signed as well: what is signed far above its count blocks it for ever.
  const known = Math.max((last ?? -1) + 1, wallet.nonceFloor);
  if (state.nonce <= known) return void firstTold.delete(key);
  const told = firstTold.get(key) ?? state.height;
  const isNew = !firstTold.has(key);
  firstTold.set(key, told);
  const { scanHeight } = present(
    await deps.db.find(NetworkCursors, [code]),
    "A network has a cursor",
  );
  const what = `Wallet ${wallet.address} on ${code} has sent ${state.nonce} transactions, ` +
    `of which this gateway signed up to number ${known}`;
  if (isNew || scanHeight < told) {
    throw new CannotPayYet(`${what}, says a node: nothing is signed before its blocks are read`);
  }
  const reason = `${what}: its key is used elsewhere, find out by whom`;
  await haltWallet(deps, wallet, reason);
  throw new WalletHalted(reason);
}
