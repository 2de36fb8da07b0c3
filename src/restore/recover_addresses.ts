import { zip } from "../base/lists.ts";
import { NodeError } from "../chains/faults.ts";
import { mapBounded } from "../chains/pool/map_bounded.ts";
import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import { NEVER_MS } from "../wallets/reads/addresses.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import { Addresses } from "../wallets/tables/addresses.ts";
import { read } from "../store/engine/workspace.ts";
import { insertAddress } from "../wallets/addresses.ts";
import { type KeyTrace, tracesOf } from "./_key_traces.ts";
import { type LostKey, searchKeys } from "./_lost_keys.ts";
import { type Found, type Judged, judgeFound } from "./_judge_found.ts";
import { inBooks, type KeyOwner, ownersOf, wantedAddresses } from "./_lost_owners.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { findNetwork } from "../books/find.ts";

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
  readonly accountId: number;
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
  const { owners, belowIndex } = await ownersOf(deps, order);
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
