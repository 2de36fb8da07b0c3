import { Accounts } from "../accounts/tables/accounts.ts";
import { zip } from "../base/lists.ts";
import { amountOf } from "../books/address_books.ts";
import { findAccount, findNetwork } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import { NodeError } from "../chains/faults.ts";
import { mapBounded } from "../chains/pool/map_bounded.ts";
import { rulesOf } from "../chains/registry.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import type { Amount } from "../domain/money/amount.ts";
import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";
import { keyIndexesBetween, lastGivenIndex } from "../store/reads/key_indexes.ts";
import { allAccounts } from "../store/reads/pages/lists.ts";
import { addressAt, insertAddress, keysShowOwners } from "../wallets/addresses.ts";
import { NEVER_MS, ownedAddresses } from "../wallets/reads/addresses.ts";
import type { KeyPath } from "../wallets/rules/key_path.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";

/** Of concurrent requests, the backup may contain a later one but not an earlier one. */
const TAKEN_TOGETHER_MAX = 1_000;
const KEYS_PER_STEP = 500;
/** Where each look takes minutes. */
const KEYS_PER_SCAN = 10_000;

export interface RecoverOrder {
  readonly network: string;
  /** Absent: every account older than the restore. */
  readonly accountId: number | undefined;
  /** The account's number before the restore, if it was created after the backup and again since. */
  readonly lostAccountId: number | undefined;
  /** Only these, whatever the chains show about them. */
  readonly addresses: readonly string[];
  readonly fromIndex: number | undefined;
  readonly unusedMax: number;
  /** Otherwise they are only listed. */
  readonly isApplied: boolean;
  readonly actor: Actor;
  onProgress?(done: { keys: number; found: number }): void;
}

export interface RecoveredAddress {
  /** Null: its key doesn't show whose it was. */
  readonly accountId: number | null;
  readonly network: string;
  readonly address: string;
  readonly keyIndex: number;
  readonly holds: KeyTrace["holds"];
  readonly state: "lost" | "booked" | "left";
  /** Why it is left. */
  readonly reason: ActionRefused | null;
}

export interface Recovered {
  readonly addresses: readonly RecoveredAddress[];
  /** Blocks up to here may have been read without them, so rescan this far. Null: unknown. */
  readonly readTo: number | null;
}

const BOOKED_AT_ONCE = 32;

/**
 * Finds deposit addresses issued after the backup: the seed has their keys, and the chain shows
 * which were used. Once booked they are like any other, except that no request ever gets them
 * again.
 */
export async function recoverAddresses(deps: Deps, order: RecoverOrder): Promise<Recovered> {
  const network = await findNetwork(deps, order.network);
  const { owners, belowIndex } = await ownersOf(deps, { ...order, network });
  const wanted = await wantedAddresses(deps, { network, texts: order.addresses });
  const found: Found[] = [];
  let keys = 0;
  for (const owner of owners) {
    const onLooked = (looked: number, picked: number) => {
      keys += looked;
      order.onProgress?.({ keys, found: found.length + picked });
    };
    const search = { order, network, owner, belowIndex, wanted, onLooked };
    found.push(...await searchOwner(deps, search));
  }
  const missing = [...wanted ?? []].find((one) => !found.some(({ address }) => address === one));
  if (missing !== undefined) throw notDerived(missing, order);
  const judged: Judged[] = wanted
    ? found.map((one) => ({ ...one, reason: null }))
    : await judgeFound(deps, { network, found });
  const addresses = await mapBounded(judged, {
    concurrencyMax: BOOKED_AT_ONCE,
    work: async (one): Promise<RecoveredAddress> => {
      if (one.reason !== null) return recovered(network, one, "left");
      if (!order.isApplied) return recovered(network, one, "lost");
      const reason = await book(deps, { network, found: one, actor: order.actor });
      return recovered(network, { ...one, reason }, reason === null ? "booked" : "left");
    },
  });
  const isBooked = addresses.some(({ state }) => state === "booked");
  return { addresses, readTo: isBooked ? await tipOf(deps, network) : null };
}

function recovered(network: NetworkRow, one: Judged, state: RecoveredAddress["state"]) {
  const { accountId, address, path, holds, reason } = one;
  return { accountId, network: network.code, address, keyIndex: path.index, holds, state, reason };
}

async function searchOwner(
  deps: Deps,
  { order: { fromIndex, unusedMax }, owner, network, belowIndex, wanted, onLooked }: {
    order: RecoverOrder;
    owner: KeyOwner;
    network: NetworkRow;
    belowIndex: number;
    wanted: ReadonlySet<string> | undefined;
    onLooked(keys: number, picked: number): void;
  },
): Promise<Found[]> {
  let count = 0;
  const pick = async (lost: readonly LostKey[]): Promise<Found[]> => {
    const asked = wanted ? lost.filter(({ address }) => wanted.has(address)) : lost;
    const addresses = asked.map(({ address }) => address);
    const traces = asked.length === 0 ? [] : await tracesOf(deps, { network, addresses });
    const picked = zip(asked, traces).map(([key, trace]) => ({ ...key, ...trace }))
      .filter(({ isUsed }) => wanted !== undefined || isUsed);
    count += picked.length;
    onLooked(lost.length, count);
    return picked;
  };
  return await searchKeys(deps, { ...owner, network, belowIndex, fromIndex, unusedMax, pick });
}

function notDerived(address: string, { accountId, unusedMax }: RecoverOrder): ActionRefused {
  return refuse("address_not_derived", { address, accountId, unused: unusedMax });
}

/** Returns why not, if it has an owner by now. */
async function book(
  deps: Deps,
  { network, found, actor }: { network: NetworkRow; found: Found; actor: Actor },
): Promise<ActionRefused | null> {
  const { accountId, address, path } = found;
  if (accountId === null) throw refuse("keys_without_owners", { network: network.code });
  const key = [path.coinType, path.account, path.branch, path.index];
  const nowMs = deps.clock.nowMs();
  const holds = found.holds.map(({ currency, amount }) => `${amount} ${currency}`);
  return await deps.db.write({
    reads: [read(Addresses, [network.code, address], "address"), read(Addresses, key, "key")],
    decide: (view) => {
      const owned = view.raw.find(Addresses, [network.code, address], "address") ??
        view.raw.find(Addresses, key, "key");
      if (owned) return inBooks(owned);
      const row = { network, accountId, purpose: "deposit", address, path, nowMs } as const;
      insertAddress(view, { ...row, reusableAtMs: NEVER_MS });
      recordAudit(view, {
        actor,
        action: "deposit_address.recovered",
        subject: `address:${address}`,
        detail: { network: network.code, accountId, path, holds },
        nowMs,
      });
      return null;
    },
  });
}

/** After they are booked: everything read from now on includes them. */
async function tipOf(deps: Deps, network: NetworkRow): Promise<number | null> {
  try {
    return (await deps.chains.of(network).tip()).height;
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return null;
  }
}

type Found = LostKey & KeyTrace;

interface Judged extends Found {
  /** Why it must not be booked. */
  readonly reason: ActionRefused | null;
}

/** A key has one address row, so if several networks paid it, a person must choose. */
async function judgeFound(
  deps: Deps,
  { network, found }: { network: NetworkRow; found: readonly Found[] },
): Promise<Judged[]> {
  if (found.length === 0) return [];
  const others = (await deps.catalog.current()).networks.filter((row) =>
    row.isActive && row.code !== network.code && rulesOf(row) === rulesOf(network)
  );
  const addresses = found.map(({ address }) => address);
  const answers = await Promise.all(others.map(async (other) => ({
    code: other.code,
    traces: await tracesIfAnswered(deps, { network: other, addresses }),
  })));
  return found.map((one, i) => {
    const elsewhere = answers.filter(({ traces }) => traces?.[i]?.isUsed);
    const silent = answers.filter(({ traces }) => traces === undefined);
    const here = { address: one.address, network: network.code };
    const reason = elsewhere.length > 0
      ? refuse("address_used_elsewhere", { ...here, others: codesOf(elsewhere) })
      : silent.length > 0
      ? refuse("address_maybe_used_elsewhere", { ...here, others: codesOf(silent) })
      : null;
    return { ...one, reason };
  });
}

function codesOf(networks: readonly { code: string }[]): string[] {
  return networks.map(({ code }) => code);
}

async function tracesIfAnswered(
  deps: Deps,
  asked: { network: NetworkRow; addresses: readonly string[] },
): Promise<KeyTrace[] | undefined> {
  try {
    return await tracesOf(deps, asked);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return undefined;
  }
}

/** Key paths contain the account's number, so each address shows whose it was. */
interface KeyOwner {
  readonly accountId: number | null;
  readonly keyAccount: number;
}

interface Whose
  extends Pick<RecoverOrder, "accountId" | "lostAccountId" | "addresses" | "isApplied"> {
  readonly network: NetworkRow;
}

/**
 * Accounts that may have received addresses these books don't know, and the first key index nobody
 * received.
 */
async function ownersOf(
  deps: Deps,
  { accountId, lostAccountId, network, addresses, isApplied }: Whose,
): Promise<{ owners: KeyOwner[]; belowIndex: number }> {
  const { numberedFrom: belowIndex } = await deps.catalog.current();
  if (belowIndex === 0) throw refuse("books_not_restored");
  const old = async () => (await allAccounts(deps.db)).filter(({ id }) => id < belowIndex);
  if (!keysShowOwners(network) && (await old()).length > 1) {
    const isSaid = accountId !== undefined && addresses.length > 0;
    if (isApplied && !isSaid) throw refuse("keys_without_owners", { network: network.code });
    if (accountId === undefined) {
      return { owners: [{ accountId: null, keyAccount: 0 }], belowIndex };
    }
  }
  if (lostAccountId !== undefined) {
    if (accountId === undefined) throw refuse("lost_account_unassigned", { lostAccountId });
    await findAccount(deps, accountId);
    await checkLost(deps, { lostAccountId, belowIndex });
    return { owners: [{ accountId, keyAccount: lostAccountId }], belowIndex };
  }
  if (accountId === undefined) {
    const owners = (await old()).map(({ id }) => ({ accountId: id, keyAccount: id }));
    return { owners, belowIndex };
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
async function wantedAddresses(
  deps: Deps,
  { network, texts }: { network: NetworkRow; texts: readonly string[] },
): Promise<ReadonlySet<string> | undefined> {
  if (texts.length === 0) return undefined;
  const rules = rulesOf(network);
  const wrong = texts.find((text) => !rules.isAddress(text));
  if (wrong !== undefined) throw refuse("address_wrong", { text: wrong, network: network.code });
  const addresses = texts.map((text) => rules.canonicalAddress(text));
  const { networks } = await deps.catalog.current();
  const sharing = networks.filter((row) => rulesOf(row) === rules);
  const known = await Promise.all(
    sharing.map(({ code }) => ownedAddresses(deps.db, { network: code, addresses })),
  );
  const [first] = known.flat();
  if (!first) return new Set(addresses);
  throw inBooks(first);
}

function inBooks({ address, accountId, network }: AddressRow): ActionRefused {
  return refuse("address_in_books", { address, accountId, network });
}

/** What a chain shows about an address that isn't in the books. */
interface KeyTrace {
  /** Only currencies of the network that it holds. */
  readonly holds: readonly { readonly currency: string; readonly amount: Amount }[];
  /** It holds something, or once did. */
  readonly isUsed: boolean;
}

/** All at the newest block, because during a long search nodes may prune older ones. */
async function tracesOf(
  deps: Deps,
  { network, addresses }: { network: NetworkRow; addresses: readonly string[] },
): Promise<KeyTrace[]> {
  const chain = deps.chains.of(network);
  const currencies = (await deps.catalog.current()).currencies
    .filter((row) => row.network === network.code);
  const block = await chain.tip();
  const asked = addresses.flatMap((address) =>
    currencies.map(({ contractAddress: contract }) => ({ address, contract }))
  );
  const [balances, used] = chain.scan
    ? [await chain.scan(addresses), addresses.map(() => false)]
    : await Promise.all([chain.balancesAt(block, asked), chain.areUsedAt(block, addresses)]);
  return used.map((isUsed, i) => {
    const own = balances.slice(i * currencies.length, (i + 1) * currencies.length);
    const holds = zip(currencies, own).map(([currency, raw]) => ({
      currency: currency.symbol,
      amount: amountOf(raw, currency),
    })).filter(({ amount }) => !amount.isZero());
    return { holds, isUsed: isUsed || holds.length > 0 };
  });
}

/** A deposit key that an account may have received before the restore and that isn't in the books. */
interface LostKey {
  readonly accountId: number | null;
  readonly address: string;
  readonly path: KeyPath;
}

interface KeySearch<Found extends LostKey> {
  readonly network: NetworkRow;
  readonly accountId: number | null;
  /** The account number in its key paths; differs if the account was created again. */
  readonly keyAccount: number;
  /** From here on, these books have issued keys since the restore. */
  readonly belowIndex: number;
  /** Absent: behind the last key in the backup. */
  readonly fromIndex: number | undefined;
  /** The search ends after this many unused keys in a row. */
  readonly unusedMax: number;
  pick(keys: readonly LostKey[]): Promise<readonly Found[]>;
}

/** Keys are issued in order, so the used ones lie close together. */
async function searchKeys<Found extends LostKey>(
  deps: Deps,
  search: KeySearch<Found>,
): Promise<Found[]> {
  const { belowIndex, unusedMax } = search;
  const found: Found[] = [];
  let { from, end } = await startOf(deps, search);
  const step = deps.chains.of(search.network).scan ? KEYS_PER_SCAN : KEYS_PER_STEP;
  while (from < Math.min(end, belowIndex)) {
    const to = Math.min(from + step, end, belowIndex);
    const taken = new Set(await keyIndexesBetween(deps.db, { ...keysOf(search), from, to }));
    const lost = await derive(deps, { search, from, to, taken });
    const picked = lost.length === 0 ? [] : await search.pick(lost);
    found.push(...picked);
    const given = [...taken, ...picked.map(({ path }) => path.index)];
    end = Math.max(end, ...given.map((index) => index + 1 + unusedMax));
    from = to;
  }
  return found;
}

function keysOf({ network, keyAccount }: KeySearch<LostKey>) {
  return rulesOf(network).keysFor({ purpose: "deposit", account: keyAccount });
}

async function startOf(
  deps: Deps,
  search: KeySearch<LostKey>,
): Promise<{ from: number; end: number }> {
  const { fromIndex, unusedMax, belowIndex } = search;
  if (fromIndex !== undefined) return { from: fromIndex, end: fromIndex + unusedMax };
  const last = await lastGivenIndex(deps.db, { ...keysOf(search), belowIndex }) ?? -1;
  return { from: Math.max(0, last + 1 - TAKEN_TOGETHER_MAX), end: last + 1 + unusedMax };
}

async function derive(
  deps: Deps,
  { search, from, to, taken }: {
    search: KeySearch<LostKey>;
    from: number;
    to: number;
    taken: ReadonlySet<number>;
  },
): Promise<LostKey[]> {
  const keyRing = await deps.keyRing();
  const { network, accountId } = search;
  const keys = keysOf(search);
  return Array.from({ length: to - from }, (_, i) => from + i)
    .filter((index) => !taken.has(index))
    .map((index) => {
      const path = { ...keys, index };
      return { accountId, path, address: addressAt(keyRing, network, path) };
    });
}
