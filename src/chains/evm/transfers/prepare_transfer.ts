import { invariant } from "../../../base/assert.ts";
import type { Preflight, TransferRefused, TransferRequest } from "../../transfer.ts";
import { aboveFeeMax, type PriceOptions } from "../../price.ts";
import { chargeOf, gasFor, priceDetail } from "./cost.ts";
import { type Fee, isSameFee } from "./fees.ts";
import type { GasMarket, PricedNode } from "./gas_market.ts";
import type { Trial } from "./trial.ts";
import { callOf, type Signed } from "./_trial_calls.ts";
import type { EvmDetail } from "./unsigned.ts";

export async function prepareTransfer(
  node: PricedNode,
  { request, price }: { request: TransferRequest; price: PriceOptions },
): Promise<Preflight> {
  invariant(request.amountRaw >= 0n, `Cannot transfer ${request.amountRaw}`);
  const isFunded = request.contract !== null;
  const { gasMax } = price;
  const known = node.knownMarket();
  const likely = known && likelySigned(node, { request, price, market: known });
  const [market, trial] = await Promise.all([
    known ?? node.market(),
    node.tryOut({ request, isFunded, gasMax, likely }),
  ]);
  if (trial.kind === "refused") return trial;
  const preparing = { request, price, isFunded, market };
  const prepared = await withGas(node, { ...preparing, trial });
  const isAbove = prepared.kind === "refused" && prepared.cause === "above_fee_max";
  if (!isAbove || trial.newHolderGas === undefined) return prepared;
  // Gas reserved for a holder who may empty their balance is no reason to refuse.
  return await withGas(node, { ...preparing, trial: asToHolder(trial) });
}

/**
 * What the last such transfer of a token took, at the price known from the newest block. If that is
 * what will be signed, its rehearsal was part of the trial; if not, it is rehearsed by itself.
 */
function likelySigned(
  { lastGas }: PricedNode,
  { request, price, market }: Pick<Preparing, "request" | "price" | "market">,
): Signed | undefined {
  const gas = lastGas.get(gasKey(request));
  if (gas === undefined) return undefined;
  const detailOf = (fee: Fee): EvmDetail => ({
    ...{ chainId: market.chainId, ...callOf(request) },
    ...{ gas, fee },
  });
  const priced = priceDetail(market, { price, detailOf });
  return priced.kind === "priced" ? { gas, fee: priced.detail.fee } : undefined;
}

function gasKey({ contract, asToNewHolder = false }: TransferRequest): string {
  return `${contract}/${asToNewHolder}`;
}

type Passed = Extract<Trial, { kind: "passed" }>;

interface Preparing {
  readonly request: TransferRequest;
  readonly price: PriceOptions;
  readonly isFunded: boolean;
  readonly market: GasMarket;
  readonly trial: Passed;
}

async function withGas(
  node: PricedNode,
  { request, price, isFunded, market, trial }: Preparing,
): Promise<Preflight> {
  const { gasMax } = price;
  const { chainId, blockGasLimit } = market;
  const tried = gasFor(trial, { blockGasLimit, gasMax });
  if (tried.kind === "refused") return tried;
  const common = { chainId, ...callOf(request) };
  const detailOf = (fee: Fee): EvmDetail => ({ ...common, gas: tried.gas, fee });
  const priced = priceDetail(market, { price, detailOf });
  if (priced.kind === "refused") return priced;
  const { fee } = priced.detail;
  const proven = await prove(node, { request, isFunded, fee, market, gasMax, trial });
  if (proven.kind === "refused") return proven;
  const detail: EvmDetail = { ...common, gas: proven.gas, fee };
  if (request.contract !== null) node.lastGas.set(gasKey(request), proven.gas);
  const charge = chargeOf(detail, market);
  const refusal = aboveFeeMax(charge, price);
  if (refusal) return refusal;
  const { maxRaw: feeAtMostRaw } = charge;
  const nativeCostMaxRaw = detail.valueRaw + feeAtMostRaw;
  const callsCode = trial.hasCode && request.contract === null;
  const prepared = { request, nativeCostMaxRaw, feeAtMostRaw, charge, callsCode, detail };
  return { kind: "ready", prepared };
}

function asToHolder(trial: Passed): Passed {
  return { ...trial, newHolderGas: undefined };
}

interface Proof {
  readonly request: TransferRequest;
  readonly isFunded: boolean;
  readonly fee: Fee;
  readonly market: GasMarket;
  readonly gasMax: bigint | null | undefined;
  readonly trial: Passed;
}

/**
 * Code that looks at gas price or limit may behave differently in a trial without them, so it is
 * run again with the values that will be signed. If that fails, a trial at the price finds the
 * reason.
 */
async function prove(
  node: PricedNode,
  { market, gasMax, trial, ...order }: Proof,
): Promise<{ readonly kind: "gas"; readonly gas: bigint } | TransferRefused> {
  const limits = { blockGasLimit: market.blockGasLimit, gasMax };
  const first = gasFor(trial, limits);
  if (first.kind === "refused" || !trial.hasCode) return first;
  if (isSame(trial.rehearsed, { gas: first.gas, fee: order.fee })) return first;
  const rehearsal = await node.rehearse({ ...order, gas: first.gas });
  if (rehearsal.kind === "passed") return first;
  if (rehearsal.cause !== "reverts") return rehearsal;
  const priced = await node.tryOut({ ...order, gasMax });
  if (priced.kind === "refused") return priced;
  const isReserved = trial.newHolderGas !== undefined;
  const second = gasFor(isReserved ? priced : asToHolder(priced), limits);
  if (second.kind === "refused") return second;
  const again = await node.rehearse({ ...order, gas: second.gas });
  return again.kind === "passed" ? second : again;
}

function isSame(rehearsed: Signed | undefined, { gas, fee }: Signed): boolean {
  return rehearsed?.gas === gas && isSameFee(rehearsed.fee, fee);
}
