import { zip } from "../../../base/lists.ts";
import type {
  BatchOrder,
  BatchRequest,
  ChainCollector,
  CoinMove,
  Collector,
  Delegating,
  PreparedBatch,
} from "../../collecting.ts";
import { NodeError } from "../../faults.ts";
import type { Endpoints } from "../endpoints.ts";
import { aboveFeeMax, type PriceOptions } from "../../price.ts";
import { hexBytes, hexOf, quantity } from "../decode.ts";
import { resultOf } from "../../pool/json/rpc_reply.ts";
import type { Rpc, RpcCall } from "../rpc.ts";
import type { TransferRefused } from "../../transfer.ts";
import { chargeOf, priceDetail } from "../transfers/cost.ts";
import type { Fee } from "../transfers/fees.ts";
import type { GasMarket } from "../transfers/gas_market.ts";
import { refusalOf } from "../transfers/trial.ts";
import type { Delegation, UnsignedDetail } from "../transfers/unsigned.ts";
import { readDelegates } from "./delegates.ts";
import { batchCall, delegatedOverrides, gasToBegin, readBatchTrial } from "./batch.ts";
import { collectorAddress } from "./deployment.ts";
import { delegatingStranger, listed } from "./stranger.ts";
import { createUpkeep } from "./upkeep.ts";
import { usuallySaid } from "./usual.ts";
import { believed, GAS_MAX, gasAtMost } from "./gas_limits.ts";

/** An order of a sane token takes a fifth of it. Paying coins to an unused address may take most. */
const GAS_EACH = 300_000n;
/** Hardly any order takes more of it. */
const GAS_USUALLY = 100_000n;
/** Of GAS_EACH: what calling the token or the recipient takes, beside what that does. */
const GAS_AROUND = 15_000n;
const ORDERS_MAX = 100;

interface BatchNode {
  readonly endpoints: Endpoints;
  market(): Promise<GasMarket>;
}

export function createCollector(node: BatchNode): ChainCollector {
  const upkeep = createUpkeep(node);
  return {
    ...upkeep,
    delegatesOf: (asked) => readDelegates(node.endpoints, asked),
    prepareBatch: (request, price = {}) => prepareBatch(node, { request, price }),
  };
}

interface Preparing {
  readonly request: BatchRequest;
  readonly price: PriceOptions;
}

async function prepareBatch(
  { endpoints, market: ask }: BatchNode,
  { request, price }: Preparing,
): Promise<PreparedBatch> {
  const asked = request.orders.slice(0, ORDERS_MAX);
  const [market, { moved }] = await Promise.all([
    ask(),
    usuallySaid(endpoints, async (rpc) => {
      const runsCode = await runningCode(rpc, asked);
      const orders = asked.filter((order) => !runsCode(order));
      const moved = new Set(await tryOut(rpc, { ...request, orders }));
      return { moved, isUsual: 2 * moved.size >= orders.length };
    }),
  ]);
  const failing = asked.filter((order) => !moved.has(order));
  let orders = asked.filter((order) => moved.has(order));
  while (orders.length > 0) {
    const part = { ...request, orders };
    const fitted = await fit({ endpoints, market }, { request: part, price });
    if (fitted.kind === "ready") {
      const done = new Set([...orders, ...failing]);
      return { ...fitted, failing, later: request.orders.filter((order) => !done.has(order)) };
    }
    if (fitted.kind === "refused" && (orders.length === 1 || !isSize(fitted))) return fitted;
    orders = orders.slice(0, Math.floor(orders.length / 2));
  }
  return { kind: "refused", cause: "reverts", reason: "each of its orders would fail" };
}

/** Fewer orders may help. */
function isSize({ cause }: { cause: string }): boolean {
  return cause === "above_fee_max" || cause === "reverts" || cause === "unaffordable";
}

/**
 * Those that would be carried out, within the gas that their currency is allowed, as if the
 * addresses that are to delegate had done so. That the others have is one node's word: the order of
 * one that hasn't fails here.
 */
async function tryOut(
  rpc: Rpc,
  { collector, orders, delegating }: BatchRequest,
): Promise<BatchOrder[]> {
  const to = collectorAddress(collector);
  const groups = [...Map.groupBy(orders, gasAllowed)];
  const answers = await rpc.results(groups.map(([gasEach, group]): RpcCall => {
    const data = batchCall({ orders: group, gasEach, atLeast: 0 });
    const tx = { from: collector.owner, to, data, gas: hexOf(GAS_MAX) };
    return { method: "eth_call", params: [tx, "latest", ...delegated({ to, delegating })] };
  }));
  return zip(groups, answers).flatMap(([[, group], answer]) => {
    const areMoved = readBatchTrial(answer, group.length);
    return group.filter((_, i) => areMoved[i]);
  });
}

function gasAllowed({ contract, gasMax = null }: BatchOrder): bigint {
  const allowed = contract === null || gasMax === null ? GAS_EACH : gasMax + GAS_AROUND;
  return allowed < GAS_EACH ? allowed : GAS_EACH;
}

/** None gets more than the hungriest of them may have. */
function gasEachOf(orders: readonly BatchOrder[]): bigint {
  return orders.map(gasAllowed).reduce((a, b) => a > b ? a : b, 0n);
}

/** The last parameter of a call or an estimate, as if they had delegated already. */
function delegated(
  { to: collector, delegating }: { to: string; delegating: readonly Delegating[] },
) {
  const addresses = delegating.map(({ from }) => from);
  return addresses.length === 0 ? [] : [delegatedOverrides({ collector, addresses })];
}

/**
 * Whether a recipient of coins has code, which then runs: it may take coins in a trial, and burn all
 * gas in the block. Alone, the coins pay for that themselves; in a batch it would be at everybody's
 * cost.
 */
async function runningCode(
  rpc: Rpc,
  orders: readonly CoinMove[],
): Promise<(order: CoinMove) => boolean> {
  const paid = [...new Set(orders.flatMap(({ contract, to }) => contract === null ? [to] : []))];
  if (paid.length === 0) return () => false;
  const codes = await rpc.results(
    paid.map((to): RpcCall => ({ method: "eth_getCode", params: [to, "latest"] })),
  );
  const running = zip(paid, codes).filter(([, code]) => hexBytes(code, "code") !== "0x");
  const withCode = new Set(running.map(([to]) => to));
  return ({ contract, to }) => contract === null && withCode.has(to);
}

type Fitted =
  | Pick<Extract<PreparedBatch, { kind: "ready" }>, "kind" | "prepared" | "orders">
  | Extract<PreparedBatch, { kind: "refused" }>;

async function fit(
  { endpoints, market }: { endpoints: Endpoints; market: GasMarket },
  { request, price }: Preparing,
): Promise<Fitted> {
  const { collector, orders } = request;
  const { owner: from } = collector;
  const to = collectorAddress(collector);
  const addresses = new Set(orders.map((order) => order.from));
  const delegating = request.delegating.filter((one) => addresses.has(one.from));
  const estimating = { collector, orders, delegating };
  const estimated = await usuallySaid(endpoints, (rpc) => estimate(rpc, estimating));
  if (estimated.kind === "refused") return estimated;
  const { gas } = estimated;
  const most = gasAtMost(market);
  if (gas > most) {
    const reason = `it needs ${gas} gas, a transaction may have ${most}`;
    return { kind: "refused", cause: "reverts", reason };
  }
  if (market.price.kind === "legacy") {
    throw new NodeError("A chain whose addresses can delegate has a base fee");
  }
  const { chainId } = market;
  const data = batchCall({ orders, gasEach: gasEachOf(orders), atLeast: 1 });
  const delegations = delegating.map((one): Delegation => ({ ...one, collector, to: "collector" }));
  const common = { chainId, to, valueRaw: 0n, data, gas, delegations };
  const detailOf = (fee: Fee): UnsignedDetail => ({ ...common, fee });
  const priced = priceDetail(market, { price, detailOf });
  if (priced.kind === "refused") return priced;
  const { detail } = priced;
  const charge = chargeOf(detail, market);
  const refusal = aboveFeeMax(charge, price);
  if (refusal) return refusal;
  const { maxRaw: feeAtMostRaw } = charge;
  const claims = delegating.map((one) => ({
    claim: `${one.from}/${one.nonce}`,
    isOnce: false,
  }));
  const prepared = {
    request: { from, to, contract: null, amountRaw: 0n },
    nativeCostMaxRaw: feeAtMostRaw,
    feeAtMostRaw,
    charge,
    claims,
    detail,
  };
  return { kind: "ready", prepared, orders };
}

type Estimated = ({ readonly kind: "gas"; readonly gas: bigint } | TransferRefused) & {
  readonly isUsual: boolean;
};

interface Estimating {
  readonly collector: Collector;
  readonly orders: readonly BatchOrder[];
  readonly delegating: readonly Delegating[];
}

/**
 * With all orders carried out: otherwise a limit would be found that few are tried with. As if the
 * addresses had delegated already, while as many strangers do, so that nothing signed by their keys
 * leaves the program.
 */
async function estimate(
  rpc: Rpc,
  { collector, orders, delegating }: Estimating,
): Promise<Estimated> {
  const { chainId, owner: from } = collector;
  const to = collectorAddress(collector);
  const gasEach = gasEachOf(orders);
  const data = batchCall({ orders, gasEach, atLeast: orders.length });
  const strangers = delegating.map(() => delegatingStranger({ chainId, to }).authorization);
  const tx = { from, to, data, ...listed(strangers) };
  const overrides = delegated({ to, delegating });
  const params = [tx, "latest", ...overrides];
  const [item] = await rpc.batch([{ method: "eth_estimateGas", params }]);
  const refused = refusalOf(item!);
  if (refused) return { ...refused, isUsual: false };
  const bare = { to, data, authorizations: delegating.length, running: gasToBegin(gasEach) };
  const estimated = quantity(resultOf(item!), "a batch's gas");
  const gas = believed(estimated, bare) * 11n / 10n;
  await checkEnough(rpc, { tx: { ...tx, gas: hexOf(gas) }, overrides, orders });
  const running = GAS_USUALLY * BigInt(orders.length);
  return { kind: "gas", gas, isUsual: estimated <= believed(0n, { ...bare, running }) };
}

/** A node may estimate too little, without the overrides or for a reason of its own. */
async function checkEnough(
  rpc: Rpc,
  { tx, overrides, orders }: {
    tx: object;
    overrides: readonly object[];
    orders: readonly CoinMove[];
  },
): Promise<void> {
  const answer = await rpc.call("eth_call", [tx, "latest", ...overrides]);
  if (readBatchTrial(answer, orders.length).every((isMoved) => isMoved)) return;
  throw new NodeError(`A batch of ${orders.length} orders fails with the gas that was estimated`);
}
