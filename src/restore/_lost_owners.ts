import { familyOf } from "../chains/registry.ts";
import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import { ownedAddresses } from "../wallets/reads/addresses.ts";
import { allAccounts } from "../store/reads/pages/lists.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";
import { Accounts, type NetworkRow } from "../store/tables/setup.ts";
import type { Deps } from "../deps/deps.ts";
import { findAccount } from "../books/find.ts";

/** Key paths contain the account's number, so each address shows whose it was. */
export interface KeyOwner {
  readonly accountId: number;
  readonly keyAccount: number;
}

interface Whose {
  readonly accountId: number | undefined;
  readonly lostAccountId: number | undefined;
}

/**
 * Accounts that may have received addresses these books don't know, and the first key index nobody
 * received.
 */
export async function ownersOf(
  deps: Deps,
  { accountId, lostAccountId }: Whose,
): Promise<{ owners: KeyOwner[]; belowIndex: number }> {
  const { numberedFrom: belowIndex } = await deps.catalog.current();
  if (belowIndex === 0) throw refuse("books_not_restored");
  if (lostAccountId !== undefined) {
    if (accountId === undefined) throw refuse("lost_account_unassigned", { lostAccountId });
    await findAccount(deps, accountId);
    await checkLost(deps, { lostAccountId, belowIndex });
    return { owners: [{ accountId, keyAccount: lostAccountId }], belowIndex };
  }
  if (accountId === undefined) {
    const old = (await allAccounts(deps.db)).filter(({ id }) => id < belowIndex);
    return { owners: old.map(({ id }) => ({ accountId: id, keyAccount: id })), belowIndex };
  }
  await findAccount(deps, accountId);
  if (accountId < belowIndex) {
    return { owners: [{ accountId, keyAccount: accountId }], belowIndex };
  }
  throw refuse("account_after_restore", { accountId });
}

/** An account in the books owns its keys; nobody else does. */
async function checkLost(
  { db }: Deps,
  { lostAccountId, belowIndex }: { lostAccountId: number; belowIndex: number },
): Promise<void> {
  const known = await db.find(Accounts, [lostAccountId]);
  if (known) throw refuse("account_in_books", { accountId: lostAccountId, name: known.name });
  if (lostAccountId < belowIndex) return;
  throw refuse("account_never_lost", { accountId: lostAccountId, below: belowIndex });
}

/** In stored form; undefined if none was given. None of them may have an owner. */
export async function wantedAddresses(
  deps: Deps,
  { network, texts }: { network: NetworkRow; texts: readonly string[] },
): Promise<ReadonlySet<string> | undefined> {
  if (texts.length === 0) return undefined;
  const family = familyOf(network.family);
  const wrong = texts.find((text) => !family.isAddress(text));
  if (wrong !== undefined) throw refuse("address_wrong", { text: wrong, network: network.code });
  const addresses = texts.map((text) => family.canonicalAddress(text));
  const { networks } = await deps.catalog.current();
  const sharing = networks.filter((row) => familyOf(row.family).coinType === family.coinType);
  const known = await Promise.all(
    sharing.map(({ code }) => ownedAddresses(deps.db, { network: code, addresses })),
  );
  const [first] = known.flat();
  if (!first) return new Set(addresses);
  throw inBooks(first);
}

export function inBooks({ address, accountId, network }: AddressRow): ActionRefused {
  return refuse("address_in_books", { address, accountId, network });
}
