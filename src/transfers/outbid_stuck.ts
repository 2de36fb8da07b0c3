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
import { bidsFor, topUpOnItsWay } from "./reads/claims.ts";
import { openTransactions, topUpsSince, withPayments } from "./reads/transfers.ts";
import { AlreadyMoved } from "./save_signed.ts";
import type { Signed, SignedTransactionRow } from "./table.ts";
import { topUp } from "./top_up.ts";
import { undoneCoinsOf, whyUndone } from "./undone_coins.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";

/** A transfer that pays the going price is mined within this time and this many blocks. */
const STUCK_AFTER_MS = 180_000;
const STUCK_AFTER_BLOCKS = 5;
const TOP_UPS_PER_PLACE_MAX = 3;

/** A transfer stuck at the front of a wallet's queue delays all behind it, so it is bid again. */
export async function outbidStuck(deps: Deps, network: NetworkRow): Promise<number> {
  if (!familyOf(network.family).canReplace || await isStopped(deps)) return 0;
  const cursor = await cursorOf(deps, network);
  if (cursor.haltedReason !== null) return 0;
  const open = await openTransactions(deps.db, network.code);
  const nowMs = deps.clock.nowMs();
  let bids = 0;
  const hasHadTime = (tx: SignedTransactionRow) =>
    nowMs - tx.createdAtMs >= STUCK_AFTER_MS &&
    cursor.scanHeight - tx.signedAtHeight >= STUCK_AFTER_BLOCKS;
  const bidBefore = bidsBefore(network, open);
  const stuck = firstOfWallets(open).filter((tx) =>
    tx.blockHash === null &&
    [tx, ...bidBefore.get(tx.sender) ?? []].every(hasHadTime)
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

/**
 * Where money lies in outputs, the last that spends its change is bid for in place of the first, and
 * that bid has to have its time too. By wallet.
 */
function bidsBefore(
  { family }: NetworkRow,
  open: readonly SignedTransactionRow[],
): ReadonlyMap<string, readonly SignedTransactionRow[]> {
  if (familyOf(family).holdings !== "outputs") return new Map();
  const outbid = new Set(open.filter(({ isLive }) => !isLive).map(placeOf));
  const bids = open.filter((tx) => tx.isLive && tx.blockHash === null && outbid.has(placeOf(tx)));
  return Map.groupBy(bids, ({ sender }) => sender);
}

function placeOf({ sender, place }: SignedTransactionRow): string {
  return `${sender}/${place}`;
}

interface Stuck {
  readonly network: NetworkRow;
  readonly newest: Signed;
}

/** One whose rows somebody changed delays no other, nor one about which no node answers. */
async function bidFor(deps: Deps, stuck: Stuck): Promise<number> {
  const [isBid = false] = await eachGenuine([stuck], async (one) => {
    try {
      return await bidAgain(deps, one);
    } catch (error) {
      if (isLater(error)) return false;
      throw error;
    }
  });
  return isBid ? 1 : 0;
}

function isLater(error: unknown): boolean {
  return error instanceof AlreadyMoved || error instanceof NotSignedYet ||
    error instanceof NodeError;
}

async function bidAgain(deps: Deps, stuck: Stuck): Promise<boolean> {
  try {
    await outbidTransfer(deps, { ...stuck, actor: "worker" });
    return true;
  } catch (error) {
    if (isLater(error) || !(error instanceof CannotPay)) throw error;
    await helpPaying(deps, stuck, error);
    return false;
  }
}

async function helpPaying(deps: Deps, stuck: Stuck, error: CannotPay): Promise<void> {
  const { network, newest: { tx } } = stuck;
  const wallet = await deps.db.find(Addresses, [network.code, tx.sender], "address");
  if (familyOf(network.family).holdings === "balances" && wallet?.purpose === "deposit") {
    const amountRaw = await missingGas(deps, stuck, error);
    if (amountRaw > 0n) return await feed(deps, stuck, { wallet, amountRaw });
  }
  // Both have already alerted the operator.
  if (error instanceof EnoughBids || error.lack === "fee") return;
  await alertStuck(deps, { tx, why: error.message });
}

/**
 * A deposit address has all that it moves, and less than it signed: the coins that should have paid
 * for it left the chain, or a node had counted some that weren't there. No other bytes may take its
 * place, so it gets them from the gas wallet, but never more than the fee.
 */
async function missingGas(
  deps: Deps,
  { network, newest: { tx: { sender, nativeCostMaxRaw }, payments } }: Stuck,
  error: CannotPay,
): Promise<bigint> {
  const costRaw = BigInt(nativeCostMaxRaw);
  const isTokens = payments.some(({ purpose, contractAddress }) =>
    purpose === "sweep" && contractAddress !== null
  );
  // At the price of now it may cost more.
  if (error.lacksCoins && isTokens) return costRaw * 3n / 2n;
  const { nativeRaw } = await deps.chains.of(network).walletState(sender, []);
  const movedRaw = payments.filter(({ contractAddress }) => contractAddress === null)
    .reduce((sum, { amountRaw }) => sum + BigInt(amountRaw), 0n);
  return nativeRaw >= movedRaw && nativeRaw < costRaw ? costRaw - nativeRaw : 0n;
}

/** From the gas wallet, and not again and again: what the address has is one node's word. */
async function feed(
  deps: Deps,
  { network, newest: { tx } }: Stuck,
  { wallet, amountRaw }: { wallet: AddressRow; amountRaw: bigint },
): Promise<void> {
  const { sender: address, place } = tx;
  const owner = { network: network.code, address };
  const isOnItsWay = await topUpOnItsWay(deps.db, owner);
  if (isOnItsWay || wallet.accountId === null || wallet.haltedReason !== null) return;
  const { id: sinceId } = first(await bidsFor(deps.db, tx));
  if (await topUpsSince(deps.db, { ...owner, sinceId }) >= TOP_UPS_PER_PLACE_MAX) {
    const why = `after ${TOP_UPS_PER_PLACE_MAX} gas top-ups a node says that ${address} still ` +
      "can't pay for it: the node is wrong, or the price outruns them";
    return await alertStuck(deps, { tx, why });
  }
  const chain = deps.chains.of(network);
  // It may be mined, and the missing money what it has paid.
  const [said] = await chain.nextNonces?.([address]) ?? [];
  if (said && said.highest > place) return;
  const target = { accountId: wallet.accountId, address };
  try {
    await topUp(deps, { network, chain, target, amountRaw });
  } catch (error) {
    if (isLater(error) || !(error instanceof CannotPay)) throw error;
    await alertStuck(deps, { tx, why: error.message });
  }
}
