import { first } from "../base/lists.ts";
import { cursorOf } from "../books/find.ts";
import { isStopped, NotSignedYet } from "../books/stopped.ts";
import { eachGenuine } from "../books/tampered.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import type { NetworkRow } from "../networks/table.ts";
import { alertStuck } from "./stuck.ts";
import { familyOf } from "../chains/registry.ts";
import { EnoughBids, outbidTransfer } from "./outbid.ts";
import { topUpOnItsWay } from "./reads/claims.ts";
import { openTransactions, withPayments } from "./reads/transfers.ts";
import { AlreadyMoved } from "./save_signed.ts";
import type { Signed, SignedTransactionRow } from "./table.ts";
import { topUp } from "./top_up.ts";
import { undoneCoinsOf, whyUndone } from "./undone_coins.ts";
import { Addresses } from "../wallets/tables/addresses.ts";

/** A transfer that pays the going price is mined within this time and this many blocks. */
const STUCK_AFTER_MS = 180_000;
const STUCK_AFTER_BLOCKS = 5;

/** A transfer stuck at the front of a wallet's queue delays all behind it, so it is bid again. */
export async function outbidStuck(deps: Deps, network: NetworkRow): Promise<number> {
  if (!familyOf(network.family).canReplace || await isStopped(deps)) return 0;
  const cursor = await cursorOf(deps, network);
  if (cursor.haltedReason !== null) return 0;
  const open = await openTransactions(deps.db, network.code);
  const nowMs = deps.clock.nowMs();
  let bids = 0;
  const stuck = firstOfWallets(open).filter((tx) =>
    tx.blockHash === null && nowMs - tx.createdAtMs >= STUCK_AFTER_MS &&
    cursor.scanHeight - tx.signedAtHeight >= STUCK_AFTER_BLOCKS
  );
  const undone = await undoneCoinsOf(deps, { cursor, signed: stuck });
  for (const newest of await withPayments(deps.db, stuck)) {
    const coins = undone.get(newest.tx.id);
    // A higher price helps nothing that spends what isn't there.
    if (coins) await alertStuck(deps, { tx: newest.tx, why: whyUndone(coins) });
    else bids += await bidFor(deps, { network, newest });
  }
  return bids;
}

/** The newest bid for the lowest unmined place of each wallet. */
export function firstOfWallets(open: readonly SignedTransactionRow[]): SignedTransactionRow[] {
  const anchored = new Set(open.filter(({ blockHash }) => blockHash !== null).map(placeOf));
  const waiting = open.filter((tx) => tx.isLive && !anchored.has(placeOf(tx)));
  return [...Map.groupBy(waiting, ({ sender }) => sender).values()].map(first);
}

function placeOf({ sender, place }: SignedTransactionRow): string {
  return `${sender}/${place}`;
}

interface Stuck {
  readonly network: NetworkRow;
  readonly newest: Signed;
}

/** One whose rows somebody changed delays no other. */
async function bidFor(deps: Deps, stuck: Stuck): Promise<number> {
  const [isBid = false] = await eachGenuine([stuck], (one) => bidAgain(deps, one));
  return isBid ? 1 : 0;
}

async function bidAgain(deps: Deps, stuck: Stuck): Promise<boolean> {
  try {
    await outbidTransfer(deps, { ...stuck, actor: "worker" });
    return true;
  } catch (error) {
    const isLater = error instanceof AlreadyMoved || error instanceof NotSignedYet ||
      error instanceof NodeError;
    if (isLater) return false;
    if (!(error instanceof CannotPay)) throw error;
    await helpPaying(deps, stuck, error);
    return false;
  }
}

async function helpPaying(deps: Deps, stuck: Stuck, error: CannotPay): Promise<void> {
  const { tx, payments } = stuck.newest;
  const isTokens = payments.some(({ purpose, contractAddress, fromAddress }) =>
    purpose === "sweep" && contractAddress !== null && fromAddress === tx.sender
  );
  // At the price of now it may cost more.
  if (error.lacksCoins && isTokens) {
    return await feed(deps, stuck, BigInt(tx.nativeCostMaxRaw) * 3n / 2n);
  }
  const missingRaw = await missingForFee(deps, stuck);
  if (missingRaw > 0n) return await feed(deps, stuck, missingRaw);
  // Both have already alerted the operator.
  if (error instanceof EnoughBids || error.lack === "fee") return;
  await alertStuck(deps, { tx, why: error.message });
}

/**
 * A deposit address has all that it moves, and less than it signed: the coins that should have paid
 * for it left the chain, or a node had counted some that weren't there. No other bytes may take its
 * place, so it gets them from the gas wallet, but never more than the fee.
 */
async function missingForFee(deps: Deps, { network, newest }: Stuck): Promise<bigint> {
  const { tx: { sender, nativeCostMaxRaw }, payments } = newest;
  const wallet = await deps.db.find(Addresses, [network.code, sender], "address");
  const isFed = familyOf(network.family).holdings === "balances" && wallet?.purpose === "deposit";
  if (!isFed) return 0n;
  const { nativeRaw } = await deps.chains.of(network).walletState(sender, []);
  const movedRaw = payments.filter(({ contractAddress }) => contractAddress === null)
    .reduce((sum, { amountRaw }) => sum + BigInt(amountRaw), 0n);
  const costRaw = BigInt(nativeCostMaxRaw);
  return nativeRaw >= movedRaw && nativeRaw < costRaw ? costRaw - nativeRaw : 0n;
}

/** From the gas wallet. */
async function feed(
  deps: Deps,
  { network, newest: { tx } }: Stuck,
  amountRaw: bigint,
): Promise<void> {
  const { sender } = tx;
  const wallet = await deps.db.find(Addresses, [network.code, sender], "address");
  const isOnItsWay = await topUpOnItsWay(deps.db, { network: network.code, address: sender });
  if (isOnItsWay || !wallet || wallet.accountId === null || wallet.haltedReason !== null) return;
  const chain = deps.chains.of(network);
  const target = { accountId: wallet.accountId, address: sender };
  try {
    await topUp(deps, { network, chain, target, amountRaw });
  } catch (error) {
    if (error instanceof NotSignedYet) return;
    if (!(error instanceof CannotPay || error instanceof NodeError)) throw error;
    await alertStuck(deps, { tx, why: error.message });
  }
}
