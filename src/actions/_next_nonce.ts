import type { Chain, WalletState } from "../chains/chain.ts";
import { familyOf } from "../chains/registry.ts";
import type { AddressRow, NetworkRow, SignedTransferRow } from "../store/rows.ts";
import type { Db } from "../store/db.ts";
import { lastSignedNonce } from "../store/transfer_reads.ts";

/** Null: signed bytes end by their nonce, and not by themselves. */
export function lifetimeOf({ family }: NetworkRow): number | null {
  return familyOf(family).transferLifetimeMs;
}

export interface Signing {
  readonly network: NetworkRow;
  readonly wallet: AddressRow;
  readonly chain: Chain;
  readonly state: WalletState;
}

/** The open transfers whose cost the balance does not show yet; of some it is only not known. */
export function unminedOf(
  open: readonly SignedTransferRow[],
  { network, state }: Pick<Signing, "network" | "state">,
): SignedTransferRow[] {
  if (lifetimeOf(network) === null) return open.filter((row) => row.nonce >= state.nonce);
  return open.filter((row) => row.blockHash === null || row.blockNumber > state.height);
}

const LOOKED_UP_MAX = 50;

/**
 * Without a count of what was mined, the newest of it looks unmined until our reading has come to it.
 * Only when that makes the wallet seem too poor are the transactions themselves asked about.
 */
export async function stillUnmined(
  unmined: readonly SignedTransferRow[],
  { network, chain, state }: Signing,
): Promise<SignedTransferRow[]> {
  if (lifetimeOf(network) === null || unmined.length > LOOKED_UP_MAX) return [...unmined];
  const outcomes = await Promise.all(
    unmined.map((row) => chain.outcome(row, { depth: network.minConfirmations })),
  );
  return unmined.filter((_, i) => {
    const outcome = outcomes[i]!;
    return outcome.kind !== "included" || outcome.height > state.height;
  });
}

/** The lowest one that is free; or when the transfer expires, like no other one of the wallet. */
export async function nextNonce(
  db: Db,
  { network, wallet, state, unmined }: Signing & { unmined: readonly SignedTransferRow[] },
): Promise<number> {
  const lifetimeMs = lifetimeOf(network);
  if (lifetimeMs !== null) {
    const last = await lastSignedNonce(db, { network: network.code, sender: wallet.address });
    return Math.max(state.nonce + lifetimeMs, (last ?? 0) + 1);
  }
  const taken = new Set(unmined.map((row) => row.nonce));
  let nonce = state.nonce;
  while (taken.has(nonce)) nonce++;
  return nonce;
}
