import { receiverNow } from "../accounts/receiver_now.ts";
import { type ReceivingWalletRow, ReceivingWallets } from "../accounts/tables/accounts.ts";
import { InvariantError, present } from "../base/assert.ts";
import { inTurn, last } from "../base/lists.ts";
import { cursorOf } from "../books/find.ts";
import type { SweepReason } from "../books/move_sweep.ts";
import { isStopped, NotSignedYet } from "../books/stopped.ts";
import { isGenuine } from "../books/tampered.ts";
import { NodeError } from "../chains/faults.ts";
import type { TransactionRow } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { isNewestReceiver } from "../integrity/newest.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { moveMoney } from "./_move_money.ts";
import { isSweepable } from "./_sweeping.ts";
import { dustWaitMs, LATER_MS, SOON_MS } from "./_waits.ts";
import { assignSweeps, takeAlong } from "./assign.ts";
import { accountsWithSweeps, depositsOfSweep, dueSweeps, parkedSweeps } from "./reads/sweeps.ts";
import { endSweep, postpone } from "./steps.ts";
import { type SweepRow, Sweeps } from "./table.ts";
import { AlreadyMoved } from "../transfers/save_signed.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";

/**
 * This many parked sweeps of one account, or accounts with one, mean that the token itself is in
 * trouble. One account alone must not stop the others: its receiving wallet may be one that nothing
 * can reach.
 */
const PARKED_MAX = 3;

const SWEEPS_PER_STEP_MAX = 20;
const ACCOUNTS_PER_STEP_MAX = 2_000;
const NO_RECEIVING_WALLET = {
  code: "no_receiving_wallet",
  reason: "the account has no receiving wallet",
} as const;

/** Takes every due sweep one step further. None delays another. */
export async function sweepDeposits(deps: Deps, network: NetworkRow): Promise<number> {
  const [{ haltedReason }, isOff] = await Promise.all([
    cursorOf(deps, network),
    isStopped(deps),
  ]);
  if (haltedReason !== null || isOff) return 0;
  await assignSweeps(deps, network);
  const due = await nextSweeps(deps, network.code);
  const bugs: InvariantError[] = [];
  for (const sweep of due) {
    try {
      await tryOn(deps, { network, sweep });
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      bugs.push(error);
    }
  }
  if (bugs[0]) throw bugs[0];
  return due.length;
}

/** Accounts take turns, so one with many due sweeps delays no other. */
async function nextSweeps(deps: Deps, network: string): Promise<SweepRow[]> {
  const { db, clock } = deps;
  const nowMs = clock.nowMs();
  const accountIds = await nextAccounts(deps, { network, nowMs });
  if (accountIds.length === 0) return [];
  const limitEach = SWEEPS_PER_STEP_MAX;
  const due = await dueSweeps(db, { network, nowMs, accountIds, limitEach });
  const byAccount = Map.groupBy(due, ({ accountId }) => accountId);
  return inTurn([...byAccount.values()]).slice(0, SWEEPS_PER_STEP_MAX);
}

/** Those with a due sweep, from where the last step ended on; behind the last one, from the first. */
async function nextAccounts(
  { db, memory: { sweptTo } }: Deps,
  order: { readonly network: string; readonly nowMs: number },
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
    .slice(0, SWEEPS_PER_STEP_MAX);
  const isFull = due.length === SWEEPS_PER_STEP_MAX;
  const end = isFull ? last(due) : turns.at(-1)?.accountId;
  sweptTo.set(order.network, end ?? 0);
  return due;
}

interface Due {
  readonly network: NetworkRow;
  readonly sweep: SweepRow;
}

/** Throws a bug only after the sweep was put off, or it would take its place in every round. */
async function tryOn(deps: Deps, { network, sweep }: Due): Promise<void> {
  try {
    await takeOn(deps, { network, sweep });
  } catch (error) {
    if (error instanceof AlreadyMoved || error instanceof NotSignedYet) return;
    await postpone(deps, { sweep, ...waitAfter(error) });
    if (error instanceof InvariantError) throw error;
  }
}

function waitAfter(error: unknown): SweepReason & { readonly forMs: number } {
  if (error instanceof CannotPay) {
    return { code: "refused", reason: error.message, forMs: SOON_MS };
  }
  if (error instanceof NodeError) {
    return { code: "not_answered", reason: error.message, forMs: SOON_MS };
  }
  if (!(error instanceof InvariantError)) throw error;
  return { code: "refused", reason: `a bug of the program: ${error.message}`, forMs: LATER_MS };
}

async function takeOn(deps: Deps, { network, sweep }: Due): Promise<void> {
  const catalog = await deps.catalog.current();
  const currency = present(catalog.currency(network.code, sweep.currency), "Currencies stay");
  const address = await deps.db.get(Addresses, [sweep.addressId]);
  const stored = await deps.db.find(ReceivingWallets, [sweep.accountId, network.code]);
  const known = await depositsOfSweep(deps.db, sweep.id);
  const assigned = await takeAlong(deps, { sweep, assigned: known });
  const deposits = assigned.filter(isSweepable);
  // The deposits it was made for have left the chain; dust waits for the next one.
  if (deposits.every(({ isBelowMinimum }) => isBelowMinimum)) {
    return await endSweep(deps, { sweep, deposits: assigned });
  }
  const wait = (why: SweepReason) => {
    // A deposit that isn't dust makes it due at once.
    const forMs = why.code === "below_minimum" ? dustWaitMs(deps, sweep) : LATER_MS;
    return postpone(deps, { sweep, ...why, forMs });
  };
  if (!stored) return await wait(NO_RECEIVING_WALLET);
  const amount = sumOf(deposits, assetOf(sweep));
  const why = await whyWait(deps, { sweep, currency, address, wallet: stored, amount });
  if (why) return await wait(why);
  const wallet = await receiverNow(deps, { network, wallet: stored });
  const chain = deps.chains.of(network);
  const orphans = assigned.filter((row) => !isSweepable(row));
  const to = wallet.address;
  const facts = { network, chain, sweep, currency, address, to, deposits, orphans, amount };
  await moveMoney(deps, facts);
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
  deps: Deps,
  { sweep, currency, address, wallet, amount }: Wanted,
): Promise<SweepReason | undefined> {
  const isOurs = await isNewestReceiver(deps, wallet) &&
    await isGenuine(deps, Addresses, address) && await isGenuine(deps, Sweeps, sweep);
  if (!isOurs) return { code: "tampered", reason: "its rows were tampered with" };
  const { haltedReason } = address;
  if (haltedReason !== null) return { code: "wallet_halted", reason: haltedReason };
  const { sweepMinAmount, contractAddress, symbol } = currency;
  if (amount.isLessThan(Amount.parse(sweepMinAmount, amount.asset))) {
    const reason = `${amount} is less than the sweep minimum ${sweepMinAmount}`;
    return { code: "below_minimum", reason };
  }
  if (contractAddress === null) return undefined;
  const parked = await parkedSweeps(deps.db, sweep);
  if (Math.max(parked.own, parked.accounts) < PARKED_MAX) return undefined;
  const reason = `sweeps of ${symbol} are paused: ${PARKED_MAX} of them are parked`;
  return { code: "others_parked", reason };
}
