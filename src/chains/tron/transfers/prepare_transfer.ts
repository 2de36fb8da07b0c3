import { invariant } from "../../../base/assert.ts";
import { toHex } from "../../../base/bytes.ts";
import type { Preflight, TransferRequest } from "../../transfer.ts";
import { aboveFeeMax, type PriceOptions } from "../../price.ts";
import type { Pool } from "../../pool/endpoints.ts";
import { agreedPrices, type Prices } from "../account.ts";
import { hexOfAddress } from "../address.ts";
import {
  bandwidthFee,
  burnedFor,
  bytesOnChain,
  type EnergyCost,
  energyCost,
  energyTooExpensive,
} from "./costs.ts";
import type { TronNode } from "../node.ts";
import type { TronDetail } from "./transaction.ts";
import {
  TRANSFER_FUNCTION,
  TRANSFER_SELECTOR,
  transferArguments,
  type Trial,
  tryCall,
} from "../trc20.ts";
import {
  coinsCharge,
  coinsFee,
  type Ends,
  endsOn,
  INT64_MAX,
  refusalOf,
  refusalOfCoins,
  refusalOfTrial,
  reverts,
} from "./_checks.ts";

type Answered = Extract<Trial, { kind: "answered" }>;

export async function prepareTransfer(
  pool: Pool<TronNode>,
  { request, price }: { request: TransferRequest; price: PriceOptions },
): Promise<Preflight> {
  invariant(price.outbids === undefined, "Transfers that expire are not outbid");
  const { contract } = request;
  const prices = await agreedPrices(pool);
  return await pool.read((node) =>
    contract === null
      ? prepareCoins(node, { request, price, prices })
      : prepareTokens(node, { request: { ...request, contract }, price, prices })
  );
}

interface Preparing {
  readonly request: TransferRequest;
  readonly price: PriceOptions;
  readonly prices: Prices;
}

async function prepareCoins(
  node: TronNode,
  { request, price, prices }: Preparing,
): Promise<Preflight> {
  const [from, to] = [hexOfAddress(request.from), hexOfAddress(request.to)];
  return coinsBetween(await endsOn(node, { from, to, prices }), { request, price });
}

type Asked = Omit<Preparing, "prices">;

export function coinsBetween(ends: Ends, { request, price }: Asked): Preflight {
  const { amountRaw } = request;
  const [from, to] = [hexOfAddress(request.from), hexOfAddress(request.to)];
  if (amountRaw <= 0n || amountRaw > INT64_MAX) return reverts(`${amountRaw} cannot be sent`);
  const refusal = refusalOf({ from, to, ...ends }) ?? refusalOfCoins(ends);
  if (refusal) return refusal;
  const { refBlock } = ends;
  const call = { kind: "transfer", from, to, amountRaw } as const;
  const detail: TronDetail = { refBlock, call, feeLimitRaw: 0n };
  const feeAtMostRaw = coinsFee(detail, ends);
  const charge = coinsCharge(detail, ends);
  const nativeCostAfter = (others: number) => amountRaw + coinsFee(detail, { ...ends, others });
  const costs = {
    nativeCostMaxRaw: amountRaw + feeAtMostRaw,
    nativeCostAfter,
    feeAtMostRaw,
    charge,
  };
  return aboveFeeMax(charge, price) ?? { kind: "ready", prepared: { request, ...costs, detail } };
}

async function prepareTokens(
  node: TronNode,
  { request, price, prices }: Preparing & { request: { contract: string } },
): Promise<Preflight> {
  const [from, to] = [hexOfAddress(request.from), hexOfAddress(request.to)];
  const [ends, trial, toNew] = await Promise.all([
    endsOn(node, { from, to, prices }),
    tryTokens(node, { ...request, to }),
    request.asToNewHolder ? tryTokens(node, { ...request, to: nobody() }) : undefined,
  ]);
  return tokensBetween(ends, { request, price, trial, toNew });
}

/** The recipient in hex. */
export function tryTokens(
  node: TronNode,
  { from, to, contract, amountRaw }: TransferRequest & { contract: string },
): Promise<Trial> {
  return tryCall(node, {
    from: hexOfAddress(from),
    contract: hexOfAddress(contract),
    function: TRANSFER_FUNCTION,
    arguments: transferArguments({ to, amountRaw }),
  });
}

export function tokensBetween(
  ends: Omit<Ends, "receiver">,
  { request, price, trial, toNew }: Asked & {
    request: { contract: string };
    trial: Trial;
    toNew?: Trial | undefined;
  },
): Preflight {
  const { amountRaw } = request;
  const [from, to] = [hexOfAddress(request.from), hexOfAddress(request.to)];
  const contract = hexOfAddress(request.contract);
  const args = transferArguments({ to, amountRaw });
  const { resources, refBlock, prices } = ends;
  const refusal = refusalOf({ from, to, ...ends }) ?? refusalOfTrial(trial, { contract, to }) ??
    energyTooExpensive(prices, price.gasPriceMaxRaw);
  if (refusal) return refusal;
  invariant(trial.kind === "answered", "A failed trial was refused");
  const costOf = (energy: bigint) => energyCost(energy, { prices, energyMax: price.gasMax });
  const likely = costOf(trial.energy);
  if (likely.kind === "refused") return likely;
  const most = costOf(mostOf({ trial, toNew, energyMax: price.gasMax }));
  const call = { kind: "trigger", from, contract, data: TRANSFER_SELECTOR + args } as const;
  const limited = ({ energy, feeLimitRaw }: EnergyCost) => {
    const detail: TronDetail = { refBlock, call, feeLimitRaw };
    const bytes = bytesOnChain(detail);
    const charge = { gas: energy, maxRaw: feeLimitRaw + bytes * prices.perByteRaw };
    return { detail, bytes, charge, above: aboveFeeMax(charge, price) };
  };
  // Energy reserved for a holder who may empty his balance is no reason to refuse.
  const reserved = most.kind === "refused" ? undefined : limited(most);
  const { detail, bytes, charge, above } = reserved && !reserved.above ? reserved : limited(likely);
  const nativeCostAfter = (others: number) =>
    burnedFor(likely.energy, { resources, prices, others }) +
    bandwidthFee(bytes, { resources, prices, others });
  const feeAtMostRaw = nativeCostAfter(0);
  const costs = { nativeCostMaxRaw: feeAtMostRaw, nativeCostAfter, feeAtMostRaw, charge };
  return above ?? { kind: "ready", prepared: { request, ...costs, detail } };
}

/** A token may refuse holders it doesn't know. */
function mostOf(
  { trial: { energy }, toNew, energyMax }: {
    trial: Answered;
    toNew: Trial | undefined;
    energyMax: bigint | null | undefined;
  },
): bigint {
  if (toNew?.kind !== "answered" || toNew.energy <= energy) return energy;
  return energyMax === null || energyMax === undefined || toNew.energy < energyMax
    ? toNew.energy
    : energyMax;
}

function nobody(): string {
  return `41${toHex(crypto.getRandomValues(new Uint8Array(20)))}`;
}
