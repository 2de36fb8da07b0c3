import { familyOf } from "../../chains/registry.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { ownedAddresses } from "../../store/reads/addresses.ts";
import { allAccounts } from "../../store/reads/pages/lists.ts";
import { Accounts, type NetworkRow } from "../../store/tables/setup.ts";
import type { Deps } from "../deps.ts";
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
  if (belowIndex === 0) {
    throw new OperatorError("These books were not restored from a backup: they know all addresses");
  }
  if (lostAccountId !== undefined) {
    if (accountId === undefined) {
      throw new OperatorError("Say with --account whose account it is now");
    }
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
  throw new OperatorError(
    `Account ${accountId} was made after the restore, and these books know all its addresses: ` +
      "--lost-account is for the id that it had before",
  );
}

/** An account in the books owns its keys; nobody else does. */
async function checkLost(
  { db }: Deps,
  { lostAccountId, belowIndex }: { lostAccountId: number; belowIndex: number },
): Promise<void> {
  const known = await db.find(Accounts, [lostAccountId]);
  if (known) {
    throw new OperatorError(`Account ${lostAccountId} is in these books: ${known.name}`);
  }
  if (lostAccountId < belowIndex) return;
  throw new OperatorError(
    `No account had the id ${lostAccountId} before the restore: they were below ${belowIndex}`,
  );
}

/** In stored form; undefined if none was given. None of them may have an owner. */
export async function wantedAddresses(
  deps: Deps,
  { network, texts }: { network: NetworkRow; texts: readonly string[] },
): Promise<ReadonlySet<string> | undefined> {
  if (texts.length === 0) return undefined;
  const family = familyOf(network.family);
  const wrong = texts.find((text) => !family.isAddress(text));
  if (wrong !== undefined) {
    throw new OperatorError(`"${wrong}" is not an address of ${network.code}`);
  }
  const addresses = texts.map((text) => family.canonicalAddress(text));
  const { networks } = await deps.catalog.current();
  const sharing = networks.filter((row) => familyOf(row.family).coinType === family.coinType);
  const known = await Promise.all(
    sharing.map(({ code }) => ownedAddresses(deps.db, { network: code, addresses })),
  );
  const [first] = known.flat();
  if (!first) return new Set(addresses);
  throw new OperatorError(
    `${first.address} is in these books: account ${first.accountId}'s on ${first.network}`,
  );
}
