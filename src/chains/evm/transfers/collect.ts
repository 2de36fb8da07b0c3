import { present } from "../../../base/assert.ts";
import { at, chunksOf, zip } from "../../../base/lists.ts";
import type { Collected, CollectOrder, FirstOnes, FuelSource, Role } from "../../collect.ts";
import { NodeError } from "../../faults.ts";
import { mapBounded } from "../../pool/map_bounded.ts";
import { aboveFeeMax, type PriceOptions } from "../../price.ts";
import type { Preflight, TransferRefused, TransferRequest } from "../../transfer.ts";
import { hexBytes, hexOf, safeNumber } from "../decode.ts";
import type { Endpoints } from "../endpoints.ts";
import { resultOf, type RpcItem } from "../../pool/json/rpc_reply.ts";
import type { Rpc, RpcCall } from "../rpc.ts";
import { baseOf, callOf, callsFor, rehearsalCall } from "./_trial_calls.ts";
import { chargeOf, gasFor, priceDetail } from "./cost.ts";
import { type Fee, priceOffered } from "./fees.ts";
import type { GasMarket, PricedNode } from "./gas_market.ts";
import { dataFeeMax } from "./op_stack_fee.ts";
import { prepareDrain } from "./prepare_drain.ts";
import { prepareTransfer } from "./prepare_transfer.ts";
import { gasOf, refusalOf, refusalOfAnswer, reverts } from "./trial.ts";
import { type EvmDetail, signedBytesMax } from "./unsigned.ts";

interface Collector {
  readonly endpoints: Endpoints;
  readonly node: PricedNode;
  readonly firsts: FirstOnes;
  /** By token and receiver who has some: what the last transfer took. */
  readonly usual: Map<string, TokenGas>;
}

interface TokenGas {
  readonly gas: bigint;
  /** Of the same call to nobody: the rest is used by the token. */
  readonly baseGas: bigint;
}

interface Job {
  readonly order: CollectOrder;
  readonly request: TransferRequest;
  readonly role: Role;
}

const ALONE_AT_ONCE = 8;
/** With three calls each, plus the shared ones, this is what every node accepts in one body. */
const TOGETHER_MAX = 30;
const BODIES_AT_ONCE = 4;

/** One by one: each by a transfer of its own, after coins for its gas if it holds too few. */
export async function collect(
  collector: Collector,
  orders: readonly CollectOrder[],
  { fuel }: { fuel?: FuelSource | undefined },
): Promise<readonly Collected[]> {
  const tokens = orders.filter(({ contract }) => contract !== null);
  const coins = orders.filter(({ contract }) => contract === null);
  const [collected, drained] = await Promise.all([
    collector.firsts.run(
      tokens,
      (part, roles) => collectTokens(collector, { orders: part, roles, fuel }),
    ),
    collectCoins(collector, coins),
  ]);
  const all = new Map([...zip(tokens, collected), ...zip(coins, drained)]);
  return orders.map((order) => all.get(order)!);
}

/** Coins pay their own fee. */
async function collectCoins(
  { endpoints, node }: Collector,
  orders: readonly CollectOrder[],
): Promise<Collected[]> {
  return await mapBounded(orders, {
    concurrencyMax: ALONE_AT_ONCE,
    work: (order) =>
      unlessUnanswered(async () => {
        const { from, to, amountRaw: amountMaxRaw, held: { nativeRaw: spendableRaw } } = order;
        const request = { from, to, amountMaxRaw, spendableRaw };
        const preflight = await prepareDrain(node, { request, price: order.price });
        if (preflight.kind === "refused") return preflight;
        const items = await endpoints.read((rpc) => rpc.batch([nonceCall(order)]));
        const { prepared } = preflight;
        const nonce = safeNumber(resultOf(items[0]), "a nonce");
        const costAtMostRaw = prepared.feeAtMostRaw;
        return {
          kind: "ready",
          prepared,
          state: { ...order.held, nonce },
          costAtMostRaw,
        };
      }),
  });
}

async function unlessUnanswered(work: () => Promise<Collected>): Promise<Collected> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NodeError) return { kind: "unanswered", error };
    throw error;
  }
}

/** At the block of the balances, so that all that is signed from there on isn't in them. */
function nonceCall({ from, held }: CollectOrder): RpcCall {
  return { method: "eth_getTransactionCount", params: [from, hexOf(held.height)] };
}

/**
 * What a token's transfer takes is remembered, so that an address with enough coins needs one
 * trial: the very call that will be signed. All others are tried first, and what they lack is sent.
 */
async function collectTokens(
  collector: Collector,
  { orders, roles, fuel }: {
    orders: readonly CollectOrder[];
    roles: readonly Role[];
    fuel: FuelSource | undefined;
  },
): Promise<Collected[]> {
  const { node, usual } = collector;
  const market = node.knownMarket() ?? await node.market();
  const jobs = zip(orders, roles).map(([order, role]): Job => {
    const { from, to, contract, amountRaw } = order;
    return { order, request: { from, to, contract, amountRaw }, role };
  });
  const done = new Map<Job, Collected>();
  const remembered = jobs.flatMap((job): Paid[] => {
    const gas = job.role.kind === "first" ? undefined : usual.get(keyOf(job));
    const offer = gas && offerOf(job, { gas, market });
    return offer?.kind === "paid" ? [{ job, offer }] : [];
  });
  for (const [job, result] of await prove(collector, remembered)) {
    // Perhaps it takes more by now.
    if (result.kind !== "refused") done.set(job, result);
  }
  const tried = await tryAll(collector, { jobs: jobs.filter((job) => !done.has(job)), fuel });
  const payable: Paid[] = [];
  for (const [job, result] of tried) {
    if (result.kind !== "tried") {
      done.set(job, result);
      continue;
    }
    if (job.role.kind !== "first") usual.set(keyOf(job), result.gas);
    const offer = offerOf(job, { gas: result.gas, market });
    if (offer.kind === "paid") payable.push({ job, offer });
    else if (offer.kind === "refused") done.set(job, offer);
    else {
      const sent = fuel && { ...fuel, to: job.order.from, amountRaw: offer.missingRaw };
      const order = sent && { ...sent, gas: result.fuelGas };
      done.set(job, order ? await withFuel(collector, { offer, order, market }) : offer);
    }
  }
  for (const [job, result] of await prove(collector, payable)) {
    done.set(job, result);
  }
  return jobs.map((job) => present(done.get(job), "Each job has an end"));
}

function keyOf({ order: { contract, to } }: Job): string {
  return `${contract}/${to}`;
}

type Offer =
  | {
    readonly kind: "paid";
    readonly detail: EvmDetail;
    readonly besidesRaw: bigint;
    readonly costAtMostRaw: bigint;
  }
  | Extract<Collected, { kind: "fuel" }>
  | TransferRefused;

interface Paid {
  readonly job: Job;
  readonly offer: Extract<Offer, { kind: "paid" }>;
}

/**
 * Coins on a deposit address serve nothing else, so as few as possible are sent there: for the gas
 * that it takes at the going price, and a base fee that rises once more. Whatever is there is
 * offered in turn, as the price and, beyond twice the base fee, as a margin of gas. What isn't
 * used stays.
 */
function offerOf(
  { request, order }: Job,
  { gas: { gas, baseGas }, market }: { gas: TokenGas; market: GasMarket },
): Offer {
  const { price, held: { nativeRaw } } = order;
  const { blockGasLimit, chainId, feeModel } = market;
  const trial = { kind: "passed", gas, baseGas, hasCode: true } as const;
  const limit = gasFor(trial, { blockGasLimit, gasMax: price.gasMax });
  if (limit.kind === "refused") return limit;
  const call = callOf(request);
  const detailOf = (fee: Fee): EvmDetail => ({ chainId, ...call, gas: limit.gas, fee });
  const priced = priceDetail(market, { price, detailOf });
  if (priced.kind === "refused") return priced;
  const most = chargeOf(priced.detail, market);
  const refusal = aboveFeeMax(most, price);
  if (refusal) return refusal;
  const { fee } = priced.detail;
  const besidesRaw = besides(priced.detail, market);
  const goingRaw = going(fee, market);
  const costAtMostRaw = most.maxRaw;
  if (nativeRaw < gas * goingRaw + besidesRaw) {
    const risenRaw = lower(going(fee, market, RISE), priceOffered(fee));
    const wantedRaw = more(gas, feeModel === "arbitrum" ? RISE : SLACK) * risenRaw +
      more(besidesRaw, RISE);
    const enoughRaw = lower(wantedRaw, higher(most.maxRaw, gas * goingRaw + besidesRaw));
    return { kind: "fuel", missingRaw: enoughRaw - nativeRaw, costAtMostRaw };
  }
  const spendableRaw = nativeRaw - besidesRaw;
  const offeredRaw = lower(priceOffered(fee), spendableRaw / gas);
  const detail = {
    ...priced.detail,
    fee: atMost(fee, offeredRaw),
    gas: lower(limit.gas, offeredRaw === 0n ? limit.gas : spendableRaw / offeredRaw),
  };
  return { kind: "paid", detail, besidesRaw, costAtMostRaw };
}

interface Ratio {
  readonly times: bigint;
  readonly of: bigint;
}

/** A full block raises the base fee by an eighth. */
const RISE: Ratio = { times: 9n, of: 8n };
/** A token may take a little more by then. */
const SLACK: Ratio = { times: 201n, of: 200n };

function more(raw: bigint, { times, of }: Ratio): bigint {
  return (raw * times + of - 1n) / of;
}

/** What a unit of gas costs now, or if the base fee rises. */
function going(fee: Fee, { price }: GasMarket, rise: Ratio = { times: 1n, of: 1n }): bigint {
  if (fee.kind === "legacy") return more(fee.gasPriceRaw, rise);
  const baseRaw = price.kind === "eip1559" ? price.baseRaw : 0n;
  return more(baseRaw, rise) + fee.tipRaw;
}

/** What an OP Stack charges for data and operator; its L1 price may rise once more. */
function besides(detail: EvmDetail, market: GasMarket): bigint {
  const { opStack } = market;
  if (opStack === null) return 0n;
  const dataRaw = dataFeeMax(opStack, signedBytesMax(detail));
  const doubledRaw = chargeOf(detail, market).maxRaw - detail.gas * priceOffered(detail.fee);
  return doubledRaw - 2n * dataRaw + more(dataRaw, RISE);
}

function atMost(fee: Fee, maxRaw: bigint): Fee {
  if (fee.kind === "legacy") return { kind: "legacy", gasPriceRaw: lower(fee.gasPriceRaw, maxRaw) };
  return {
    kind: "eip1559",
    maxFeeRaw: lower(fee.maxFeeRaw, maxRaw),
    tipRaw: lower(fee.tipRaw, maxRaw),
  };
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function higher(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Runs the very transactions that will be signed. Those that wait for another one don't run. */
async function prove(
  { endpoints }: Collector,
  paid: readonly Paid[],
): Promise<[Job, Collected][]> {
  const waiting = paid.filter(({ job }) => job.role.kind === "after");
  const running = paid.filter(({ job }) => job.role.kind !== "after");
  const results = await together(endpoints, running, {
    all: (rpc, part) => rehearse(rpc, part),
  });
  return [
    ...waiting.map(({ job }): [Job, Collected] => [job, { kind: "wait" }]),
    ...zip(running, results).map(([{ job }, result]): [Job, Collected] => [job, result]),
  ];
}

async function rehearse(rpc: Rpc, paid: readonly Paid[]): Promise<(Collected | undefined)[]> {
  const contracts = [...new Set(paid.map(({ offer }) => offer.detail.to))];
  const own = paid.flatMap(({ job, offer }) => [
    rehearsalCall({ request: job.request, ...signedIn(offer) }),
    nonceCall(job.order),
  ]);
  const items = await rpc.batch([...contracts.map(codeCall), ...own]);
  const codes = new Map(zip(contracts, items.slice(0, contracts.length)));
  const answers = chunksOf(items.slice(contracts.length), 2);
  return zip(paid, answers).map(([{ job, offer }, answer]) =>
    unlessUnclear(() => {
      const [call, nonce] = [at(answer, 0), at(answer, 1)];
      const code = present(codes.get(offer.detail.to), "Each contract was asked");
      const refused = refusalOf(call) ?? refusalOfCode(code) ?? refusalOfAnswer(resultOf(call));
      if (refused) return refused;
      const { request, order: { held } } = job;
      const { detail, besidesRaw, costAtMostRaw } = offer;
      const feeAtMostRaw = detail.gas * priceOffered(detail.fee) + besidesRaw;
      const costs = { nativeCostMaxRaw: feeAtMostRaw, feeAtMostRaw };
      const charge = { gas: detail.gas, maxRaw: feeAtMostRaw };
      const nonceNow = safeNumber(resultOf(nonce), "a nonce");
      return {
        kind: "ready",
        prepared: { request, ...costs, charge, callsCode: false, detail },
        state: { ...held, nonce: nonceNow },
        costAtMostRaw,
      };
    })
  );
}

function signedIn({ detail: { gas, fee } }: Paid["offer"]) {
  return { gas, fee };
}

function codeCall(contract: string): RpcCall {
  return { method: "eth_getCode", params: [contract, "latest"] };
}

/** A call of an address without code succeeds and answers nothing, just like USDT. */
function refusalOfCode(code: RpcItem): TransferRefused | undefined {
  return hexBytes(resultOf(code), "code") === "0x" ? reverts("no contract is there") : undefined;
}

/** Undefined where only a question of its own can decide. */
function unlessUnclear<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}

type Tried =
  | { readonly kind: "tried"; readonly gas: TokenGas; readonly fuelGas: bigint | undefined }
  | TransferRefused
  | Extract<Collected, { kind: "unanswered" | "wait" }>;

async function tryAll(
  { endpoints }: Collector,
  { jobs, fuel }: { jobs: readonly Job[]; fuel: FuelSource | undefined },
): Promise<[Job, Tried][]> {
  // Nobody else holds the token by which it could be told what it takes.
  const isLater = ({ role }: Job) => role.kind === "after" && role.holder === undefined;
  const now = jobs.filter((job) => !isLater(job));
  const results = await together(endpoints, now, {
    all: (rpc, part) => tryPart(rpc, { jobs: part, fuel }),
  });
  return [
    ...jobs.filter(isLater).map((job): [Job, Tried] => [job, { kind: "wait" }]),
    ...zip(now, results),
  ];
}

async function tryPart(
  rpc: Rpc,
  { jobs, fuel }: { jobs: readonly Job[]; fuel: FuelSource | undefined },
): Promise<(Tried | undefined)[]> {
  const bases = new Map(jobs.map((job) => [job.order.contract!, job]));
  const contracts = [...bases.keys()];
  const shared = [
    ...contracts.map(codeCall),
    ...[...bases.values()].map(({ request }) => baseOf({ request, isFunded: true }).call),
  ];
  const own = jobs.map((job) => trialCalls(job, fuel));
  const items = await rpc.batch([...shared, ...own.flat()]);
  const codes = new Map(zip(contracts, items.slice(0, contracts.length)));
  const baseItems = new Map(zip(contracts, items.slice(contracts.length, shared.length)));
  const answers = chunksOf(items.slice(shared.length), fuel ? 3 : 2);
  return zip(jobs, answers).map(([{ order, request, role }, answer]) =>
    unlessUnclear(() => {
      const [estimate, call, fuelGas] = [at(answer, 0), at(answer, 1), answer[2]];
      const code = present(codes.get(order.contract!), "Each contract was asked");
      const base = present(baseItems.get(order.contract!), "Each has its base");
      const refused = refusalOf(call) ?? refusalOf(estimate) ?? refusalOfCode(code) ??
        refusalOfAnswer(resultOf(call));
      if (refused) return refused;
      return {
        kind: "tried",
        gas: {
          gas: gasOf(request, estimate) + longer(order, role),
          baseGas: gasOf(request, base),
        },
        fuelGas: fuelGas?.ok ? gasOf({ ...request, contract: null }, fuelGas) : undefined,
      };
    })
  );
}

/** A byte of a call costs less if it is zero, and the holder it was tried with has another address. */
function longer({ to }: CollectOrder, role: Role): bigint {
  if (role.kind !== "after" || role.holder === undefined) return 0n;
  return NON_ZERO_BYTE_GAS * BigInt(nonZeroBytes(to) - nonZeroBytes(role.holder));
}

const NON_ZERO_BYTE_GAS = 12n;

function nonZeroBytes(address: string): number {
  return (address.slice(2).match(/../g) ?? []).filter((byte) => byte !== "00").length;
}

/** An estimate, a call for what the token answers, and what it takes to send coins there. */
function trialCalls({ request, role, order: { price } }: Job, fuel: FuelSource | undefined) {
  const holder = role.kind === "after" ? role.holder : undefined;
  const asked = { isFunded: true, gasMax: price.gasMax };
  const [estimate] = callsFor({ request: { ...request, to: holder ?? request.to }, ...asked });
  const [, call] = callsFor({ request, ...asked });
  const sent = fuel && { from: fuel.from, to: request.from, contract: null, amountRaw: 1n };
  const [fuelGas] = sent ? callsFor({ request: sent, isFunded: true }) : [];
  return [estimate!, call!, ...fuelGas ? [fuelGas] : []];
}

/**
 * In as few bodies as nodes take. What a body doesn't answer clearly is asked alone; if not even
 * one of them is answered alone, the node is in trouble, and the others aren't asked.
 */
async function together<Item, Result extends { readonly kind: string }>(
  endpoints: Endpoints,
  items: readonly Item[],
  { all }: { all(rpc: Rpc, part: readonly Item[]): Promise<(Result | undefined)[]> },
): Promise<(Result | Unanswered)[]> {
  const ask = (part: readonly Item[]) => endpoints.read((rpc) => all(rpc, part));
  const parts = await mapBounded(chunksOf(items, TOGETHER_MAX), {
    concurrencyMax: BODIES_AT_ONCE,
    work: (part) => inPart(part, ask),
  });
  return parts.flat();
}

type Unanswered = Extract<Collected, { kind: "unanswered" }>;

async function inPart<Item, Result extends { readonly kind: string }>(
  items: readonly Item[],
  ask: (items: readonly Item[]) => Promise<(Result | undefined)[]>,
): Promise<(Result | Unanswered)[]> {
  const alone = async (item: Item): Promise<Result | Unanswered> => {
    try {
      const [result] = await ask([item]);
      return result ?? unanswered(new NodeError("The node gave no clear answer"));
    } catch (error) {
      if (error instanceof NodeError) return unanswered(error);
      throw error;
    }
  };
  const known: (Result | Unanswered | undefined)[] = items.length === 1
    ? []
    : await ask(items).catch((error) => {
      if (error instanceof NodeError) return [];
      throw error;
    });
  const results = items.map((_, i) => known[i]);
  if (known.length === 0 && items.length > 1) {
    // Not always the same one: it may be this one that the node can't answer.
    const i = Math.floor(Math.random() * items.length);
    const one = results[i] = await alone(items[i]!);
    if (one.kind === "unanswered") return items.map(() => one as Unanswered);
  }
  return await mapBounded(zip(items, results), {
    concurrencyMax: ALONE_AT_ONCE,
    work: async ([item, result]) => result ?? await alone(item),
  });
}

function unanswered(error: NodeError): Unanswered {
  return { kind: "unanswered", error };
}

/** The address is ours, so whether code would run there shows in the gas. */
async function withFuel(
  { node }: Collector,
  { offer, order, market }: {
    offer: Extract<Collected, { kind: "fuel" }>;
    order: FuelSource & { to: string; amountRaw: bigint; gas: bigint | undefined };
    market: GasMarket;
  },
): Promise<Collected> {
  const { from, to, amountRaw, price, gas } = order;
  const request = { from, to, contract: null, amountRaw };
  if (gas === undefined) {
    return await unlessUnanswered(async () => ({
      ...offer,
      fuel: await prepareTransfer(node, { request, price }),
    }));
  }
  return { ...offer, fuel: sentWith(gas, { request, price, market }) };
}

function sentWith(
  gas: bigint,
  { request, price, market }: { request: TransferRequest; price: PriceOptions; market: GasMarket },
): Preflight {
  const trial = { kind: "passed", gas, baseGas: gas, hasCode: false } as const;
  const { blockGasLimit, chainId } = market;
  const limit = gasFor(trial, { blockGasLimit, gasMax: price.gasMax });
  if (limit.kind === "refused") return limit;
  const detailOf = (fee: Fee): EvmDetail => ({
    chainId,
    ...callOf(request),
    gas: limit.gas,
    fee,
  });
  const priced = priceDetail(market, { price, detailOf });
  if (priced.kind === "refused") return priced;
  const { detail } = priced;
  const charge = chargeOf(detail, market);
  const { maxRaw: feeAtMostRaw } = charge;
  const nativeCostMaxRaw = detail.valueRaw + feeAtMostRaw;
  const prepared = { request, nativeCostMaxRaw, feeAtMostRaw, charge, callsCode: false, detail };
  return aboveFeeMax(charge, price) ?? { kind: "ready", prepared };
}
