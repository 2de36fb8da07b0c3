import { moveSweep, releaseDeposits } from "../books/move_sweep.ts";
import { insertOutgoing } from "../books/transaction_rows.ts";
import type { Chain } from "../chains/chain.ts";
import type {
  Authorization,
  ChainCollector,
  Collector,
  CollectOrder,
  DelegateState,
} from "../chains/collecting.ts";
import type { PreparedTransfer } from "../chains/transfer.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { refusedBy } from "../domain/cannot_pay.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { zip } from "../base/lists.ts";
import type { NetworkRow } from "../networks/table.ts";
import { readAll, type View } from "../store/engine/workspace.ts";
import { isSweepable, type Sweeping } from "./_sweeping.ts";
import { accountsWithCoin, claimedOf } from "./reads/collecting.ts";
import { Sweeps } from "./table.ts";
import { preflightBatch } from "../transfers/preflight.ts";
import { AlreadyMoved } from "../transfers/save_signed.ts";
import { sendTransfer } from "../transfers/send.ts";
import { signTransfer } from "../transfers/sign.ts";
import type { SignedPaymentRow, SignedTransactionRow } from "../transfers/table.ts";
import { signerOf } from "../wallets/addresses.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";

/** Where batches are collected: the gas wallet's own contract, checked on the chain. */
export interface BatchPlace {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly gasWallet: AddressRow;
  readonly collector: Collector;
  /** Accounts that let addresses with coins of their own delegate, and know what it means. */
  readonly delegatingAccounts: ReadonlySet<number>;
}

export type { Sweeping };

interface Candidate {
  readonly sweeping: Sweeping;
  readonly order: CollectOrder;
}

interface Collected {
  /** What isn't in the batch, and is tried alone: it would fail, or its address can't delegate. */
  readonly alone: readonly Sweeping[];
  /** There was no room for them: the next batch takes them. */
  readonly later: readonly Sweeping[];
}

/**
 * Moves what many sweeps are due in one transaction of the gas wallet. Whatever could make it fail
 * is left out. Saved before it is sent, and sent once, like any other.
 */
export async function collectTogether(
  deps: Deps,
  { place, sweepings }: { place: BatchPlace; sweepings: readonly Sweeping[] },
): Promise<Collected> {
  const collecting = place.chain.collector;
  if (!collecting) return { alone: sweepings, later: [] };
  const candidates = await heldBy(place, sweepings.filter(isTriedTogether));
  const states = await statesOf(place, { collecting, candidates });
  const may = await mayDelegate(deps, { place, candidates, states });
  const ready = candidates.filter(may);
  if (ready.length < 2) return { alone: sweepings, later: [] };
  const authorizations = await authorize(deps, { place, collecting, candidates: ready, states });
  const orders = ready.map(({ order }) => order);
  const { network, chain, collector } = place;
  const request = { collector, orders, authorizations };
  const batch = await preflightBatch(deps, { network, chain, request });
  if (batch.kind === "refused") throw refusedBy(batch);
  const chosen = new Set(batch.orders);
  const later = new Set(batch.later);
  const taken = ready.filter(({ order }) => chosen.has(order));
  await signBatch(deps, { place, taken, prepared: batch.prepared });
  const done = new Set(taken.map(({ sweeping }) => sweeping));
  const waiting = ready.filter(({ order }) => later.has(order)).map(({ sweeping }) => sweeping);
  const rest = new Set([...done, ...waiting]);
  return { alone: sweepings.filter((one) => !rest.has(one)), later: waiting };
}

/** What failed in a batch would fail in the next one too, and cost its gas again. */
function isTriedTogether({ sweep: { code } }: Sweeping): boolean {
  return code !== "failed_in_batch";
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
  }));
  const asked = orders.map(({ from, contract }) => ({ address: from, contract }));
  const held = await chain.balancesAt(await chain.tip(), asked);
  return zip(sweepings, orders).map(([sweeping, order]) => ({ sweeping, order }))
    .filter(({ order }, i) => order.amountRaw > 0n && held[i]! >= order.amountRaw);
}

async function statesOf(
  { collector }: BatchPlace,
  { collecting, candidates }: {
    collecting: ChainCollector;
    candidates: readonly Candidate[];
  },
): Promise<ReadonlyMap<string, DelegateState>> {
  const addresses = [...new Set(candidates.map(({ order }) => order.from))];
  return new Map(zip(addresses, await collecting.delegatesOf(collector, addresses)));
}

/**
 * An address with code can't be paid with exactly 21,000 gas, so one that may be paid coins doesn't
 * delegate unless its account wants that. Nor does one whose nonce something signed has claimed:
 * only one of the two could be mined.
 */
async function mayDelegate(
  deps: Deps,
  { place: { network, delegatingAccounts }, candidates, states }: {
    place: BatchPlace;
    candidates: readonly Candidate[];
    states: ReadonlyMap<string, DelegateState>;
  },
): Promise<(candidate: Candidate) => boolean> {
  const isNew = ({ order }: Candidate) => states.get(order.from)?.delegated === "nothing";
  const fresh = candidates.filter(isNew);
  const accountIds = [...new Set(fresh.map(({ sweeping }) => sweeping.sweep.accountId))];
  const claims = fresh.map(({ order: { from } }) => claimOf(from, states));
  const [paidCoins, claimed] = await Promise.all([
    accountsWithCoin(deps.db, { network: network.code, symbol: network.nativeSymbol, accountIds }),
    claimedOf(deps.db, { network: network.code, claims }),
  ]);
  return (candidate) => {
    const { order: { from }, sweeping: { sweep: { accountId } } } = candidate;
    const delegated = states.get(from)?.delegated;
    if (delegated !== "nothing") return delegated === "collector";
    const isWanted = !paidCoins.has(accountId) || delegatingAccounts.has(accountId);
    return isWanted && !claimed.has(claimOf(from, states));
  };
}

function claimOf(from: string, states: ReadonlyMap<string, DelegateState>): string {
  return `${from}/${states.get(from)?.nonce}`;
}

async function authorize(
  deps: Deps,
  { place: { network, collector }, collecting, candidates, states }: {
    place: BatchPlace;
    collecting: ChainCollector;
    candidates: readonly Candidate[];
    states: ReadonlyMap<string, DelegateState>;
  },
): Promise<Authorization[]> {
  const keyRing = await deps.keyRing();
  const addresses = new Map(
    candidates.map(({ sweeping: { address } }) => [address.address, address]),
  );
  const fresh = [...addresses.values()].flatMap((address) => {
    const state = states.get(address.address);
    return state?.delegated === "nothing" ? [{ address, nonce: state.nonce }] : [];
  });
  return await Promise.all(
    fresh.map(({ address, nonce }) =>
      collecting.authorize({ collector, nonce, signer: signerOf(keyRing, network, address) })
    ),
  );
}

async function signBatch(
  deps: Deps,
  { place: { network, chain, gasWallet }, taken, prepared }: {
    place: BatchPlace;
    taken: readonly Candidate[];
    prepared: PreparedTransfer;
  },
): Promise<void> {
  const rows = taken.flatMap(({ sweeping: { deposits, orphans } }) => [...deposits, ...orphans]);
  const { tx } = await signTransfer(deps, {
    network,
    wallet: gasWallet,
    chain,
    prepared,
    payments: taken.map(({ sweeping: { sweep, address }, order: { to, contract, amountRaw } }) => ({
      purpose: "sweep",
      sweepId: sweep.id,
      part: { from: address, to, contract, amountRaw },
    })),
    reads: [
      ...readAll(Sweeps, taken.map(({ sweeping: { sweep } }) => [sweep.id])),
      ...readAll(Transactions, rows.map(({ id }) => [id])),
    ],
    claim: (view, signed) => {
      for (const [{ sweeping }, payment] of zip(taken, signed.payments)) {
        claimSweep(view, { sweeping, tx: signed.tx, payment, nowMs: deps.clock.nowMs() });
      }
    },
  });
  const result = await sendTransfer(deps, { chain, tx });
  const fields = { network: network.code, tx_hash: tx.txHash, sweeps: taken.length, result };
  deps.log.info("deposits swept together", fields);
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
