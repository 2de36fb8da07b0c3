import { keyOf, nowAt, save, type WalletPlace } from "./_receiving_row.ts";
import { receivingAddress } from "./manage_accounts.ts";
import {
  type AccountRow,
  Accounts,
  type ReceivingWalletRow,
  ReceivingWallets,
} from "./tables/accounts.ts";
import { findAccount, findNetwork } from "../books/find.ts";
import { guardOf } from "../control/guard.ts";
import { type By, guarded } from "../control/guarded.ts";
import { lastReceiverWords } from "../control/reads/last_words.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { NetworkCursors } from "../following/table.ts";
import { isNewestReceiver } from "../integrity/newest.ts";
import type { ExtendedKey } from "../chains/extended_key.ts";
import { Xpubs } from "../wallets/tables/xpubs.ts";
import { isSameReceiver, keyIn, looksLikeKey } from "./receiver.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";

const COOLING_MS = 24 * 3_600_000;
export function coolingMsOf({ coolingMs }: AccountRow): number {
  return coolingMs ?? COOLING_MS;
}

interface NewWallet extends WalletPlace {
  readonly address: string;
  /** Only for operators on the command line. */
  readonly isNow?: boolean | undefined;
}

export const receivingWalletSet = guarded({
  kind: "receiving_wallet.set",
  ability: "set_up_account",
  sentence: ({ accountId, network, address, isNow }: NewWallet) =>
    (looksLikeKey(address)
      ? `have deposits of account ${accountId} on ${network} paid to addresses of ${address}`
      : `sweep deposits of account ${accountId} on ${network} to ${address}`) +
    (isNow ? " at once" : ""),
  run: (deps, wanted, how) => setReceivingWallet(deps, { ...wanted, ...how }),
});

/**
 * The first one counts at once. A changed one waits, so that whoever stole a login doesn't get the
 * next sweep before somebody notices.
 */
export async function setReceivingWallet(
  deps: Deps,
  order: NewWallet & By,
): Promise<ReceivingWalletRow> {
  const { accountId, isNow = false, mandate } = order;
  await findAccount(deps, accountId);
  const network = await findNetwork(deps, order.network);
  const wanted = await receivingAddress(deps, network, order.address);
  const key = keyIn(network, wanted);
  const place = { accountId, network: network.code };
  // Otherwise a row that somebody changed or deleted would count as the one to keep, or as none.
  if (!isNow && await wasTampered(deps, place)) throw refuse("receiver_tampered", place);
  const { clock } = deps;
  const guard = await guardOf(deps, { accountId, mandate });
  return await deps.db.write({
    reads: [...readsOf(place), ...key ? [read(Xpubs, [key.id], "key")] : [], ...guard.reads],
    decide: (view) => {
      // What is set at once replaces the row, whoever wrote it.
      const before = (isNow ? view.raw : view).find(ReceivingWallets, keyOf(place));
      const change = { ...order, network, before, clock };
      const isSame = (one: string | null | undefined) =>
        one !== null && one !== undefined && isSameReceiver(network, one, wanted);
      const known = [before?.address, before?.nextAddress].find(isSame);
      const address = known ?? wanted;
      if (before?.nextAddress === address && !isNow) return before;
      // Asked again, it only says how its wallet has to be set.
      const isThere = before?.address === address && before.nextAddress === null;
      if (key && isThere && !isNow) return before;
      const isLooser = isNow || before?.address !== address;
      const after = { network: network.code, address, isNow };
      guard.pass(view, { isLooser, before: before ?? null, after });
      if (key) claimXpub(view, { key, accountId, nowMs: clock.nowMs() });
      const isAtOnce = !before || isNow || address === before.address;
      const patch = isAtOnce ? nowAt(address) : laterAt(view, { before, address, clock });
      return save(view, { ...change, patch });
    },
  });
}

/** From its first use on it is this account's: another one must not see its addresses. */
function claimXpub(
  view: View,
  { key, accountId, nowMs }: { key: ExtendedKey; accountId: number; nowMs: number },
): void {
  const known = view.find(Xpubs, [key.id], "key");
  if (!known) view.insert(Xpubs, { keyId: key.id, accountId, createdAtMs: nowMs });
  else if (known.accountId !== accountId) throw refuse("xpub_taken", {});
}

function readsOf(place: WalletPlace): Read[] {
  return [
    read(ReceivingWallets, keyOf(place)),
    read(Accounts, [place.accountId]),
    read(NetworkCursors, [place.network]),
  ];
}

async function wasTampered(deps: Deps, place: WalletPlace): Promise<boolean> {
  const row = await deps.db.find(ReceivingWallets, keyOf(place));
  if (row) return !await isNewestReceiver(deps, row);
  return (await lastReceiverWords(deps.db, place)).length > 0;
}

function laterAt(
  view: View,
  { before, address, clock }: { before: ReceivingWalletRow; address: string } & Pick<Deps, "clock">,
) {
  const { accountId, network } = before;
  const account = view.get(Accounts, [accountId]);
  // A clock that was set back since the network was last read shortens nothing.
  const seenAtMs = view.find(NetworkCursors, [network])?.updatedAtMs ?? 0;
  const nextAtMs = Math.max(clock.nowMs(), seenAtMs) + coolingMsOf(account);
  return { address: before.address, nextAddress: address, nextAtMs };
}

/** The wallet in use stays, and the one that was to replace it is forgotten. */
export async function keepReceivingWallet(
  deps: Deps,
  order: WalletPlace & { readonly actor: Actor },
): Promise<ReceivingWalletRow> {
  const network = await findNetwork(deps, order.network);
  const key = [order.accountId, network.code];
  const place = { accountId: order.accountId, network: network.code };
  // In an old row that was put back, the wallet in use isn't the one that counts.
  if (await wasTampered(deps, place)) throw refuse("receiver_tampered", place);
  return await deps.db.write({
    reads: [read(ReceivingWallets, key)],
    decide: (view) => {
      const before = view.find(ReceivingWallets, key);
      if (!before || before.nextAddress === null) {
        throw refuse("receiver_unchanged", { accountId: order.accountId, network: network.code });
      }
      const { clock } = deps;
      const kept = view.atOnce("the wallet in use stays");
      return save(kept, { ...order, network, before, patch: nowAt(before.address), clock });
    },
  });
}
