import { lookUntil } from "../base/clock.ts";
import { NodeError } from "../chains/faults.ts";
import type { WalletState } from "../chains/chain.ts";
import { mapBounded } from "../chains/pool/map_bounded.ts";
import { familyOf } from "../chains/registry.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import { minedNonces } from "../transfers/reads/nonces.ts";
import { pathOf } from "../wallets/addresses.ts";
import { isMadeAgain } from "../wallets/halt.ts";
import { lifetimeOf } from "../transfers/next_nonce.ts";
import type { Deps } from "../deps/deps.ts";

export interface Resuming {
  readonly network: NetworkRow;
  readonly wallet: AddressRow;
  readonly state: WalletState;
  /** How far the chain was known to go before the node was asked. */
  readonly seenTo: number;
  readonly waitMs: number;
}

/** From a node that has come as far: one that is behind doesn't count everything sent. */
export async function stateSeen(
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
export async function checkReadBack(deps: Deps, resuming: Resuming): Promise<void> {
  const { network, wallet, state } = resuming;
  if (!isMadeAgain(wallet) || lifetimeOf(network) !== null) return;
  const { address, nonceFloor: fromNonce } = wallet;
  const order = { network: network.code, sender: address, fromNonce, belowNonce: state.nonce };
  const sent = state.nonce - fromNonce;
  const known = await minedNonces(deps.db, order);
  if (known >= sent) return;
  throw refuse("wallet_read_without", { network: network.code, address, sent, known });
}

/** What the wallet's nonces don't show must come from an operator, once everything found is booked. */
export async function checkUncounted(deps: Deps, resuming: Resuming): Promise<void> {
  const { network, wallet } = resuming;
  if (!isMadeAgain(wallet)) return;
  if (lifetimeOf(network) === null) return await checkOrder(deps, resuming);
  throw refuse("wallet_not_counted", { network: network.code, address: wallet.address });
}

/** As many as the existing networks, plus some that may not be added again yet. */
const KEYS_AFTER = 4;
const ASKED_TOGETHER = 8;

/** Networks get keys in the order they ask: in another order, a different key has paid here. */
async function checkOrder(deps: Deps, { wallet, ...asking }: Resuming): Promise<void> {
  const { network } = asking;
  const keyRing = await deps.keyRing();
  const { networks } = await deps.catalog.current();
  const sharing = networks.filter(({ family }) => familyOf(family).coinType === wallet.keyCoinType);
  const count = Math.max(wallet.keyIndex + 1, sharing.length) + KEYS_AFTER;
  const indexes = Array.from({ length: count }, (_, i) => i)
    .filter((index) => index !== wallet.keyIndex);
  const states = await mapBounded(indexes, {
    concurrencyMax: ASKED_TOGETHER,
    work: async (index) => {
      const publicKey = keyRing.publicKeyOf({ ...pathOf(wallet), index });
      const address = familyOf(network.family).addressOf(publicKey);
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
