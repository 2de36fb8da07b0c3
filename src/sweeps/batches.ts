import { moveSweep, releaseDeposits, releaseUncredited } from "../books/move_sweep.ts";
import { insertOutgoing } from "../books/transaction_rows.ts";
import type { Chain } from "../chains/chain.ts";
import type {
  BatchOrder,
  ChainCollector,
  Collector,
  Delegated,
  Delegating,
} from "../chains/collecting.ts";
import type { PreparedTransfer } from "../chains/transfer.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay, refusedBy } from "../domain/cannot_pay.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { present } from "../base/assert.ts";
import { zip } from "../base/lists.ts";
import { collectWaitOf } from "../networks/collecting.ts";
import { familyOf } from "../chains/registry.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import type { NetworkRow } from "../networks/table.ts";
import { NodeError } from "../chains/faults.ts";
import { alertRead, closeAlert, gasMissingOf, raiseAlert } from "../books/alerts.ts";
import { NotSignedYet } from "../books/stopped.ts";
import { filterGenuine } from "../books/tampered.ts";
import { type AccountRow, Accounts } from "../accounts/tables/accounts.ts";
import { accountsWithCoin } from "../collectors/reads.ts";
import { usableCollector } from "../collectors/usable.ts";
import { gasWalletOf } from "../wallets/reads/addresses.ts";
import { readAll, type View } from "../store/engine/workspace.ts";
import type { Step } from "./_step.ts";
import { withoutTampered } from "./_genuine.ts";
import { isSweepable, isWorthIt, type Sweeping } from "./_sweeping.ts";
import { claimedOf } from "./reads/collecting.ts";
import { postpone } from "./steps.ts";
import { Sweeps } from "./table.ts";
import { preflightBatch } from "../transfers/preflight.ts";
import { AlreadyMoved } from "../transfers/save_signed.ts";
import { gasMissing } from "../transfers/top_up.ts";
import { sendTransfer } from "../transfers/send.ts";
import { signTransfer } from "../transfers/sign.ts";
import { signingNonces } from "../transfers/signing_nonces.ts";
import type { SignedPaymentRow, SignedTransactionRow } from "../transfers/table.ts";
import { signersOf } from "../wallets/addresses.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";

/** Where batches are collected: the gas wallet's own contract, checked on the chain. */
export interface BatchPlace {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly gasWallet: AddressRow;
  readonly collector: Collector;
  /** Earlier ones of ours: what delegates to them delegates anew. */
  readonly older: readonly Collector[];
  /** Accounts that let addresses with coins of their own delegate, and know what it means. */
  readonly delegatingAccounts: ReadonlySet<number>;
  /** Only if that is cheaper than one by one. */
  readonly isCheapest?: boolean;
}

export type { Sweeping };

interface Candidate {
  readonly sweeping: Sweeping;
  readonly order: BatchOrder;
}

interface Collected {
  /** What isn't in the batch, and is tried alone: it would fail, or its address can't delegate. */
  readonly alone: readonly Sweeping[];
  /** There was no room for them: the next batch takes them. */
  readonly later: readonly Sweeping[];
  /** The gas wallet can't pay for two together: that is what those for later wait for. */
  readonly missing?: CannotPay;
}

/** One alone is no batch. */
const FEWEST = 2;
/** By doubling from here, an order saves less than 5 % of its gas. */
const COMPANY_ENOUGH = 20;
/**
 * Percent of an order's share that it must be worth, pass by pass: without those that are left out,
 * each of the others costs a little more.
 */
const MARGINS = [100n, 125n, 200n];
/** Those that wait are looked at together. */
const COMPANY_EVERY_MS = 5_000;

/** Sweeps in batches what the network's mode sweeps in batches. The rest is left for one by one. */
export async function sweepTogether(
  step: Step,
  sweepings: readonly Sweeping[],
): Promise<readonly Sweeping[]> {
  const { deps, network } = step;
  const mode = network.collect ?? "single";
  if (mode === "single" || sweepings.length === 0) return sweepings;
  const place = await batchPlace(step, sweepings);
  if (!place) return sweepings;
  const ready = mode === "batch" ? sweepings : await withCompany(step, sweepings);
  if (ready.length === 0) return [];
  try {
    const { result, tampered } = await withoutTampered(
      ready,
      (left) => collectTogether(deps, { place, sweepings: left }),
    );
    const { later, missing } = result;
    const alone = [...tampered, ...result.alone];
    if (!missing || later.length === 0) return alone;
    return [...alone, ...await waitForGas(step, { sweepings: later, missing })];
  } catch (error) {
    const isLater = error instanceof NodeError || error instanceof CannotPay ||
      error instanceof AlreadyMoved || error instanceof NotSignedYet;
    if (!isLater) throw error;
    deps.log.warn("sweeps are not collected together now", {
      network: network.code,
      error: error.message,
    });
    return ready;
  }
}

/**
 * One by one they would cost more, of what is missing already. What an operator retries is tried
 * alone. Returns that.
 */
async function waitForGas(
  step: Step,
  { sweepings, missing }: { sweepings: readonly Sweeping[]; missing: CannotPay },
): Promise<readonly Sweeping[]> {
  const why = await gasMissing(step.deps, step.network, missing.message);
  const waiting = sweepings.filter((one) => !isRetried(one));
  await step.each(waiting, () => Promise.reject(why));
  return sweepings.filter(isRetried);
}

/** Undefined without a contract that is checked on the chain just now. */
async function batchPlace(
  { deps, network, chain }: Step,
  sweepings: readonly Sweeping[],
): Promise<BatchPlace | undefined> {
  try {
    const [found, gasWallet, accounts] = await Promise.all([
      usableCollector(deps, { network, chain }),
      gasWalletOf(deps.db, network.code),
      accountsOf(deps, sweepings),
    ]);
    if (found.kind === "none" || !gasWallet || gasWallet.haltedReason !== null) return undefined;
    const delegating = accounts.filter(({ delegatesNative }) => delegatesNative === true);
    const delegatingAccounts = new Set(delegating.map(({ id }) => id));
    const { collector } = found.current;
    const older = found.older.map((one) => one.collector);
    const isCheapest = network.collect === "auto";
    return { network, chain, gasWallet, collector, older, delegatingAccounts, isCheapest };
  } catch (error) {
    // A gas wallet whose row somebody changed was reported, and sends nothing.
    if (error instanceof NodeError || error instanceof TamperedRow) return undefined;
    throw error;
  }
}

async function accountsOf(
  deps: Deps,
  sweepings: readonly Sweeping[],
): Promise<readonly AccountRow[]> {
  const ids = [...new Set(sweepings.map(({ sweep }) => sweep.accountId))];
  const rows = await Promise.all(ids.map((id) => deps.db.get(Accounts, [id])));
  return await filterGenuine(deps, Accounts, rows);
}

/** In a larger batch each order costs less, so the first ones wait a while; what is retried doesn't. */
export async function withCompany(
  step: Step,
  sweepings: readonly Sweeping[],
): Promise<readonly Sweeping[]> {
  const { deps, network } = step;
  const nowMs = deps.clock.nowMs();
  const waitMs = collectWaitOf(network);
  const isOver = (one: Sweeping) => {
    const { createdAtMs } = one.sweep;
    return isRetried(one) || nowMs - createdAtMs >= waitMs || nowMs < createdAtMs;
  };
  if (sweepings.length >= COMPANY_ENOUGH || sweepings.some(isOver)) return sweepings;
  const forMs = COMPANY_EVERY_MS - nowMs % COMPANY_EVERY_MS;
  const reason = "others join it: together they cost less";
  await step.each(sweepings, async ({ sweep }) => {
    await postpone(deps, { sweep, code: "waits_for_company", reason, forMs });
    return undefined;
  });
  return [];
}

function isRetried({ sweep: { code } }: Sweeping): boolean {
  return code === "retried";
}

/**
 * Moves what many sweeps are due in one transaction of the gas wallet. Whatever could make it fail
 * is left out. Saved before it is sent, and sent once, like any other.
 */
export async function collectTogether(
  deps: Deps,
  { place, sweepings, pass = 0 }: {
    place: BatchPlace;
    sweepings: readonly Sweeping[];
    /** How often some were left out because their share would cost too much. */
    pass?: number;
  },
): Promise<Collected> {
  const collecting = place.chain.collector;
  if (!collecting) return { alone: sweepings, later: [] };
  const candidates = await heldBy(place, sweepings.filter(isTriedTogether));
  const delegates = await delegatesOf(place, { collecting, candidates });
  const areIn = (...states: readonly Delegated[]) =>
    candidates.filter(({ order }) => states.includes(delegates.get(order.from)!));
  await alertForeignCode(deps, { place, candidates: areIn("other") });
  const fresh = areIn("nothing", "older");
  const delegating = await newlyDelegating(deps, { place, candidates: fresh });
  const willDelegate = new Set(delegating.map(({ from }) => from));
  const ready = candidates.filter(({ order: { from } }) =>
    delegates.get(from) === "collector" || willDelegate.has(from)
  );
  if (ready.length < FEWEST) return { alone: sweepings, later: [] };
  const orders = ready.map(({ order }) => order);
  const { network, chain, collector } = place;
  const request = { collector, orders, delegating };
  const batch = await preflightBatch(deps, { network, chain, request });
  if (batch.kind === "refused") {
    const missing = refusedBy(batch);
    if (!missing.lacksCoins) throw missing;
    const later = ready.map(({ sweeping }) => sweeping).filter(isToken);
    return { alone: without(sweepings, later), later, missing };
  }
  const margin = MARGINS[pass];
  if (margin === undefined) return { alone: sweepings, later: [] };
  const share = batch.prepared.feeAtMostRaw * margin / 100n / BigInt(batch.orders.length);
  const chosen = new Set(batch.orders);
  const paysOff = ({ sweeping }: Candidate) =>
    isWorthIt(network, { ...sweeping, costAtMostRaw: share });
  const worthy = ready.filter((one) => !chosen.has(one.order) || paysOff(one));
  if (worthy.length < ready.length) {
    const again = worthy.map(({ sweeping }) => sweeping);
    const unworthy = sweepings.filter((one) => !again.includes(one));
    const rest = await collectTogether(deps, { place, sweepings: again, pass: pass + 1 });
    return { ...rest, alone: [...unworthy, ...rest.alone] };
  }
  const isChosen = ({ order }: Candidate) => chosen.has(order);
  if (place.isCheapest && !isCheaper(network, ready.filter(isChosen), batch.prepared)) {
    return { alone: sweepings, later: [] };
  }
  const deferred = new Set(batch.later);
  const byOrder = new Map(ready.map((one) => [one.order, one]));
  const taken = batch.orders.map((order) => present(byOrder.get(order), "It was asked about"));
  const asked = taken.map(({ sweeping }) => sweeping);
  const waiting = ready.filter(({ order }) => deferred.has(order)).map(({ sweeping }) => sweeping);
  const alone = without(sweepings, [...asked, ...waiting]);
  const missing = await signBatch(deps, { place, taken, prepared: batch.prepared });
  if (!missing) return { alone, later: waiting };
  if (asked.length <= FEWEST) {
    const left = [...asked, ...waiting];
    const later = left.filter(isToken);
    return { alone: [...alone, ...without(left, later)], later, missing };
  }
  const fewer = asked.slice(0, Math.max(FEWEST, Math.floor(asked.length / 2)));
  const rest = await collectTogether(deps, { place, sweepings: fewer });
  const left = [...rest.later, ...without(asked, fewer), ...waiting];
  const later = rest.missing ? left.filter(isToken) : left;
  return { ...rest, alone: [...alone, ...rest.alone, ...without(left, later)], later };
}

export function without(sweepings: readonly Sweeping[], others: readonly Sweeping[]): Sweeping[] {
  const left = new Set(others);
  return sweepings.filter((one) => !left.has(one));
}

/** By the gas that a sweep alone usually takes; tokens are also sent some. */
function isCheaper(
  { family }: NetworkRow,
  candidates: readonly Candidate[],
  { charge }: PreparedTransfer,
): boolean {
  const { coins, tokens } = familyOf(family).usualGas;
  const alone = candidates.reduce(
    (sum, { order: { contract } }) => sum + (contract === null ? coins : coins + tokens),
    0n,
  );
  return charge.gas < alone;
}

/** Coins pay their own way, whatever the gas wallet has. */
function isToken({ currency }: Sweeping): boolean {
  return currency.contractAddress !== null;
}

/** What failed in a batch would fail in the next one too, and cost its gas again and again. */
function isTriedTogether({ sweep: { batchFailures } }: Sweeping): boolean {
  return batchFailures === 0;
}

/** Those whose address holds what is due; what is missing is looked into alone. */
async function heldBy(
  { chain }: BatchPlace,
  sweepings: readonly Sweeping[],
): Promise<Candidate[]> {
  const orders = sweepings.map(({ address, to, currency, amount }) => ({
    from: address.address,
    to,
    contract: currency.contractAddress,
    amountRaw: amount.toRaw(currency.decimals),
    gasMax: currency.gasMax === null ? null : BigInt(currency.gasMax),
  }));
  const held = await chain.held(
    orders.map(({ from: address, contract }) => ({
      address,
      contracts: contract === null ? [] : [contract],
    })),
  );
  return zip(zip(sweepings, orders), held).flatMap(([[sweeping, order], own]) => {
    const { contract, amountRaw } = order;
    if (own instanceof NodeError || amountRaw === 0n) return [];
    const raw = contract === null ? own.nativeRaw : own.tokensRaw.get(contract) ?? 0n;
    return raw >= amountRaw ? [{ sweeping, order }] : [];
  });
}

async function delegatesOf(
  { collector, older }: BatchPlace,
  { collecting, candidates }: {
    collecting: ChainCollector;
    candidates: readonly Candidate[];
  },
): Promise<ReadonlyMap<string, Delegated>> {
  const addresses = [...new Set(candidates.map(({ order }) => order.from))];
  return new Map(zip(addresses, await collecting.delegatesOf({ collector, older, addresses })));
}

/** Only its key can have signed for that, so somebody else may have the key. */
async function alertForeignCode(
  deps: Deps,
  { place: { network: { code } }, candidates }: {
    place: BatchPlace;
    candidates: readonly Candidate[];
  },
): Promise<void> {
  const [first] = candidates;
  if (!first) return;
  const { address } = first.sweeping.address;
  await raiseAlert(deps, {
    kind: "foreign_delegate",
    subject: `network:${code}`,
    message:
      `${code}: the deposit address ${address} runs code that isn't ours, so its sweeps go ` +
      "alone. Only its key can have signed for that",
  });
}

/**
 * An address with code can't be paid with exactly 21,000 gas, so one that may be paid coins doesn't
 * delegate unless its account wants that. Nor does one whose nonce something signed has claimed:
 * only one of the two could be mined.
 */
async function newlyDelegating(
  deps: Deps,
  { place: { network, chain, delegatingAccounts }, candidates }: {
    place: BatchPlace;
    candidates: readonly Candidate[];
  },
): Promise<Delegating[]> {
  const accountIds = [...new Set(candidates.map(({ sweeping }) => sweeping.sweep.accountId))];
  const paidCoins = await accountsWithCoin(deps.db, {
    ...{ network: network.code, symbol: network.nativeSymbol, accountIds },
  });
  const wanted = candidates.filter(({ sweeping: { sweep: { accountId } } }) =>
    !paidCoins.has(accountId) || delegatingAccounts.has(accountId)
  );
  const addresses = [...new Set(wanted.map(({ order }) => order.from))];
  const nonces = await signingNonces(deps.db, { network: network.code, chain, addresses });
  const delegating = addresses.flatMap((from) => {
    const nonce = nonces.get(from);
    return nonce === undefined ? [] : [{ from, nonce }];
  });
  const claimOf = ({ from: sender, nonce }: Delegating) =>
    familyOf(network.family).claimOf({ sender, nonce }).claim;
  const claims = delegating.map(claimOf);
  const claimed = await claimedOf(deps.db, { network: network.code, claims });
  return delegating.filter((one) => !claimed.has(claimOf(one)));
}

/** Undefined if it is signed, otherwise what the gas wallet lacks for it. */
async function signBatch(
  deps: Deps,
  { place: { network, chain, gasWallet }, taken, prepared }: {
    place: BatchPlace;
    taken: readonly Candidate[];
    prepared: PreparedTransfer;
  },
): Promise<CannotPay | undefined> {
  const rows = taken.flatMap(({ sweeping: { deposits, orphans } }) => [...deposits, ...orphans]);
  const addresses = taken.map(({ sweeping: { address } }) => address);
  const authorizers = await signersOf(deps, { network, rows: addresses });
  const signing = signTransfer(deps, {
    network,
    wallet: gasWallet,
    chain,
    prepared,
    authorizers,
    payments: taken.map(({ sweeping: { sweep, address }, order: { to, contract, amountRaw } }) => ({
      purpose: "sweep",
      sweepId: sweep.id,
      part: { holder: address, from: address.address, to, contract, amountRaw },
    })),
    reads: [
      alertRead("gas_missing", gasMissingOf(network).subject),
      ...readAll(Sweeps, taken.map(({ sweeping: { sweep } }) => [sweep.id])),
      ...readAll(Transactions, rows.map(({ id }) => [id])),
    ],
    claim: (view, signed) => {
      const nowMs = deps.clock.nowMs();
      closeAlert(view, { ...gasMissingOf(network), nowMs });
      for (const [{ sweeping }, payment] of zip(taken, signed.payments)) {
        claimSweep(view, { sweeping, tx: signed.tx, payment, nowMs });
      }
    },
  });
  const signed = await signing.catch((error) => {
    if (error instanceof CannotPay && error.lacksCoins) return error;
    throw error;
  });
  if (signed instanceof CannotPay) return signed;
  const { tx } = signed;
  const result = await sendTransfer(deps, { chain, tx });
  const fields = { network: network.code, tx_hash: tx.txHash, sweeps: taken.length, result };
  deps.log.info("deposits swept together", fields);
  return undefined;
}

/** The sweep's step and the account's row, in the unit that saves the bytes. */
export function claimSweep(
  view: View,
  { sweeping, tx, payment, nowMs }: {
    sweeping: Sweeping;
    tx: SignedTransactionRow;
    payment: SignedPaymentRow;
    nowMs: number;
  },
): void {
  const { sweep, currency, to, deposits, orphans } = sweeping;
  const current = deposits.map(({ id }) => view.get(Transactions, [id]));
  const step = { id: sweep.id, trigger: "signed", deposits: current, nowMs } as const;
  if (!current.every(isSweepable) || !moveSweep(view, step)) throw new AlreadyMoved();
  releaseDeposits(view, { deposits: orphans, nowMs });
  // Or they would count as moved by it, if they are credited before it is final.
  releaseUncredited(view, orphans);
  const unit = { asset: assetOf(sweep), decimals: currency.decimals };
  insertOutgoing(view, {
    tx,
    payment,
    row: {
      accountId: sweep.accountId,
      currency: currency.symbol,
      direction: "sweep",
      toAddress: to,
      amount: Amount.fromRaw(BigInt(payment.amountRaw), unit).toString(),
      nowMs,
    },
  });
}
