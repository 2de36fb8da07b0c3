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
  // Both have already alerted the operator.
  if (error instanceof EnoughBids || error.lack === "fee") return;
  const { tx, payments } = stuck.newest;
  const isTokens = payments.some(({ purpose, contractAddress, fromAddress }) =>
    purpose === "sweep" && contractAddress !== null && fromAddress === tx.sender
  );
  if (error.lacksCoins && isTokens) await feed(deps, stuck);
  else await alertStuck(deps, { tx, why: error.message });
}

/**
 * The coins that should have paid for a signed token sweep left the chain, so it gets gas like any
 * other. A coin sweep pays its own fee, and its missing coins are the ones it was to move.
 */
async function feed(deps: Deps, { network, newest: { tx } }: Stuck): Promise<void> {
  const { sender, nativeCostMaxRaw } = tx;
  const wallet = await deps.db.find(Addresses, [network.code, sender], "address");
  const isOnItsWay = await topUpOnItsWay(deps.db, { network: network.code, address: sender });
  if (isOnItsWay || !wallet || wallet.accountId === null || wallet.haltedReason !== null) return;
  const chain = deps.chains.of(network);
  const target = { accountId: wallet.accountId, address: sender };
  const amountRaw = BigInt(nativeCostMaxRaw) * 3n / 2n;
  try {
    await topUp(deps, { network, chain, target, amountRaw });
  } catch (error) {
    if (error instanceof NotSignedYet) return;
    if (!(error instanceof CannotPay || error instanceof NodeError)) throw error;
    await alertStuck(deps, { tx, why: error.message });
  }
}
