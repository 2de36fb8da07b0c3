import {
  type Chain,
  NodeError,
  type PreparedTransfer,
  type WalletState,
} from "../../chains/chain.ts";
import { familyOf } from "../../chains/registry.ts";
import type { AddressRow } from "../../store/tables/addresses.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import type { SignedTransferRow } from "../../store/tables/signed_transfers.ts";
import type { Db } from "../../store/engine/db.ts";
import {
  heldCostsOf,
  heldNoncesOf,
  openTransfersOf,
  signedNonces,
} from "../../store/reads/transfers.ts";
import type { Unmined } from "../wallets/funds.ts";

/** Null: signed bytes end by their nonce, and not by themselves. */
export function lifetimeOf({ family }: NetworkRow): number | null {
  return familyOf(family).transferLifetimeMs;
}

interface Signing {
  readonly network: NetworkRow;
  readonly wallet: AddressRow;
  readonly chain: Chain;
  readonly state: WalletState;
}

const LOOKED_UP_MAX = 50;

/**
 * The transfers whose cost the balance does not show yet; a node that is behind lacks also what was
 * settled, and nothing may be signed for that nonce or from that money again. Without a count of what
 * was mined, the newest of it looks unmined until our reading has come to it: only where that makes
 * the wallet seem too poor are the transactions themselves asked about.
 */
export async function underWay(
  db: Db,
  { network, wallet, chain, state, prepared }: Signing & {
    prepared: readonly PreparedTransfer[];
  },
): Promise<Unmined[]> {
  const owner = { network: network.code, sender: wallet.address };
  const from = { ...owner, fromNonce: state.nonce };
  if (lifetimeOf(network) === null) return await heldCostsOf(db, from);
  const held = await heldNoncesOf(db, from);
  // What was mined above this block expires after it; of what is open some may have expired before.
  const byId = new Map([...held, ...await openTransfersOf(db, owner)].map((row) => [row.id, row]));
  const unread = [...byId.values()]
    .filter((row) => row.blockHash === null || row.blockNumber > state.height);
  if (unread.length > LOOKED_UP_MAX || canPayAll(state, { unread, prepared })) return unread;
  const outcomes = await Promise.all(
    unread.map((row) => chain.outcome(row, { depth: network.minConfirmations })),
  );
  return unread.filter((_, i) => {
    const outcome = outcomes[i]!;
    return outcome.kind !== "included" || outcome.height > state.height;
  });
}

function canPayAll(
  { nativeRaw, tokensRaw }: WalletState,
  { unread, prepared }: {
    unread: readonly SignedTransferRow[];
    prepared: readonly PreparedTransfer[];
  },
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

/** Nodes refuse what expires in more than a day, and would take it on the next one. */
const CHAIN_AHEAD_MAX_MS = 12 * 3_600_000;

/** Bytes that cannot be mined before tomorrow cannot be given up before then either. */
export function checkChainTime(
  { network, state, nowMs }: Pick<Signing, "network" | "state"> & { nowMs: number },
): void {
  if (lifetimeOf(network) === null || state.nonce <= nowMs + CHAIN_AHEAD_MAX_MS) return;
  const time = new Date(state.nonce).toISOString();
  throw new NodeError(`A node of ${network.code} tells of a block from the future, ${time}`);
}

/** What the next transfer gets, with what is taken by then. Asked again, never a lower one. */
export type NonceRule = (isTaken: (nonce: number) => boolean) => number;

/** The lowest one that is free; or when the transfer expires, like no other one of the wallet. */
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
