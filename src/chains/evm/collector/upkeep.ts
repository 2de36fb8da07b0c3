import { keccak256, parseTransaction, size } from "viem/utils";
import { present } from "../../../base/assert.ts";
import { chunksOf } from "../../../base/lists.ts";
import type { CodeAt, CollectorUpkeep, CollectorWith, ReleaseRequest } from "../../collecting.ts";
import type { Claim } from "../../family.ts";
import { mapBounded } from "../../pool/map_bounded.ts";
import { aboveFeeMax, type PriceOptions } from "../../price.ts";
import type { Preflight } from "../../transfer.ts";
import { nodeAddress } from "../address.ts";
import { asHex, hex32, hexBytes, hexOf, quantity } from "../decode.ts";
import type { Endpoints } from "../endpoints.ts";
import { evmFamily } from "../family.ts";
import { resultOf, type RpcItem } from "../../pool/json/rpc_reply.ts";
import type { Rpc } from "../rpc.ts";
import { chargeOf, priceDetail } from "../transfers/cost.ts";
import type { Fee } from "../transfers/fees.ts";
import type { GasMarket } from "../transfers/gas_market.ts";
import { refusalOf, reverts } from "../transfers/trial.ts";
import type { Delegation, SignedAuthorization, UnsignedDetail } from "../transfers/unsigned.ts";
import { batchCall, gasToBegin, readBatchCall } from "./batch.ts";
import { RUNTIME_CODE } from "./bytecode.ts";
import { NOBODY, readDelegate } from "./delegation.ts";
import { collectorAddress, collectorCode, initCode } from "./deployment.ts";
import { type Bare, believed, gasAtMost } from "./gas_limits.ts";
import { delegatingStranger, listed } from "./stranger.ts";

const ESTIMATE = "eth_estimateGas";
/** For each byte of a new contract's code. */
const CODE_BYTE = 200n;
const ADDRESSES_PER_BODY = 100;
const BODIES_AT_ONCE = 4;

interface UpkeepNode {
  readonly endpoints: Endpoints;
  market(): Promise<GasMarket>;
}

/**
 * What a collector needs besides its batches. None of these transactions pays an order; what its
 * operator takes out of the gas wallet is bid again as it is.
 */
export function createUpkeep(node: UpkeepNode): CollectorUpkeep {
  return {
    deployedBy: (owner) => Promise.resolve(deployedBy(owner)),
    codeAt: (addresses) => readCode(node.endpoints, addresses),
    knowsDelegations: (from) => node.endpoints.read((rpc) => knowsDelegations(rpc, from)),
    prepareDeployment: (owner, price = {}) =>
      prepare(node, { from: owner, to: null, data: initCode(owner), price }),
    prepareRelease: (request, price = {}) => prepareRelease(node, { request, price }),
    prepareAgain: (order, price = {}) => prepareAgain(node, { ...order, price }),
  };
}

function deployedBy(owner: string): CollectorWith {
  return {
    build: keccak256(initCode(owner)),
    withNonce: (nonce) => ({
      address: collectorAddress({ owner, nonce }),
      codeHash: keccak256(collectorCode({ owner, nonce })),
    }),
  };
}

async function readCode(endpoints: Endpoints, addresses: readonly string[]): Promise<CodeAt[]> {
  const parts = await mapBounded(chunksOf(addresses, ADDRESSES_PER_BODY), {
    concurrencyMax: BODIES_AT_ONCE,
    work: (part) =>
      endpoints.read((rpc) =>
        rpc.results(part.map((it) => ({ method: "eth_getCode", params: [it, "latest"] })))
      ),
  });
  return parts.flat().map((answer) => {
    const delegate = readDelegate(answer);
    if (delegate.kind !== "contract") return delegate;
    return { kind: "contract", hash: keccak256(asHex(hexBytes(answer, "a contract's code"))) };
  });
}

/** Less than any chain charges for an authorization, and more than estimates vary by. */
const AUTHORIZATION_GAS_MIN = 5_000n;

/**
 * Runs an address that delegates only in this estimate, by a key made for it. A node that doesn't
 * know of delegations refuses the list, or ignores it and finds that it costs nothing more; one
 * whose chain doesn't have them yet refuses it, or fails to run what is then at the address. Only an
 * estimate tells: a call has no price, and a transaction would have to be sent.
 */
async function knowsDelegations(rpc: Rpc, from: string): Promise<boolean> {
  const chainId = Number(quantity(await rpc.call("eth_chainId", []), "a chain id"));
  const { address, authorization } = delegatingStranger({ chainId, to: from });
  const tx = { from, to: address, data: "0x" };
  const [plain, delegating] = await rpc.batch([
    { method: ESTIMATE, params: [tx, "latest"] },
    { method: ESTIMATE, params: [{ ...tx, ...listed([authorization]) }, "latest"] },
  ]);
  const without = quantity(resultOf(plain!), "a gas estimate");
  if (!delegating!.ok) return false;
  const gas = quantity(delegating!.result, "a gas estimate");
  return gas - without >= AUTHORIZATION_GAS_MIN;
}

/** An empty batch: so it is read from its bytes as any other. */
async function prepareRelease(
  node: UpkeepNode,
  { request, price }: { request: ReleaseRequest; price: PriceOptions },
): Promise<Preflight> {
  const { collector, address, nonce } = request;
  return await prepare(node, {
    from: collector.owner,
    to: collectorAddress(collector),
    data: batchCall({ orders: [], gasEach: 0n, atLeast: 0 }),
    delegations: [{ from: address, nonce, collector, to: "nobody" }],
    // It uses up the address's nonce; if another took that first, nothing depends on it.
    claims: [{ ...evmFamily.claimOf({ sender: address, nonce }), isOnce: false }],
    price,
  });
}

interface Order {
  readonly from: string;
  readonly to: string | null;
  readonly data: string;
  /** Only coins that the gas wallet's operator takes out have one. */
  readonly valueRaw?: bigint;
  /** Of bytes that are signed. */
  readonly authorizations?: readonly SignedAuthorization[];
  readonly delegations?: readonly Delegation[];
  readonly claims?: readonly Claim[];
  readonly price: PriceOptions;
}

async function prepare(node: UpkeepNode, order: Order): Promise<Preflight> {
  const [market, item] = await Promise.all([
    node.market(),
    node.endpoints.read((rpc) => estimate(rpc, order)),
  ]);
  const refused = refusalOf(item);
  if (refused) return refused;
  const gas = believed(quantity(resultOf(item), "a gas estimate"), bareOf(order)) * 6n / 5n;
  if (gas > market.blockGasLimit) {
    return reverts(`it needs ${gas} gas, a block has ${market.blockGasLimit}`);
  }
  return priced(market, { ...order, gas });
}

async function estimate(
  rpc: Rpc,
  { from, to, data, valueRaw = 0n, authorizations = [], delegations = [] }: Order,
): Promise<RpcItem> {
  const strangers = delegations.map(({ collector: { chainId } }) =>
    delegatingStranger({ chainId, to: NOBODY }).authorization
  );
  const list = listed([...authorizations, ...strangers]);
  const tx = { from, ...to === null ? {} : { to }, data, ...valueOf(valueRaw), ...list };
  const [item] = await rpc.batch([{ method: ESTIMATE, params: [tx, "latest"] }]);
  return present(item, "It was asked");
}

function valueOf(valueRaw: bigint): { value?: string } {
  return valueRaw === 0n ? {} : { value: hexOf(valueRaw) };
}

function bareOf({ to, data, authorizations = [], delegations = [] }: Order): Bare {
  const batch = to === null ? undefined : readBatchCall(data);
  const running = to === null
    ? CODE_BYTE * BigInt(size(RUNTIME_CODE))
    : batch?.orders.length
    ? gasToBegin(batch.gasEach)
    : 0n;
  return { to, data, authorizations: authorizations.length + delegations.length, running };
}

function priced(
  market: GasMarket,
  { from, to, data, valueRaw = 0n, authorizations = [], delegations = [], claims = [], gas, price }:
    & Order
    & { gas: bigint },
): Preflight {
  const { chainId } = market;
  const common = { chainId, to, valueRaw, data, gas, authorizations, delegations };
  const detailOf = (fee: Fee): UnsignedDetail => ({ ...common, fee });
  const found = priceDetail(market, { price, detailOf });
  if (found.kind === "refused") return found;
  const { detail } = found;
  const charge = chargeOf(detail, market);
  const refusal = aboveFeeMax(charge, price);
  if (refusal) return refusal;
  const { maxRaw: feeAtMostRaw } = charge;
  const request = {
    from,
    to: valueRaw === 0n ? from : to ?? from,
    contract: null,
    amountRaw: valueRaw,
  };
  const costs = { nativeCostMaxRaw: valueRaw + feeAtMostRaw, feeAtMostRaw };
  return { kind: "ready", prepared: { request, ...costs, charge, claims, detail } };
}

/**
 * The same bytes but for what they offer. With more gas only where nothing would run with what was
 * signed, because too little was, or because a fork has raised prices since.
 */
async function prepareAgain(
  node: UpkeepNode,
  { from, raw, price }: { from: string; raw: string; price: PriceOptions },
): Promise<Preflight> {
  const { to, data = "0x", value: valueRaw = 0n, gas: signed = 0n, authorizationList = [] } =
    parseTransaction(asHex(raw));
  const authorizations = authorizationList.map((one): SignedAuthorization => ({
    chainId: one.chainId,
    address: asHex(nodeAddress(one.address, "a delegate")),
    nonce: one.nonce,
    r: hex32(BigInt(one.r)),
    s: hex32(BigInt(one.s)),
    yParity: one.yParity ?? 0,
  }));
  const target = to ? nodeAddress(to, "a contract") : null;
  const order = { from, to: target, data, valueRaw, authorizations, price };
  const [market, needed] = await Promise.all([
    node.market(),
    node.endpoints.read(async (rpc) =>
      await runsWith(rpc, { ...order, gas: signed }) ? signed : await neededNow(rpc, order)
    ),
  ]);
  const most = gasAtMost(market);
  const enough = needed < most ? needed : most;
  return priced(market, { ...order, gas: enough > signed ? enough : signed });
}

/** What doesn't run for another reason than its gas runs with more gas neither, and stays as it is. */
async function runsWith(rpc: Rpc, { gas, ...order }: Order & { gas: bigint }): Promise<boolean> {
  if (gas < believed(0n, bareOf(order))) return false;
  const { from, to, data, valueRaw = 0n, authorizations = [] } = order;
  const target = to === null ? {} : { to };
  const tx = { from, ...target, data, ...valueOf(valueRaw), ...listed(authorizations) };
  const [item] = await rpc.batch([{
    method: "eth_call",
    params: [{ ...tx, gas: hexOf(gas) }, "latest"],
  }]);
  return present(item, "It was asked").ok;
}

/** What can't be estimated, because it would fail now, is offered all the same: it may not then. */
async function neededNow(rpc: Rpc, order: Order): Promise<bigint> {
  const batch = order.to === null ? undefined : readBatchCall(order.data);
  const data = batch ? batchCall({ ...batch, atLeast: batch.orders.length }) : order.data;
  const item = await estimate(rpc, { ...order, data });
  const estimated = item.ok ? quantity(item.result, "a gas estimate") : 0n;
  return believed(estimated, bareOf(order)) * 11n / 10n;
}
