import { lookUntil } from "../base/clock.ts";
import { cursorOf, findNetwork } from "../books/find.ts";
import type { WalletState } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import { mapBounded } from "../chains/pool/map_bounded.ts";
import { familyOf, rulesOf } from "../chains/registry.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { isoUtc } from "../domain/time.ts";
import type { NetworkRow } from "../networks/table.ts";
import { restoredAtMs } from "./rules/restore_number.ts";
import { endHalt } from "../settlement/let_sign.ts";
import { foreignFrom, isPlaceMined, minedPlaces, nextBooked } from "../transfers/reads/places.ts";
import { UNBOOKED_NONCES_MAX } from "../transfers/rules/unbooked.ts";
import { addressAt, pathOf } from "../wallets/addresses.ts";
import { isMadeAgain, isRestored } from "../wallets/halt.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";

/** As many as the existing networks, plus some that may not be added again yet. */
const KEYS_AFTER = 4;
const ASKED_TOGETHER = 8;

interface ResumeOrder {
  readonly network: string;
  readonly address: string;
  readonly actor: Actor;
  /** The operator says that what the books can't explain is not theirs. */
  readonly isAnyway?: boolean | undefined;
  /** How long our own reading may take to catch up with the chain. */
  readonly waitMs?: number | undefined;
}

/** An operator has found out who used a wallet's key. The wallet continues at the chain's nonce. */
export async function resumeWallet(
  deps: Deps,
  { actor, ...order }: ResumeOrder,
): Promise<AddressRow> {
  const network = await findNetwork(deps, order.network);
  const wallet = await deps.db.find(Addresses, [network.code, order.address], "address");
  const named = { network: network.code, address: order.address };
  if (!wallet) throw refuse("address_unknown", named);
  if (wallet.haltedReason === null) throw refuse("wallet_not_halted", named);
  const { isAnyway = false, waitMs = 0 } = order;
  const { nonce } = isAnyway
    ? await deps.chains.of(network).walletState(wallet.address, [])
    : await explainedState(deps, { network, wallet, waitMs });
  const resumed = await endHalt(deps, { network, wallet, nonce, isAnyway, actor });
  if (resumed) return resumed;
  throw refuse("wallet_sent_more", named);
}

/**
 * What the books don't know may already have paid what waits in them, and it would be paid twice. A
 * node that is behind knows less, and restored books have an old cursor, so the tip is asked again.
 */
async function explainedState(
  deps: Deps,
  { network, wallet, waitMs }: Pick<Resuming, "network" | "wallet" | "waitMs">,
): Promise<WalletState> {
  const { address } = wallet;
  const tip = await deps.chains.of(network).tip();
  const { scanHeight, tipHeight } = await cursorOf(deps, network);
  const seenTo = Math.max(tip.height, scanHeight, tipHeight);
  const state = await stateSeen(deps, { network, address, seenTo, waitMs });
  const resuming = { network, wallet, state, seenTo, waitMs };
  await checkRead(deps, resuming);
  await checkReadBack(deps, resuming);
  await checkOutlived(deps, resuming);
  await checkBooked(deps, resuming);
  await checkNotFarAhead(deps, resuming);
  await checkUncounted(deps, resuming);
  return state;
}

async function checkRead(deps: Deps, resuming: Resuming): Promise<void> {
  const { network: { code }, wallet: { address }, state, waitMs } = resuming;
  const isDone = (isRead: boolean) => isRead;
  if (await lookUntil(() => isRead(deps, resuming), { isSo: isDone, waitMs })) return;
  const { scanHeight } = await cursorOf(deps, resuming.network);
  const heights = { readTo: scanHeight, sentTo: state.height };
  throw refuse("wallet_not_read", { network: code, address, ...heights });
}

/**
 * Whether everything the chain counts as sent was read. If a nonce was read in a block, all lower
 * ones are in blocks too.
 */
async function isRead(deps: Deps, { network, wallet, state }: Resuming): Promise<boolean> {
  const { scanHeight } = await cursorOf(deps, network);
  if (scanHeight >= state.height) return true;
  if (!familyOf(network.family).hasNonces) return false;
  if (state.nonce <= wallet.nonceFloor) return true;
  const order = { network: network.code, sender: wallet.address, place: state.nonce - 1 };
  return await isPlaceMined(deps.db, order);
}

async function checkBooked(deps: Deps, { network, wallet }: Resuming): Promise<void> {
  const { code } = network;
  const { address, nonceFloor: fromPlace } = wallet;
  const [first, ...others] = await foreignFrom(deps.db, {
    network: code,
    sender: address,
    fromPlace,
  });
  if (!first) return;
  const count = others.length + 1;
  throw refuse("wallet_unexplained", { network: code, address, count, txHash: first.txHash });
}

/** What is signed far above a deposit address's real nonce is never mined, and keeps its deposit. */
async function checkNotFarAhead(
  deps: Deps,
  { network, wallet, state: { nonce: sent } }: Resuming,
): Promise<void> {
  if (wallet.purpose !== "deposit" || !familyOf(network.family).hasNonces) return;
  const { address, nonceFloor } = wallet;
  const known = await nextBooked(deps.db, { network: network.code, sender: address });
  if (sent <= Math.max(known, nonceFloor) + UNBOOKED_NONCES_MAX) return;
  throw refuse("wallet_far_ahead", { network: network.code, address, sent, known });
}

/** Something signed just before the books were lost isn't in them, and may still be mined. */
async function checkOutlived(deps: Deps, resuming: Resuming): Promise<void> {
  if (!isRestored(resuming.wallet)) return;
  await checkPools(deps, resuming);
  await checkExpired(deps, resuming);
}

async function checkPools(
  deps: Deps,
  { network, wallet: { address }, state }: Resuming,
): Promise<void> {
  const pending = await deps.chains.of(network).pendingNonce(address);
  if (pending === null || pending <= state.nonce) return;
  const count = pending - state.nonce;
  throw refuse("payments_in_pool", { network: network.code, address, count });
}

/** By a final block, because a reorganisation may undo the newest ones. */
async function checkExpired(
  deps: Deps,
  { network, wallet: { address }, state }: Resuming,
): Promise<void> {
  const { transferLifetimeMs: lifetimeMs } = familyOf(network.family);
  if (lifetimeMs === null) return;
  const { numberedFrom } = await deps.catalog.current();
  const { finalizedAgeMs } = await cursorOf(deps, network);
  const overAtMs = restoredAtMs(numberedFrom) + lifetimeMs + (finalizedAgeMs ?? 0);
  if (state.nonce > overAtMs) return;
  const until = isoUtc(overAtMs);
  const newest = isoUtc(state.nonce);
  throw refuse("payments_may_come", { network: network.code, address, until, newest });
}

interface Resuming {
  readonly network: NetworkRow;
  readonly wallet: AddressRow;
  readonly state: WalletState;
  /** How far the chain was known to go before the node was asked. */
  readonly seenTo: number;
  readonly waitMs: number;
}

/** From a node that has come as far: one that is behind doesn't count everything sent. */
async function stateSeen(
  deps: Deps,
  { network, address, seenTo, waitMs }:
    & Pick<Resuming, "network" | "seenTo" | "waitMs">
    & { readonly address: string },
): Promise<WalletState> {
  const chain = deps.chains.of(network);
  const state = await lookUntil(() => chain.walletState(address, [], { height: seenTo }), {
    isSo: ({ height }) => height >= seenTo,
    waitMs,
  });
  if (state.height >= seenTo) return state;
  throw new NodeError(
    `A node of ${network.code} is only at block ${state.height}, and others at ${seenTo}: try ` +
      "again when it has caught up",
  );
}

/** What blocks contained about a wallet before these books had it is found only by reading them again. */
async function checkReadBack(deps: Deps, resuming: Resuming): Promise<void> {
  const { network, wallet, state } = resuming;
  if (!isMadeAgain(wallet) || !familyOf(network.family).hasNonces) return;
  const { address, nonceFloor: fromPlace } = wallet;
  const order = { network: network.code, sender: address, fromPlace, belowPlace: state.nonce };
  const sent = state.nonce - fromPlace;
  const known = await minedPlaces(deps.db, order);
  if (known >= sent) return;
  throw refuse("wallet_read_without", { network: network.code, address, sent, known });
}

/** What the wallet's nonces don't show must come from an operator, once everything found is booked. */
async function checkUncounted(deps: Deps, resuming: Resuming): Promise<void> {
  const { network, wallet } = resuming;
  if (!isMadeAgain(wallet)) return;
  if (familyOf(network.family).hasNonces) return await checkOrder(deps, resuming);
  throw refuse("wallet_not_counted", { network: network.code, address: wallet.address });
}

/** Networks get keys in the order they ask: in another order, a different key has paid here. */
async function checkOrder(deps: Deps, { wallet, ...asking }: Resuming): Promise<void> {
  const { network } = asking;
  const keyRing = await deps.keyRing();
  const { networks } = await deps.catalog.current();
  const sharing = networks.filter((row) => rulesOf(row).coinType === wallet.keyCoinType);
  const count = Math.max(wallet.keyIndex + 1, sharing.length) + KEYS_AFTER;
  const indexes = Array.from({ length: count }, (_, i) => i)
    .filter((index) => index !== wallet.keyIndex);
  const states = await mapBounded(indexes, {
    concurrencyMax: ASKED_TOGETHER,
    work: async (index) => {
      const address = addressAt(keyRing, network, { ...pathOf(wallet), index });
      return { address, ...await stateSeen(deps, { ...asking, address }) };
    },
  });
  const payer = states.find(({ nonce }) => nonce > 0);
  if (!payer) return;
  throw refuse("wallet_was_another", {
    network: network.code,
    address: wallet.address,
    other: payer.address,
    sent: payer.nonce,
    isGasWallet: wallet.purpose === "gas",
  });
}
