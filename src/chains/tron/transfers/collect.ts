import { invariant } from "../../../base/assert.ts";
import { first, zip } from "../../../base/lists.ts";
import type { EnergyRate } from "../../../domain/energy.ts";
import { planLoans } from "../../../domain/energy_loans.ts";
import type { Collected, CollectOrder, FirstOnes, FuelSource, Role } from "../../collect.ts";
import { NodeError } from "../../faults.ts";
import type { Pool } from "../../pool/endpoints.ts";
import { mapBounded } from "../../pool/map_bounded.ts";
import type { PreparedTransfer } from "../../transfer.ts";
import {
  type Account,
  accountOn,
  agreedPrices,
  type Prices,
  type Resources,
  resourcesOn,
} from "../account.ts";
import { hexOfAddress } from "../address.ts";
import { lendableOn } from "../energy.ts";
import type { TronNode } from "../node.ts";
import { solidOn } from "../refs.ts";
import { bandwidthFee, burnedFor, bytesOnChain } from "./costs.ts";
import { stakeBetween } from "./prepare_stake.ts";
import { prepareDrain } from "./prepare_drain.ts";
import { coinsBetween, tokensBetween, tryTokens } from "./prepare_transfer.ts";
import type { TronDetail } from "./transaction.ts";

interface Collector {
  readonly pool: Pool<TronNode>;
  readonly firsts: FirstOnes;
  /** By token and receiver who has some: what the last transfer burned. */
  readonly usual: Map<string, bigint>;
}

/** There are no bodies of several questions. */
const AT_ONCE = 16;
/** A token's transfer has 345. */
const BYTES_MAX = 346n;
const NOTHING: Resources = { freeBandwidth: 0n, stakedBandwidth: 0n, energy: 0n };

/** One by one: each by a transfer of its own, after coins to burn if it holds too few. */
export async function collect(
  { pool, firsts, usual }: Collector,
  orders: readonly CollectOrder[],
  { fuel }: { fuel?: FuelSource | undefined },
): Promise<readonly Collected[]> {
  const late = await lateCoins(pool, orders);
  const isToken = orders.some(({ contract }) => contract !== null);
  const prices = isToken ? await agreedPrices(pool) : undefined;
  const shared = prices && await pool.read((node) => sharedOn(node, { prices, fuel }));
  return await firsts.run(orders, (part, roles) =>
    mapBounded(zip(part, roles), {
      concurrencyMax: AT_ONCE,
      work: async ([order, role]): Promise<Collected> => {
        try {
          const { contract } = order;
          if (late.has(order)) return { kind: "wait" };
          if (contract === null || !shared) return await collectCoins(pool, order);
          const work = { order: { ...order, contract }, role, shared, fuel, usual };
          return await pool.read((node) => collectTokens(node, work));
        } catch (error) {
          if (error instanceof NodeError) return { kind: "unanswered", error };
          throw error;
        }
      },
    }));
}

/**
 * Coins for an account that doesn't exist yet pay for it. Of several, one goes first: the others
 * would keep as much, and the chain wouldn't take it from them.
 */
async function lateCoins(
  pool: Pool<TronNode>,
  orders: readonly CollectOrder[],
): Promise<ReadonlySet<CollectOrder>> {
  const coins = orders.filter(({ contract }) => contract === null);
  const shared = [...Map.groupBy(coins, ({ to }) => to)].filter(([, some]) => some.length > 1);
  const late = await Promise.all(shared.map(async ([to, [, ...others]]) => {
    const isThere = await pool.read((node) => accountOn(node, { address: hexOfAddress(to) }))
      .catch((error) => {
        if (error instanceof NodeError) return undefined;
        throw error;
      });
    return isThere ? [] : others;
  }));
  return new Set(late.flat());
}

/** What is the same for all: a final block stays final, and prices change by vote. */
interface Shared {
  readonly prices: Prices;
  readonly refBlock: TronDetail["refBlock"];
  readonly source: {
    readonly account: Account | undefined;
    readonly resources: Resources;
    readonly rate: EnergyRate;
    /** Less with every loan that is planned. */
    lendableRaw: bigint;
  } | null;
}

async function sharedOn(
  node: TronNode,
  { prices, fuel }: { prices: Prices; fuel: FuelSource | undefined },
): Promise<Shared> {
  const from = fuel && hexOfAddress(fuel.from);
  const [{ height, hash }, account, resources, lendable] = await Promise.all([
    solidOn(node),
    from ? accountOn(node, { address: from }) : undefined,
    from ? resourcesOn(node, from) : undefined,
    from ? lendableOn(node, from) : undefined,
  ]);
  const source = resources && lendable ? { account, resources, ...lendable } : null;
  return { prices, refBlock: { height, hash }, source };
}

/** Coins pay their own fee. */
async function collectCoins(
  pool: Pool<TronNode>,
  { from, to, amountRaw: amountMaxRaw, held, price }: CollectOrder,
): Promise<Collected> {
  const request = { from, to, amountMaxRaw, spendableRaw: held.nativeRaw };
  const preflight = await prepareDrain(pool, { request, price });
  if (preflight.kind === "refused") return preflight;
  return ready(held, preflight.prepared, preflight.prepared.feeAtMostRaw);
}

function ready(
  held: CollectOrder["held"],
  prepared: PreparedTransfer,
  costAtMostRaw: bigint,
): Collected {
  const state = { ...held, nonce: held.atMs ?? 0, hasCode: false };
  return { kind: "ready", prepared, state, costAtMostRaw };
}

/**
 * What is to be burned is known to the sun. A little more is sent, and nothing for the price of
 * energy, which only a vote changes.
 */
async function collectTokens(
  node: TronNode,
  { order, role, shared, fuel, usual }: {
    order: CollectOrder & { readonly contract: string };
    role: Role;
    shared: Shared;
    fuel: FuelSource | undefined;
    usual: Map<string, bigint>;
  },
): Promise<Collected> {
  const { from, to, contract, amountRaw, held, price } = order;
  const key = `${contract}/${to}`;
  const isLater = role.kind === "after" &&
    (role.holder === undefined || held.nativeRaw >= (usual.get(key) ?? held.nativeRaw + 1n));
  if (isLater) return { kind: "wait" };
  const goal = role.kind === "after" ? role.holder! : to;
  const request = { from, to: goal, contract, amountRaw };
  const [sender, trial] = await Promise.all([
    accountOn(node, { address: hexOfAddress(from) }),
    tryTokens(node, { ...request, to: hexOfAddress(goal) }),
  ]);
  const { prices, refBlock } = shared;
  // Who can pay for everything has to have nothing free.
  const isEnough = trial.kind === "answered" && sender !== undefined &&
    held.nativeRaw >= trial.energy * prices.perEnergyRaw + BYTES_MAX * prices.perByteRaw;
  const resources = sender && !isEnough ? await resourcesOn(node, hexOfAddress(from)) : NOTHING;
  const ends = { sender, resources, prices, refBlock };
  const preflight = tokensBetween(ends, { request, price, trial });
  if (preflight.kind === "refused") return preflight;
  const { prepared } = preflight;
  invariant(trial.kind === "answered", "A failed trial was refused");
  const { energy } = trial;
  const bytes = bytesOnChain(prepared.detail as TronDetail);
  const costAfter = (others: number) =>
    burnedFor(energy, { resources, prices, others }) +
    bandwidthFee(bytes, { resources, prices, others });
  const costRaw = costAfter(0);
  if (role.kind !== "first") usual.set(key, costRaw);
  const costAtMostRaw = prepared.feeAtMostRaw;
  if (held.nativeRaw >= costRaw && sender) {
    if (role.kind === "after") return { kind: "wait" };
    const costs = { nativeCostMaxRaw: costRaw, nativeCostAfter: costAfter, feeAtMostRaw: costRaw };
    return ready(held, { ...prepared, ...costs }, costAtMostRaw);
  }
  const missingRaw = higher(withSlack(costRaw) - held.nativeRaw, 1n);
  if (!fuel || !shared.source) return { kind: "fuel", missingRaw, costAtMostRaw };
  const loan = sender && lend(shared, {
    fuel,
    to: from,
    energy: prepared.charge.gas,
    resources,
  });
  const between = {
    sender: shared.source.account,
    resources: shared.source.resources,
    receiver: sender,
    prices,
    refBlock,
  };
  const sent = { from: fuel.from, to: from, contract: null, amountRaw: missingRaw };
  const coins = coinsBetween(between, { request: sent, price: fuel.price });
  const next = { kind: "fuel", missingRaw, fuel: coins } as const;
  return loan
    ? { ...next, costAtMostRaw: 2n * loan.feeAtMostRaw, loan }
    : { ...next, costAtMostRaw };
}

/** Undefined if coins have to be burned. */
function lend(
  { source, prices, refBlock }: Shared,
  { fuel, to, energy, resources: { energy: limit, energyOverused: used = 0n } }: {
    fuel: FuelSource;
    to: string;
    energy: bigint;
    resources: Resources;
  },
): PreparedTransfer | undefined {
  if (!source?.account) return undefined;
  const need = { address: to, energy, quota: { limit, used } };
  const plan = first(planLoans([need], source));
  if (plan.kind !== "lend") return undefined;
  const { amountRaw } = plan;
  const order = { kind: "lend", from: fuel.from, to, amountRaw } as const;
  const ends = { resources: source.resources, prices, refBlock };
  const preflight = stakeBetween(ends, { order, price: fuel.price });
  if (preflight.kind === "refused") return undefined;
  source.lendableRaw -= amountRaw;
  return preflight.prepared;
}

/** A fiftieth more. */
function withSlack(raw: bigint): bigint {
  return (raw * 51n + 49n) / 50n;
}

function higher(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
