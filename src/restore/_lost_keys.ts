import { familyOf } from "../chains/registry.ts";
import { KEY_BRANCHES, type KeyPath } from "../keys/key_ring.ts";
import { keyIndexesBetween, lastGivenIndex } from "../store/reads/key_indexes.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import type { Deps } from "../deps/deps.ts";

/** A deposit key that an account may have received before the restore and that isn't in the books. */
export interface LostKey {
  readonly accountId: number;
  readonly address: string;
  readonly path: KeyPath;
}

interface KeySearch<Found extends LostKey> {
  readonly network: NetworkRow;
  readonly accountId: number;
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

/** Of concurrent requests, the backup may contain a later one but not an earlier one. */
const TAKEN_TOGETHER_MAX = 1_000;
const KEYS_PER_STEP = 500;

/** Keys are issued in order, so the used ones lie close together. */
export async function searchKeys<Found extends LostKey>(
  deps: Deps,
  search: KeySearch<Found>,
): Promise<Found[]> {
  const { belowIndex, unusedMax } = search;
  const found: Found[] = [];
  let { from, end } = await startOf(deps, search);
  while (from < Math.min(end, belowIndex)) {
    const to = Math.min(from + KEYS_PER_STEP, end, belowIndex);
    const taken = new Set(await keyIndexesBetween(deps.db, { ...branchOf(search), from, to }));
    const lost = await derive(deps, { search, from, to, taken });
    const picked = lost.length === 0 ? [] : await search.pick(lost);
    found.push(...picked);
    const given = [...taken, ...picked.map(({ path }) => path.index)];
    end = Math.max(end, ...given.map((index) => index + 1 + unusedMax));
    from = to;
  }
  return found;
}

function branchOf({ network, keyAccount }: KeySearch<LostKey>) {
  const { coinType } = familyOf(network.family);
  return { coinType, account: keyAccount, branch: KEY_BRANCHES.deposit };
}

async function startOf(
  deps: Deps,
  search: KeySearch<LostKey>,
): Promise<{ from: number; end: number }> {
  const { fromIndex, unusedMax, belowIndex } = search;
  if (fromIndex !== undefined) return { from: fromIndex, end: fromIndex + unusedMax };
  const last = await lastGivenIndex(deps.db, { ...branchOf(search), belowIndex }) ?? -1;
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
  const family = familyOf(network.family);
  return Array.from({ length: to - from }, (_, i) => from + i)
    .filter((index) => !taken.has(index))
    .map((index) => {
      const path = { ...branchOf(search), index };
      return { accountId, path, address: family.addressOf(keyRing.publicKeyOf(path)) };
    });
}
