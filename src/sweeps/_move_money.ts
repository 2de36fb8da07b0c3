import { invariant, present } from "../base/assert.ts";
import { zip } from "../base/lists.ts";
import { booksAt } from "../books/address_books.ts";
import type { SweepReason } from "../books/move_sweep.ts";
import type { Chain } from "../chains/chain.ts";
import type { Collected, CollectOrder, FuelSource } from "../chains/collect.ts";
import type { Held, HeldAsked } from "../chains/held.ts";
import { NodeError } from "../chains/faults.ts";
import type { Preflight } from "../chains/transfer.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount } from "../domain/money/amount.ts";
import type { NetworkRow } from "../networks/table.ts";
import { lendEnergy } from "../energy/lend.ts";
import { read, readAll } from "../store/engine/workspace.ts";
import type { Step } from "./_step.ts";
import { isWorthIt, type Sweeping } from "./_sweeping.ts";
import { claimSweep } from "./batches.ts";
import { dustWaitMs, LATER_MS, SOON_MS } from "./_waits.ts";
import { parkSweep, postpone } from "./steps.ts";
import { type SweepRow, Sweeps } from "./table.ts";
import { inWords, priceFor } from "../transfers/preflight.ts";
import { topUpOnItsWay } from "../transfers/reads/claims.ts";
import { topUpsOfSweep } from "../transfers/reads/transfers.ts";
import { sendTransfer } from "../transfers/send.ts";
import { signTransfer } from "../transfers/sign.ts";
import { paying, type SignedTransactionRow } from "../transfers/table.ts";
import { signTopUp } from "../transfers/top_up.ts";
import { gasWalletOf } from "../wallets/reads/addresses.ts";

const ON_ITS_WAY_MS = 15_000;
const TOP_UPS_PER_SWEEP_MAX = 5;

interface Movable extends Sweeping {
  readonly order: CollectOrder;
}

/** Signs the transfers that are possible and worth their price now, or sends gas for them. */
export async function moveMoney(step: Step, sweepings: readonly Sweeping[]): Promise<void> {
  const { deps, network, chain } = step;
  const held = await heldBy(step, sweepings);
  const movable = await step.each(sweepings, (sweeping) => ordered(step, { sweeping, held }));
  const orders = movable.map(({ order }) => order);
  const fuel = await fuelSource(step);
  const collected = await asked(() => chain.collect(orders, { fuel }), orders.length);
  const next = new Map(zip(movable, collected));
  const signed = await step.each(movable, (one) => takeOn(step, one, present(next.get(one), "")));
  await sendAll(deps, { network, chain, signed });
}

type Answers<T> = readonly (T | NodeError)[];

/** If no node answers, that is the answer to each. */
async function asked<T>(ask: () => Promise<Answers<T>>, count: number): Promise<Answers<T>> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return Array.from({ length: count }, () => error);
  }
}

interface Owned {
  readonly address: string;
  readonly contract: string | null;
}

type HeldBy = ReadonlyMap<string, Held | NodeError>;

/** By owner and currency: of the senders, and what receivers hold of tokens. */
async function heldBy({ chain }: Step, sweepings: readonly Sweeping[]): Promise<HeldBy> {
  const owners = new Map<string, HeldAsked>();
  for (const { address: { address }, to, currency: { contractAddress: contract } } of sweepings) {
    const contracts = contract === null ? [] : [contract];
    owners.set(keyOf(address, contract), { address, contracts });
    // Each token by itself: one that gives no answer stops no other.
    if (contract !== null) owners.set(keyOf(to, contract), { address: to, contracts });
  }
  const held = await asked(() => chain.held([...owners.values()]), owners.size);
  return new Map(zip([...owners.keys()], held));
}

function keyOf(address: string, contract: string | null): string {
  return `${contract}/${address}`;
}

function heldIn(held: HeldBy, { address, contract }: Owned): Held {
  const found = present(held.get(keyOf(address, contract)), "Each was asked");
  if (found instanceof NodeError) throw found;
  return found;
}

/** Undefined if the tokens aren't there; then the sweep waits or is parked. */
async function ordered(
  step: Step,
  { sweeping, held }: { sweeping: Sweeping; held: HeldBy },
): Promise<Movable | undefined> {
  const { network, chain } = step;
  const { currency: { contractAddress: contract, decimals }, address, to, amount } = sweeping;
  const own = heldIn(held, { address: address.address, contract });
  const receiverHoldsRaw = contract === null
    ? 0n
    : heldIn(held, { address: to, contract }).tokensRaw.get(contract) ?? 0n;
  const amountRaw = contract === null
    ? amount.toRaw(decimals)
    : await movableRaw(step, { ...sweeping, contract }, own.tokensRaw.get(contract) ?? 0n);
  if (amountRaw === undefined) return undefined;
  const price = await step.once(
    `price/${contract}`,
    () => priceFor(step.deps, { network, chain }, contract),
  );
  const order = {
    from: address.address,
    to,
    contract,
    amountRaw,
    held: own,
    receiverHoldsRaw,
    price,
  };
  return { ...sweeping, order };
}

async function fuelSource({ deps, network, chain }: Step): Promise<FuelSource | undefined> {
  const wallet = await gasWalletOf(deps.db, network.code);
  if (!wallet || wallet.haltedReason !== null) return undefined;
  try {
    return { from: wallet.address, price: await priceFor(deps, { network, chain }, null) };
  } catch (error) {
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}

/** What is signed now, if anything is. */
async function takeOn(
  step: Step,
  sweeping: Movable,
  next: Collected | NodeError,
): Promise<Sent | undefined> {
  if (next instanceof NodeError) throw next;
  if (next.kind === "unanswered") throw next.error;
  const { network, chain, deps } = step;
  const { sweep, amount, currency } = sweeping;
  const isToken = currency.contractAddress !== null;
  if (next.kind === "refused") {
    const told = await inWords(deps, { network, chain }, next);
    const forMs = isToken ? SOON_MS : dustWaitMs(deps, sweep);
    return void await waitAfter(step, { sweeping, refused: told, forMs });
  }
  if (next.kind === "wait") {
    const reason = `another sweep brings the receiving wallet its first ${currency.symbol}, and ` +
      "this one costs less after it";
    const forMs = network.pollIntervalMs;
    return void await postpone(deps, { sweep, code: "another_first", reason, forMs });
  }
  if (!isWorthIt(network, { ...sweeping, costAtMostRaw: next.costAtMostRaw })) {
    const reason = `moving ${amount} would cost too much ${isToken ? "now" : "of it now"}`;
    const forMs = dustWaitMs(deps, sweep);
    return void await postpone(deps, { sweep, code: "not_worth_it", reason, forMs });
  }
  if (next.kind === "fuel") return await signGas(step, { sweeping, next });
  return { what: "sweep", sweeping, tx: await signSweep(step, { sweeping, next }) };
}

/** Undefined if the tokens aren't there; then the sweep waits or is parked. */
async function movableRaw(
  step: Step,
  sweeping: Sweeping & { contract: string },
  heldRaw: bigint,
): Promise<bigint | undefined> {
  const { deps } = step;
  const { sweep, currency: { decimals }, address, amount } = sweeping;
  const amountRaw = amount.toRaw(decimals);
  const dueRaw = heldRaw < amountRaw ? await unmovedRaw(step, sweeping) : amountRaw;
  if (dueRaw <= 0n) {
    const reason = `an earlier sweep has moved ${amount}`;
    await postpone(deps, { sweep, code: "moved_before", reason, forMs: LATER_MS });
    return undefined;
  }
  if (heldRaw >= dueRaw) return dueRaw;
  const held = Amount.fromRaw(heldRaw, { asset: amount.asset, decimals });
  const reason = `${address.address} holds ${held}, its deposits came to ${amount}`;
  await parkSecondTime(step, sweeping, { code: "tokens_missing", reason });
  return undefined;
}

export async function waitAfter(
  step: Step,
  { sweeping, refused, forMs }: { sweeping: Sweeping; refused: Preflight; forMs: number },
): Promise<void> {
  invariant(refused.kind === "refused", "It stays what it was");
  const { cause, reason } = refused;
  const { sweep } = sweeping;
  if (cause === "reverts") return await parkSecondTime(step, sweeping, { code: cause, reason });
  await postpone(step.deps, { sweep, code: "refused", reason, forMs });
}

/**
 * According to the books, a deposit that was swept, taken back and mined again has already been
 * moved.
 */
async function unmovedRaw(
  { deps, network }: Step,
  { address, amount, currency, contract }: Sweeping & { contract: string },
): Promise<bigint> {
  const { addresses } = await booksAt(deps, { network: network.code, pick: { ids: [address.id] } });
  const bookedRaw = addresses[0]?.books.get(contract)?.creditedRaw ?? 0n;
  const amountRaw = amount.toRaw(currency.decimals);
  return bookedRaw < amountRaw ? bookedRaw : amountRaw;
}

/** A lagging node may be wrong once, so the sweep is parked only when the same reason comes again. */
async function parkSecondTime(
  { deps }: Step,
  sweeping: Sweeping,
  why: SweepReason,
): Promise<void> {
  const { sweep } = sweeping;
  if (sweep.code === why.code) return await parkSweep(deps, sweeping, why);
  await postpone(deps, { sweep, ...why, forMs: SOON_MS });
}

interface Sent {
  readonly what: "gas" | "energy" | "sweep";
  readonly sweeping: Movable;
  readonly tx: SignedTransactionRow;
}

async function signGas(
  { deps, network, chain }: Step,
  { sweeping, next }: { sweeping: Movable; next: Extract<Collected, { kind: "fuel" }> },
): Promise<Sent | undefined> {
  const { sweep, address, deposits } = sweeping;
  if (await topUpOnItsWay(deps.db, { network: network.code, address: address.address })) {
    const reason = "gas is on its way to the address";
    const why = { code: "gas_on_its_way", reason } as const;
    return void await postpone(deps, { sweep, ...why, forMs: ON_ITS_WAY_MS });
  }
  if (next.loan && timesLent(deps, sweep) < LOANS_PER_SWEEP_MAX) {
    const tx = await lendEnergy(deps, { network, chain, address, loan: next.loan });
    deps.memory.energyLent.set(sweep.id, timesLent(deps, sweep) + 1);
    const reason = "energy is being lent to the address";
    const why = { code: "gas_on_its_way", reason } as const;
    await postpone(deps, { sweep, ...why, forMs: network.pollIntervalMs });
    return { what: "energy", sweeping, tx };
  }
  if (await topUpsOfSweep(deps.db, sweep.id) >= TOP_UPS_PER_SWEEP_MAX) {
    const reason = `${TOP_UPS_PER_SWEEP_MAX} gas top-ups were not enough: the price outruns them`;
    return void await parkSweep(deps, sweeping, { code: "gas_not_enough", reason });
  }
  const target = { accountId: sweep.accountId, address: address.address };
  const owner = { sweep, deposits };
  const order = { network, chain, target, amountRaw: next.missingRaw, owner };
  const { tx } = await signTopUp(deps, { ...order, preflight: next.fuel });
  return { what: "gas", sweeping, tx };
}

/** What isn't enough again and again is burned instead: loans cost a little, too. */
const LOANS_PER_SWEEP_MAX = 3;

function timesLent({ memory }: Deps, { id }: SweepRow): number {
  return memory.energyLent.get(id) ?? 0;
}

/** Signs and saves the transfer, the sweep's step and the account's row in one unit. */
async function signSweep(
  { deps, network, chain }: Step,
  { sweeping, next }: { sweeping: Movable; next: Extract<Collected, { kind: "ready" }> },
): Promise<SignedTransactionRow> {
  const { sweep, address, deposits, orphans } = sweeping;
  const { tx } = await signTransfer(deps, {
    network,
    wallet: address,
    chain,
    prepared: next.prepared,
    state: next.state,
    payments: [{ purpose: "sweep", sweepId: sweep.id }],
    reads: [
      read(Sweeps, [sweep.id]),
      ...readAll(Transactions, [...deposits, ...orphans].map(({ id }) => [id])),
    ],
    claim: (view, signed) =>
      claimSweep(view, { sweeping, ...paying(signed), nowMs: deps.clock.nowMs() }),
  });
  return tx;
}

/** In order, so that no node sees a gap in the gas wallet's nonces. */
async function sendAll(
  deps: Deps,
  { network, chain, signed }: { network: NetworkRow; chain: Chain; signed: readonly Sent[] },
): Promise<void> {
  const inOrder = signed.toSorted((a, b) => a.tx.place - b.tx.place);
  await Promise.all(inOrder.map(async ({ what, sweeping: { sweep, address }, tx }) => {
    const result = await sendTransfer(deps, { chain, tx });
    const fields = { network: network.code, tx_hash: tx.txHash, result };
    if (what === "energy") deps.log.info("energy lent", { ...fields, address: address.address });
    else if (what === "gas") {
      deps.log.info("gas topped up", { ...fields, address: address.address });
    } else deps.log.info("deposits swept", { ...fields, sweep_id: sweep.id });
  }));
}
