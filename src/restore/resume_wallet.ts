import { lookUntil } from "../base/clock.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { WalletState } from "../chains/chain.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";
import { bidsFor } from "../transfers/reads/transfers.ts";
import { foreignSpendsOf } from "../transfers/reads/nonces.ts";
import { endHalt } from "../settlement/let_sign.ts";
import { lifetimeOf } from "../transfers/next_nonce.ts";
import { checkOutlived } from "./_outlived.ts";
import { checkReadBack, checkUncounted, type Resuming, stateSeen } from "./_read_back.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { cursorOf } from "../books/find.ts";
import { findNetwork } from "../books/find.ts";

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
  if (lifetimeOf(network) !== null) return false;
  if (state.nonce <= wallet.nonceFloor) return true;
  const order = { network: network.code, sender: wallet.address, nonce: state.nonce - 1 };
  return (await bidsFor(deps.db, order)).some(({ blockHash }) => blockHash !== null);
}

async function checkBooked(deps: Deps, { network, wallet }: Resuming): Promise<void> {
  const { code } = network;
  const { address, nonceFloor: fromNonce } = wallet;
  const [first, ...others] = await foreignSpendsOf(deps.db, {
    network: code,
    sender: address,
    fromNonce,
  });
  if (!first) return;
  const count = others.length + 1;
  throw refuse("wallet_unexplained", { network: code, address, count, txHash: first.txHash });
}
