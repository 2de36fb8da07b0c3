import { zip } from "../base/lists.ts";
import type { Chain, WalletState } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import { familyOf } from "../chains/registry.ts";
import type { PreparedTransfer } from "../chains/transfer.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPayYet, WalletHalted } from "../domain/cannot_pay.ts";
import { NetworkCursors } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { Db } from "../store/engine/db.ts";
import { authorizedFrom } from "./reads/claims.ts";
import {
  costsOf,
  heldCostsFrom,
  heldFrom,
  lastPlace,
  nextBooked,
  placesFrom,
} from "./reads/places.ts";
import { UNBOOKED_NONCES_MAX } from "./rules/unbooked.ts";
import { openTransactionsOf } from "./reads/transfers.ts";
import type { Unmined } from "../wallets/funds.ts";
import { haltWallet } from "../wallets/halt.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";

interface Signing {
  readonly network: NetworkRow;
  readonly wallet: AddressRow;
  readonly chain: Chain;
  readonly state: WalletState;
}

type Batch = { readonly prepared: readonly PreparedTransfer[] };

/** The next transaction's place, given those taken so far. Never lower than the one before. */
export type PlaceRule = (isTaken: (place: number) => boolean) => number;

/** How a family keeps a sender's transactions apart. */
interface Places {
  /** What is believed of the state. Throws if nothing may be signed by what the chain says. */
  check(deps: Deps, signing: Signing): Promise<WalletState>;
  /**
   * What the balance doesn't show yet. A lagging node also lacks settled transactions, and their
   * places and money must not be used again.
   */
  underWay(db: Db, signing: Signing & Batch): Promise<Unmined[]>;
  nextFree(db: Db, signing: Signing): Promise<PlaceRule>;
}

export function placesOf({ family }: Pick<NetworkRow, "family">): Places {
  const { transferLifetimeMs, holdings } = familyOf(family);
  if (holdings === "outputs") return SERIAL;
  return transferLifetimeMs === null ? NUMBERED : expiring(transferLifetimeMs);
}

const NUMBERED: Places = {
  check: haltOnForeignNonce,
  underWay: (db, { network: { code: network }, wallet: { address: sender }, state }) =>
    heldCostsFrom(db, { network, sender, fromPlace: state.nonce }),
  nextFree: async (db, { network: { code: network }, wallet, chain, state }) => {
    if (wallet.purpose !== "deposit") return lowestFree(state.nonce);
    const owner = { network, sender: wallet.address, fromPlace: state.nonce };
    const { used, doubtful, pending } = await authorizedFrom(db, owner);
    const gone = await areGone(chain, wallet, doubtful);
    const next = lowestFree(state.nonce, [...used, ...gone]);
    return (isTaken) => {
      const place = next(isTaken);
      if (!pending.includes(place)) return place;
      throw new CannotPayYet(`Nonce ${place} of ${wallet.address} is promised to a batch`);
    };
  },
};

/**
 * A mined authorization has used up its nonce even where its order failed, unless the address hadn't
 * got there yet, which only false nonces can have led to. So one that is free has all nodes say so,
 * and one that a stuck node calls free isn't signed for again. What is left out wrongly is filled.
 */
async function areGone(
  chain: Chain,
  { address }: AddressRow,
  doubtful: readonly number[],
): Promise<readonly number[]> {
  if (doubtful.length === 0) return doubtful;
  const [said] = await chain.nextNonces?.([address]) ?? [];
  return said?.isAgreed ? doubtful.filter((place) => place < said.lowest) : doubtful;
}

/** The place only tells a wallet's transactions apart: what they spend is claimed by itself. */
const SERIAL: Places = {
  check: (_, { state }) => Promise.resolve(state),
  // What is signed is no longer among what the wallet holds.
  underWay: () => Promise.resolve([]),
  nextFree: async (db, { network, wallet }) => {
    const last = await lastPlace(db, { network: network.code, sender: wallet.address });
    return lowestFree((last ?? -1) + 1);
  },
};

/** The place is the expiry, which no other transaction of the wallet has. */
function expiring(lifetimeMs: number): Places {
  return {
    check: checkChainTime,
    underWay: underWayByTime,
    nextFree: async (db, { network, wallet, state }) => {
      const fromPlace = state.nonce + lifetimeMs;
      const owner = { network: network.code, sender: wallet.address };
      return lowestFree(fromPlace, await placesFrom(db, { ...owner, fromPlace }));
    },
  };
}

function lowestFree(from: number, signed: readonly number[] = []): PlaceRule {
  const used = new Set(signed);
  let place = from;
  return (isTaken) => {
    while (used.has(place) || isTaken(place)) place++;
    return place;
  };
}

/**
 * The chain counts more transactions than we signed. If most nodes say otherwise, this one is wrong.
 * If they say so after we have read past that height without an explanation, the key is used
 * elsewhere; until then nothing is signed.
 */
async function haltOnForeignNonce(deps: Deps, signing: Signing): Promise<WalletState> {
  const { network: { code }, wallet, chain, state } = signing;
  const firstSeen = deps.memory.unexplainedNonces;
  const key = `${code}/${wallet.address}`;
  const owner = { network: code, sender: wallet.address };
  const isDeposit = wallet.purpose === "deposit";
  const next = isDeposit
    ? await nextBooked(deps.db, owner)
    : (await lastPlace(deps.db, owner) ?? -1) + 1;
  // Also for a wallet that never signed: a transfer signed far above its nonce would block it
  // forever.
  const known = Math.max(next, wallet.nonceFloor);
  if (state.nonce <= known) {
    firstSeen.delete(key);
    return state;
  }
  const what = `Wallet ${wallet.address} on ${code} has sent ${state.nonce} transactions, ` +
    `of which this gateway signed up to number ${known}`;
  const [said] = await chain.nextNonces?.([wallet.address]) ?? [];
  if (said && said.byMost <= known && said.lowest <= known) {
    firstSeen.delete(key);
    return { ...state, nonce: Math.max(said.lowest, said.byMost, wallet.nonceFloor) };
  }
  if (isDeposit) {
    if (!said?.isAgreed || said.lowest <= known) {
      throw new CannotPayYet(`${what}, says a node: nothing is signed before all say so`);
    }
    // An authorization uses up a nonce without a transaction of the address, and restored books
    // don't know those. What its key signed otherwise is found in blocks.
    const { hasCode = (await chain.walletState(wallet.address, [])).hasCode } = state;
    const isFew = said.lowest <= known + UNBOOKED_NONCES_MAX;
    if (hasCode && isFew) return { ...state, nonce: said.lowest };
  }
  const seenAt = firstSeen.get(key) ?? state.height;
  const isNew = !firstSeen.has(key);
  firstSeen.set(key, seenAt);
  const { scanHeight } = await deps.db.get(NetworkCursors, [code]);
  if (isNew || scanHeight < seenAt) {
    throw new CannotPayYet(`${what}, says a node: nothing is signed before its blocks are read`);
  }
  if (!isDeposit && (said?.byMost ?? 0) <= known) {
    throw new CannotPayYet(`${what}, says a node: nothing is signed before most say so`);
  }
  const reason = `${what}: its key is used elsewhere, find out by whom`;
  await haltWallet(deps, wallet, reason);
  throw new WalletHalted(reason);
}

/** Nodes refuse transfers that expire in more than a day, but would accept them the next day. */
const CHAIN_AHEAD_MAX_MS = 12 * 3_600_000;

/** Bytes that can't be mined before tomorrow can't be given up before then either. */
function checkChainTime({ clock }: Deps, { network, state }: Signing): Promise<WalletState> {
  if (state.nonce <= clock.nowMs() + CHAIN_AHEAD_MAX_MS) return Promise.resolve(state);
  const time = new Date(state.nonce).toISOString();
  const message = `A node of ${network.code} reported a block from the future, ${time}`;
  return Promise.reject(new NodeError(message));
}

const LOOKED_UP_MAX = 50;

/**
 * Mined transactions aren't counted by the chain, so the newest of them look unmined until we have
 * read that far. The node is asked about each, but only if the wallet otherwise seems too poor.
 */
async function underWayByTime(
  db: Db,
  { network, wallet, chain, state, prepared }: Signing & Batch,
): Promise<Unmined[]> {
  const owner = { network: network.code, sender: wallet.address };
  const held = await heldFrom(db, { ...owner, fromPlace: state.nonce });
  // What is mined above this block expires after it; open ones may have expired before.
  const byId = new Map([...held, ...await openTransactionsOf(db, owner)].map((tx) => [tx.id, tx]));
  const unread = [...byId.values()]
    .filter((tx) => tx.blockHash === null || tx.blockNumber > state.height);
  const costs = await costsOf(db, unread.map(({ id }) => id));
  if (unread.length > LOOKED_UP_MAX || canPayAll(state, { costs, prepared })) return costs;
  const outcomes = await Promise.all(
    unread.map(({ txHash, sender, place }) =>
      chain.outcome({ txHash, sender, nonce: place }, { depth: network.minConfirmations })
    ),
  );
  const left = zip(unread, outcomes)
    .filter(([, outcome]) => outcome.kind !== "included" || outcome.height > state.height)
    .map(([{ id }]) => id);
  return await costsOf(db, left);
}

function canPayAll(
  { nativeRaw, tokensRaw }: WalletState,
  { costs, prepared }: Batch & { costs: readonly Unmined[] },
): boolean {
  const tokens = [
    ...costs.flatMap(({ tokens }) => tokens),
    ...prepared.map(({ request: { contract, amountRaw } }) => ({ contract, amountRaw })),
  ];
  const coins = [
    ...costs.map(({ nativeCostMaxRaw }) => BigInt(nativeCostMaxRaw)),
    ...prepared.map(({ nativeCostAfter, nativeCostMaxRaw }, i) =>
      nativeCostAfter?.(costs.length + i) ?? nativeCostMaxRaw
    ),
  ];
  const isEnough = [...tokensRaw].every(([contract, heldRaw]) =>
    sum(tokens.filter((one) => one.contract === contract).map((one) => BigInt(one.amountRaw))) <=
      heldRaw
  );
  return isEnough && sum(coins) <= nativeRaw;
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, one) => all + one, 0n);
}
