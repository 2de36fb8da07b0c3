import { present } from "../base/assert.ts";
import { sleep } from "../base/clock.ts";
import { at, first, one, zip } from "../base/lists.ts";
import { once } from "../base/once.ts";
import { raiseAlert } from "../books/alerts.ts";
import { genuine } from "../books/tampered.ts";
import type { WalletState } from "../chains/chain.ts";
import type { BroadcastResult, Preflight, PreparedTransfer } from "../chains/transfer.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay, CannotPayYet, refusedBy } from "../domain/cannot_pay.ts";
import { type CurrencyRow, type NetworkRow, Networks } from "../networks/table.ts";
import { UniqueConflict } from "../store/engine/workspace.ts";
import { type Authority, authorityOf, type NewPayment } from "./authorise.ts";
import { gasTargetOf } from "./gas_target.ts";
import { type PlaceRule, placesOf } from "./places.ts";
import { checkCharge } from "./preflight.ts";
import { bidsFor } from "./reads/claims.ts";
import { type CodeRecord, refusalOfCode } from "./rules/code_payments.ts";
import type { Signer } from "./rules/signer.ts";
import { AlreadyMoved, saveSigned, type SigningOrder } from "./save_signed.ts";
import { broadcastInFamily } from "./send.ts";
import type { Signed } from "./table.ts";
import { signerOf } from "../wallets/addresses.ts";
import {
  checkFunds,
  checkGasStays,
  checkNotDelegated,
  Commitments,
  type Unmined,
} from "../wallets/funds.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";
import { codeRecords } from "../withdrawals/reads/recipients.ts";

const DAY_MS = 24 * 3_600_000;

const NOTHING: CodeRecord = { waiting: 0, paid: 0, failed: 0 };

const REFUSALS = {
  recipient:
    "Earlier payments to this recipient's contract are not in a block yet: try again later",
  account: "Too many payments to contracts have failed or are not in a block yet: try again later",
};

/** Several instances may want a wallet's next place at once; in the worst case that takes seconds. */
const RACES_MAX = 40;
const RACE_PAUSE_MAX_MS = 150;

interface Job {
  readonly deps: Deps;
  readonly order: SigningOrder;
  readonly authority: Authority;
  /** The last block that was seen says too little: the newest one is asked about. */
  readonly isFresh: boolean;
}

/**
 * Assigns a place, signs the transfer and saves the bytes. Concurrent orders for one wallet are
 * signed together from one look at the chain; a unique index keeps other processes out.
 */
export async function signTransfer(deps: Deps, order: SigningOrder): Promise<JustSigned> {
  const authority = await authorityOf(deps, order);
  let isFresh = false;
  const wallet = `${order.network.code}/${order.wallet.address}`;
  for (let race = 1;; race++) {
    try {
      const job = { deps, order, authority, isFresh };
      // If the worker has lost its job, its own transfers fail and the API's don't.
      const queued = { job, work: signTogether, owner: deps.db };
      return await deps.memory.signingQueues.run(wallet, queued);
    } catch (error) {
      // The wallet may have been filled since the last block that was seen.
      const isPoor = error instanceof CannotPay &&
        (error.lack === "coins" || error.lack === "tokens");
      if (isPoor && !isFresh) {
        isFresh = true;
        continue;
      }
      if (!(error instanceof UniqueConflict)) throw error;
      // Whoever took the place fills the gap.
      if (order.place !== undefined) throw new AlreadyMoved("The place is taken", { cause: error });
      if (race === RACES_MAX) {
        throw new CannotPay("The wallet's next nonce is held by another transfer: try again");
      }
      await sleep(Math.random() * Math.min(RACE_PAUSE_MAX_MS, 10 * race));
    }
  }
}

/** Of an order. */
export interface JustSigned extends Signed {
  /** Where others share the transaction: sends it for all of them. */
  readonly sendOnce?: () => Promise<BroadcastResult>;
}

/** Signs for one wallet. Each order may fail on its own, but if the chain doesn't answer, all fail. */
async function signTogether(
  jobs: readonly Job[],
): Promise<PromiseSettledResult<JustSigned>[]> {
  const { deps, order } = first(jobs);
  const { network, wallet, chain } = order;
  const places = placesOf(network);
  const prepared = jobs.map((job) => job.order.prepared);
  const known = await stateOf(jobs) ?? await askedState(jobs);
  const state = await places.check(deps, { network, wallet, chain, state: known.state });
  const signing = { network, wallet, chain, state };
  const underWay = state === known.state
    ? known.underWay
    : await places.underWay(deps.db, { ...signing, prepared });
  const catalog = await deps.catalog.current();
  const currencyOf = (contract: string | null) =>
    present(catalog.currencyByContract(network.code, contract), "Currencies stay");
  const signer = signerOf(await deps.keyRing(), network, wallet);
  const [current, nextFree, toCode] = await Promise.all([
    currentNetwork(deps, network),
    places.nextFree(deps.db, signing),
    codePayments(deps, { wallet, prepared }),
  ]);
  const commitments = new Commitments(underWay);
  const lots = await lotsOf(jobs);
  const checked = await Promise.allSettled(lots.map(async ({ preflight }) => {
    if (preflight.kind === "refused") throw refusedBy(preflight);
    await checkCharge(deps, { network: current, chain, charge: preflight.prepared.charge });
    return preflight.prepared;
  }));
  const signed = await Promise.allSettled(
    zip(lots, checked).map(async ([lot, check]) => {
      if (check.status === "rejected") throw check.reason;
      // In order, before anything is awaited.
      const job = together(lot.jobs, afterOthers(check.value, commitments));
      const place = reserve(job.order, { state, commitments, nextFree, toCode, currencyOf });
      return await signAndSave(job, { place, signer, height: state.height });
    }),
  );
  const results = new Map<Job, PromiseSettledResult<JustSigned>>();
  for (const [lot, result] of zip(lots, signed)) {
    for (const [job, own] of zip(lot.jobs, await resultsOf(lot, result))) results.set(job, own);
  }
  return jobs.map((job) => present(results.get(job), "Each has a result"));
}

/** Orders for which one transaction is signed. */
interface Lot {
  readonly jobs: readonly Job[];
  readonly preflight: Preflight;
}

/** A bid spends what was spent before. */
async function lotsOf(jobs: readonly Job[]): Promise<readonly Lot[]> {
  const { chain } = first(jobs).order;
  const asIs = (job: Job): Lot => ({
    jobs: [job],
    preflight: { kind: "ready", prepared: job.order.prepared },
  });
  if (!chain.allot) return jobs.map(asIs);
  const [fresh, bids] = [
    jobs.filter(({ order }) => !order.outbids),
    jobs.filter(({ order }) => order.outbids),
  ];
  const allotted = await chain.allot(fresh.map(({ order }) => order.prepared));
  return [
    ...bids.map(asIs),
    ...allotted.map(({ orders, preflight }) => ({
      jobs: orders.map((i) => at(fresh, i)),
      preflight,
    })),
  ];
}

/** As one order; each has its own payment, whose money only it may claim. */
function together(jobs: readonly Job[], prepared: PreparedTransfer): Job {
  const job = first(jobs);
  if (jobs.length === 1) return { ...job, order: { ...job.order, prepared } };
  const orders = jobs.map(({ order }) => order);
  const payments = orders.map(({ prepared, payments }): NewPayment => {
    const { from, to, contract, amountRaw } = prepared.request;
    return { ...one(payments), part: { from, to, contract, amountRaw } };
  });
  const authorities = jobs.map(({ authority }) => authority);
  return {
    ...job,
    order: {
      ...job.order,
      prepared,
      payments,
      reads: orders.flatMap(({ reads = [] }) => reads),
      claim: (view, { tx, payments }) => {
        for (const [{ claim }, payment] of zip(orders, payments)) {
          claim?.(view, { tx, payments: [payment] });
        }
      },
    },
    authority: {
      reads: authorities.flatMap(({ reads }) => reads),
      check: (view) => {
        for (const { check } of authorities) check(view);
      },
    },
  };
}

/** If one of several stands in the way, nothing was saved, and each is signed by itself. */
async function resultsOf(
  { jobs }: Lot,
  result: PromiseSettledResult<JustSigned>,
): Promise<PromiseSettledResult<JustSigned>[]> {
  if (jobs.length === 1) return [result];
  if (result.status === "rejected") {
    const results: PromiseSettledResult<JustSigned>[] = [];
    for (const job of jobs) results.push(...await Promise.allSettled([signAlone(job)]));
    return results;
  }
  const { tx, payments } = result.value;
  const { deps, order: { network, chain } } = first(jobs);
  const sendOnce = once(() => broadcastInFamily(deps, { network, chain, tx }));
  return payments.map((payment) => ({
    status: "fulfilled",
    value: { tx, payments: [payment], sendOnce },
  }));
}

async function signAlone(job: Job): Promise<JustSigned> {
  const result = one(await signTogether([job]));
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

interface Known {
  readonly state: WalletState;
  readonly underWay: readonly Unmined[];
}

/**
 * What was read with the order will do if the wallet has nothing else to pay: nothing that others
 * sign for it then is missing in the sum, as it is for a payment among several. Undefined: a node
 * has to be asked.
 */
async function stateOf(jobs: readonly Job[]): Promise<Known | undefined> {
  const { deps, order: { network, wallet, chain, state, prepared }, isFresh } = first(jobs);
  if (jobs.length > 1 || !state || isFresh) return undefined;
  const asked = { network, wallet, chain, state, prepared: [prepared] };
  const underWay = await placesOf(network).underWay(deps.db, asked);
  return underWay.length === 0 ? { state, underWay } : undefined;
}

async function askedState(jobs: readonly Job[]): Promise<Known> {
  const { deps, order: { network, wallet, chain } } = first(jobs);
  const prepared = jobs.map(({ order }) => order.prepared);
  const contracts = prepared.flatMap(({ request: { contract } }) => contract ?? []);
  const state = await chain.walletState(wallet.address, [...new Set(contracts)], {
    isForSigning: !jobs.some(({ isFresh }) => isFresh),
  });
  const signing = { network, wallet, chain, state, prepared };
  return { state, underWay: await placesOf(network).underWay(deps.db, signing) };
}

/** Another program may have lowered a limit since it was prepared. */
async function currentNetwork(deps: Deps, { code }: NetworkRow): Promise<NetworkRow> {
  const row = await deps.db.get(Networks, [code]);
  await genuine(deps, Networks, [row]);
  return row;
}

/** Others tried at the same time may have counted on the same unused bandwidth. */
function afterOthers(prepared: PreparedTransfer, { size }: Commitments): PreparedTransfer {
  const { nativeCostAfter, nativeCostMaxRaw } = prepared;
  return { ...prepared, nativeCostMaxRaw: nativeCostAfter?.(size) ?? nativeCostMaxRaw };
}

/** Chooses the place. From here on its money is committed, also for the others of its batch. */
function reserve(
  { network, wallet, chain, prepared, payments, outbids, place: given }: SigningOrder,
  { state, commitments, nextFree, toCode, currencyOf }: {
    state: WalletState;
    commitments: Commitments;
    nextFree: PlaceRule;
    toCode: CodePayments;
    currencyOf: (contract: string | null) => CurrencyRow;
  },
): number {
  const place = outbids?.tx.place ?? given ?? nextFree((one) => commitments.has(one));
  const { contract, amountRaw } = prepared.request;
  const taken = {
    place,
    nativeCostMaxRaw: prepared.nativeCostMaxRaw.toString(),
    tokens: contract === null ? [] : [{ contract, amountRaw: amountRaw.toString() }],
  };
  if (chain.allot) {
    // It has its own coins, which the balance may no longer contain.
    commitments.add(taken);
    return place;
  }
  const funds = { wallet, state, commitments };
  if (!outbids) checkNotDelegated(funds);
  checkFunds({ ...funds, without: outbids?.tx.place, prepared, currencyOf });
  if (payments.some(({ purpose }) => purpose === "withdrawal") && !outbids) {
    checkGasStays({ ...funds, prepared, targetRaw: gasTargetOf(network), currencyOf });
    toCode.add(prepared);
  }
  commitments.add(taken);
  return place;
}

async function signAndSave(
  { deps, order, authority }: Job,
  { place, signer, height }: { place: number; signer: Signer; height: number },
): Promise<Signed> {
  const { chain, prepared, outbids, authorizers = new Map() } = order;
  const signed = await chain.signTransfer(prepared, { nonce: place, signer, authorizers });
  const rivals = outbids ? await bidsFor(deps.db, outbids.tx) : [];
  return await saveSigned(deps, { ...order, authority, signed, rivals, height });
}

/** A wallet's past payments to code, plus those of the current batch as they are added. */
interface CodePayments {
  /** Counts the payment, or throws if it is one too many. */
  add(prepared: PreparedTransfer): void;
}

async function codePayments(
  deps: Deps,
  { wallet, prepared }: { wallet: AddressRow; prepared: readonly PreparedTransfer[] },
): Promise<CodePayments> {
  if (!prepared.some(({ callsCode }) => callsCode)) return { add: () => {} };
  const { network, address: sender } = wallet;
  const sinceMs = deps.clock.nowMs() - DAY_MS;
  const records = await codeRecords(deps.db, { network, sender, sinceMs });
  return {
    add: ({ request: { to }, callsCode }) => {
      if (!callsCode) return;
      const refusal = refusalOfCode(records, to);
      if (refusal === "account") void alertUnproven(deps, wallet);
      if (refusal) throw new CannotPayYet(REFUSALS[refusal]);
      const record = records.get(to) ?? NOTHING;
      records.set(to, { ...record, waiting: record.waiting + 1 });
    },
  };
}

async function alertUnproven(deps: Deps, { accountId, network }: AddressRow): Promise<void> {
  const alert = {
    kind: "recipient_failing",
    subject: `account:${accountId} network:${network}`,
    ...accountId === null ? {} : { accountId },
    message: `Account ${accountId} pays too many contracts on ${network} that have never taken a ` +
      "payment before: further ones are refused until those are in a block, or for 24 hours " +
      "where they failed",
  } as const;
  await raiseAlert(deps, alert).catch((error) =>
    deps.log.warn("no alert could be written", { error })
  );
}
