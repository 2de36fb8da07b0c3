import { zip } from "../base/lists.ts";
import type { Chain, WalletState } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import { familyOf } from "../chains/registry.ts";
import type { PreparedTransfer } from "../chains/transfer.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { Db } from "../store/engine/db.ts";
import { heldCostsOf, heldNoncesOf, signedNonces } from "./reads/nonces.ts";
import { openTransfersOf } from "./reads/transfers.ts";
import type { SignedTransferRow } from "./table.ts";
import type { Unmined } from "../wallets/funds.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";

/** Null: signed bytes become invalid by their nonce, not by time. */
export function lifetimeOf({ family }: NetworkRow): number | null {
  return familyOf(family).transferLifetimeMs;
}

type Batch = { readonly prepared: readonly PreparedTransfer[] };

interface Signing {
  readonly network: NetworkRow;
  readonly wallet: AddressRow;
  readonly chain: Chain;
  readonly state: WalletState;
}

const LOOKED_UP_MAX = 50;

/**
 * Transfers whose cost the balance doesn't show yet. A lagging node also lacks settled ones, and
 * their nonces and money must not be used again. Where mined transactions aren't counted, the
 * newest of them look unmined until we have read that far, so the node is asked about each, but
 * only if the wallet otherwise seems too poor.
 */
export async function underWay(
  db: Db,
  { network, wallet, chain, state, prepared }: Signing & Batch,
): Promise<Unmined[]> {
  const owner = { network: network.code, sender: wallet.address };
  const from = { ...owner, fromNonce: state.nonce };
  if (lifetimeOf(network) === null) return await heldCostsOf(db, from);
  const held = await heldNoncesOf(db, from);
  // Transfers mined above this block expire after it; open ones may have expired before.
  const byId = new Map([...held, ...await openTransfersOf(db, owner)].map((row) => [row.id, row]));
  const unread = [...byId.values()]
    .filter((row) => row.blockHash === null || row.blockNumber > state.height);
  if (unread.length > LOOKED_UP_MAX || canPayAll(state, { unread, prepared })) return unread;
  const outcomes = await Promise.all(
    unread.map((row) => chain.outcome(row, { depth: network.minConfirmations })),
  );
  return zip(unread, outcomes)
    .filter(([, outcome]) => outcome.kind !== "included" || outcome.height > state.height)
    .map(([row]) => row);
}

function canPayAll(
  { nativeRaw, tokensRaw }: WalletState,
  { unread, prepared }: Batch & { unread: readonly SignedTransferRow[] },
): boolean {
  const costs = [
    ...unread.map(({ contractAddress, amountRaw, nativeCostMaxRaw }) => ({
      contract: contractAddress,
      amountRaw: BigInt(amountRaw),
      nativeCostMaxRaw: BigInt(nativeCostMaxRaw),
    })),
    ...prepared.map(({ request, ...costs }, i) => ({
      ...request,
      nativeCostMaxRaw: costs.nativeCostAfter?.(unread.length + i) ?? costs.nativeCostMaxRaw,
    })),
  ];
  const isEnough = [...tokensRaw].every(([contract, heldRaw]) =>
    sum(costs.filter((one) => one.contract === contract).map((one) => one.amountRaw)) <= heldRaw
  );
  return isEnough && sum(costs.map((one) => one.nativeCostMaxRaw)) <= nativeRaw;
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, one) => all + one, 0n);
}

/** Nodes refuse transfers that expire in more than a day, but would accept them the next day. */
const CHAIN_AHEAD_MAX_MS = 12 * 3_600_000;

/** Bytes that can't be mined before tomorrow can't be given up before then either. */
export function checkChainTime(
  { network, state, nowMs }: Pick<Signing, "network" | "state"> & { nowMs: number },
): void {
  if (lifetimeOf(network) === null || state.nonce <= nowMs + CHAIN_AHEAD_MAX_MS) return;
  const time = new Date(state.nonce).toISOString();
  throw new NodeError(`A node of ${network.code} reported a block from the future, ${time}`);
}

/** The next transfer's nonce, given those taken so far. Never lower than the one before. */
export type NonceRule = (isTaken: (nonce: number) => boolean) => number;

/**
 * The lowest free nonce or, where transfers expire, an expiry that no other transfer of the wallet
 * has.
 */
export async function nonceRule(
  db: Db,
  { network, wallet, state }: Signing,
): Promise<NonceRule> {
  const lifetimeMs = lifetimeOf(network);
  if (lifetimeMs === null) return lowestFree(state.nonce);
  const fromNonce = state.nonce + lifetimeMs;
  const owner = { network: network.code, sender: wallet.address };
  return lowestFree(fromNonce, await signedNonces(db, { ...owner, fromNonce }));
}

function lowestFree(from: number, signed: readonly number[] = []): NonceRule {
  const used = new Set(signed);
  let nonce = from;
  return (isTaken) => {
    while (used.has(nonce) || isTaken(nonce)) nonce++;
    return nonce;
  };
}
