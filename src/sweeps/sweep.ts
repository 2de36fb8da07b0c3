import { receiverOf } from "../accounts/receiver.ts";
import { receiverNow } from "../accounts/receiver_now.ts";
import { type ReceivingWalletRow, ReceivingWallets } from "../accounts/tables/accounts.ts";
import { present } from "../base/assert.ts";
import { first, inTurn, last } from "../base/lists.ts";
import { cursorOf } from "../books/find.ts";
import type { SweepReason } from "../books/move_sweep.ts";
import { isStopped } from "../books/stopped.ts";
import { isGenuine } from "../books/tampered.ts";
import type { TransactionRow } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { isNewestReceiver } from "../integrity/newest.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { moveMoney } from "./_move_money.ts";
import { sweepTogether } from "./batches.ts";
import { gatherDeposits } from "./gather.ts";
import { Step } from "./_step.ts";
import { isSweepable, type Sweeping } from "./_sweeping.ts";
import { dustWaitMs, LATER_MS } from "./_waits.ts";
import { assignSweeps, takeAlong } from "./assign.ts";
import { accountsWithSweeps, depositsOfSweep, dueSweeps, parkedSweeps } from "./reads/sweeps.ts";
import { endSweep, postpone } from "./steps.ts";
import { type SweepRow, Sweeps } from "./table.ts";
import { isRestored } from "../wallets/halt.ts";
import { gasWalletOf, hotWalletOf } from "../wallets/reads/addresses.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";

/**
 * This many parked sweeps of one account, or accounts with a new one, mean that the token itself is in
 * trouble. One account alone must not stop the others: its receiving wallet may be one that nothing
 * can reach. Nor must three of them for ever, so the others try again every day.
 */
const PARKED_MAX = 3;
const PARKED_COUNT_FOR_MS = 24 * 3_600_000;

const SWEEPS_PER_STEP_MAX = 100;
const ACCOUNTS_PER_STEP_MAX = 2_000;
const NO_RECEIVING_WALLET = {
  code: "no_receiving_wallet",
  reason: "the account has no receiving wallet",
} as const;

/** Takes every due sweep one step further, all of them together. None delays another. */
export async function sweepDeposits(
  deps: Deps,
  network: NetworkRow,
  { sweepsMax = SWEEPS_PER_STEP_MAX } = {},
): Promise<number> {
  const [{ haltedReason }, isOff] = await Promise.all([
    cursorOf(deps, network),
    isStopped(deps),
  ]);
  if (haltedReason !== null || isOff) return 0;
  await assignSweeps(deps, network);
  const due = await nextSweeps(deps, { network: network.code, sweepsMax });
  const step = new Step(deps, network);
  const known = await step.each(due, (sweep) => lookInto(step, sweep));
  // An address has one purse and one next nonce: another sweep of it follows in the next step.
  const addresses = Map.groupBy(known, ({ address }) => address.id);
  const sweepings = [...addresses.values()].map(first);
  const { gathering } = step.chain;
  if (gathering) await gatherDeposits(step, { gathering, sweepings });
  else await moveMoney(step, await sweepTogether(step, sweepings));
  const [error] = step.errors;
  if (error) throw error;
  return due.length;
}

/** Accounts take turns, so one with many due sweeps delays no other. */
async function nextSweeps(
  deps: Deps,
  { network, sweepsMax }: { network: string; sweepsMax: number },
): Promise<SweepRow[]> {
  const { db, clock } = deps;
  const nowMs = clock.nowMs();
  const accountIds = await nextAccounts(deps, { network, nowMs, sweepsMax });
  if (accountIds.length === 0) return [];
  const due = await dueSweeps(db, { network, nowMs, accountIds, limitEach: sweepsMax });
  const byAccount = Map.groupBy(due, ({ accountId }) => accountId);
  return inTurn([...byAccount.values()]).slice(0, sweepsMax);
}

/** Those with a due sweep, from where the last step ended on; behind the last one, from the first. */
async function nextAccounts(
  { db, memory: { sweptTo } }: Deps,
  { sweepsMax, ...order }: {
    readonly network: string;
    readonly nowMs: number;
    readonly sweepsMax: number;
  },
): Promise<number[]> {
  const limit = ACCOUNTS_PER_STEP_MAX;
  const from = sweptTo.get(order.network) ?? 0;
  const above = await accountsWithSweeps(db, { ...order, afterId: from, limit });
  const isEnd = above.length < limit;
  const below = isEnd && from > 0
    ? await accountsWithSweeps(db, { ...order, afterId: 0, limit: limit - above.length })
    : [];
  const turns = [...above, ...below.filter(({ accountId }) => accountId <= from)];
  const due = turns.filter(({ isDue }) => isDue).map(({ accountId }) => accountId)
    .slice(0, sweepsMax);
  const isFull = due.length === sweepsMax;
  const end = isFull ? last(due) : turns.at(-1)?.accountId;
  sweptTo.set(order.network, end ?? 0);
  return due;
}

/** Everything about one sweep that needs no node; undefined if that ends its step. */
async function lookInto(step: Step, sweep: SweepRow): Promise<Sweeping | undefined> {
  const { deps, network } = step;
  const catalog = await deps.catalog.current();
  const currency = present(catalog.currency(network.code, sweep.currency), "Currencies stay");
  const [address, stored, known] = await Promise.all([
    deps.db.get(Addresses, [sweep.addressId]),
    deps.db.find(ReceivingWallets, [sweep.accountId, network.code]),
    depositsOfSweep(deps.db, sweep.id),
  ]);
  const assigned = await takeAlong(deps, { sweep, assigned: known });
  const deposits = assigned.filter(isSweepable);
  // The deposits it was made for have left the chain; dust waits for the next one.
  if (deposits.every(({ isBelowMinimum }) => isBelowMinimum)) {
    return void await endSweep(deps, { sweep, deposits: assigned });
  }
  const wait = async (why: SweepReason) => {
    // A deposit that isn't dust makes it due at once.
    const forMs = why.code === "below_minimum" ? dustWaitMs(deps, sweep) : LATER_MS;
    return void await postpone(deps, { sweep, ...why, forMs });
  };
  if (!stored) return await wait(NO_RECEIVING_WALLET);
  const amount = sumOf(deposits, assetOf(sweep));
  const why = await whyWait(step, { sweep, currency, address, wallet: stored, amount });
  if (why) return await wait(why);
  const wallet = await step.once(
    `receiver/${sweep.accountId}`,
    () => receiverNow(deps, { network, wallet: stored }),
  );
  const orphans = assigned.filter((row) => !isSweepable(row));
  const to = receiverOf(network, wallet.address).sweptTo;
  return { sweep, currency, address, to, deposits, orphans, amount };
}

/**
 * Books restored from a backup know neither the newest sweeps nor where they were to go. One may
 * still be mined, and use what would be signed here: nonces of its addresses, and their coins. The
 * receiving wallet may have been another one. So what would have sent them has to be resumed first:
 * the gas wallet for batches, otherwise, or if there is none, the account's own wallet, which each
 * account with deposits has.
 */
async function whyRestored(
  step: Step,
  { accountId }: SweepRow,
): Promise<SweepReason | undefined> {
  const { deps: { db }, network: { code: network }, chain } = step;
  const gas = chain.collector && await step.once("gas wallet", () => gasWalletOf(db, network));
  const wallet = gas || await hotWalletOf(db, { accountId, network });
  if (!wallet || !isRestored(wallet)) return undefined;
  const whose = gas ? "the gas wallet" : "the account's hot wallet";
  const reason = `${whose} is halted since the restore: what was sent before may still move this`;
  return { code: "wallet_halted", reason };
}

function sumOf(deposits: readonly TransactionRow[], asset: string): Amount {
  return deposits.reduce(
    (sum, row) => sum.plus(Amount.parse(row.amount, asset)),
    Amount.zero(asset),
  );
}

interface Wanted {
  readonly sweep: SweepRow;
  readonly currency: CurrencyRow;
  readonly address: AddressRow;
  readonly wallet: ReceivingWalletRow;
  readonly amount: Amount;
}

/** Reasons to wait that need no node. */
async function whyWait(
  step: Step,
  { sweep, currency, address, wallet, amount }: Wanted,
): Promise<SweepReason | undefined> {
  const { deps } = step;
  const { accountId } = sweep;
  const isOurs = await step.once(`newest/${accountId}`, () => isNewestReceiver(deps, wallet)) &&
    await isGenuine(deps, Addresses, address) && await isGenuine(deps, Sweeps, sweep);
  if (!isOurs) return { code: "tampered", reason: "its rows were tampered with" };
  const { haltedReason } = address;
  if (haltedReason !== null) return { code: "wallet_halted", reason: haltedReason };
  const restored = await whyRestored(step, sweep);
  if (restored) return restored;
  const { sweepMinAmount, contractAddress, symbol } = currency;
  if (amount.isLessThan(Amount.parse(sweepMinAmount, amount.asset))) {
    const reason = `${amount} is less than the sweep minimum ${sweepMinAmount}`;
    return { code: "below_minimum", reason };
  }
  if (contractAddress === null) return undefined;
  const parked = await step.once(
    `parked/${accountId}/${symbol}`,
    () => parkedSweeps(deps.db, sweep, { sinceMs: deps.clock.nowMs() - PARKED_COUNT_FOR_MS }),
  );
  if (Math.max(parked.own, parked.accounts) < PARKED_MAX) return undefined;
  const reason = `sweeps of ${symbol} are paused: ${PARKED_MAX} of them are parked`;
  return { code: "others_parked", reason };
}
