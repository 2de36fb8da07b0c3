import { NEEDS_MORE_GAS, type TransferRefused } from "../../transfer.ts";
import type { Prices, Resources } from "../account.ts";
import { encodeRaw, encodeSigned, SIGNATURE_BYTES, type TronDetail } from "./transaction.ts";

/** Reserved in the block for each transaction's result, and charged like its bytes. */
const RESULT_BYTES = 64;
/** Any time of this century takes as many bytes. */
const SOME_TIME = { expirationMs: 1_800_000_600_000, timestampMs: 1_800_000_000_000 };
/** A fifth more: the called code or the price of energy may change before it is mined. */
const ENERGY_MARGIN = { times: 6n, of: 5n };
/** Ten times the most expensive transfer of the largest token. A node may report anything. */
const FEE_LIMIT_MAX_RAW = 500_000_000n;

export function bytesOnChain(detail: TronDetail): bigint {
  const signed = encodeSigned(encodeRaw(detail, SOME_TIME), new Uint8Array(SIGNATURE_BYTES));
  return BigInt(signed.length + RESULT_BYTES);
}

/**
 * One of the two allowances must cover all bytes, otherwise every byte is paid for. The wallet's
 * other transfers that are mined first are assumed to be like this one.
 */
export function bandwidthFee(
  bytes: bigint,
  { resources: { freeBandwidth, stakedBandwidth }, prices, others = 0 }: {
    resources: Resources;
    prices: Prices;
    others?: number;
  },
): bigint {
  const taken = bytes * BigInt(others + 1);
  return stakedBandwidth >= taken || freeBandwidth >= taken ? 0n : bytes * prices.perByteRaw;
}

export interface EnergyCost {
  readonly kind: "cost";
  readonly energy: bigint;
  /** Part of the signed bytes: the maximum that may be used, whoever pays it. */
  readonly feeLimitRaw: bigint;
}

/** The part that is paid by burning coins after this many similar transfers have used the stake. */
export function burnedFor(
  energy: bigint,
  { resources, prices, others = 0 }: { resources: Resources; prices: Prices; others?: number },
): bigint {
  const left = resources.energy - energy * BigInt(others);
  const burned = left <= 0n ? energy : energy > left ? energy - left : 0n;
  return burned * prices.perEnergyRaw;
}

/** A payment to an account without code takes no energy, so all energy counts as used by code. */
export function energyCost(
  used: bigint,
  { prices, energyMax }: {
    prices: Prices;
    energyMax?: bigint | null | undefined;
  },
): EnergyCost | TransferRefused {
  if (energyMax !== null && energyMax !== undefined && used > energyMax) {
    return { kind: "refused", cause: "reverts", reason: NEEDS_MORE_GAS };
  }
  const { times, of } = ENERGY_MARGIN;
  const wanted = (used * times + of - 1n) / of;
  const energy = energyMax === null || energyMax === undefined || wanted < energyMax
    ? wanted
    : energyMax;
  const feeLimitRaw = energy * prices.perEnergyRaw;
  const limitRaw = prices.feeLimitMaxRaw < FEE_LIMIT_MAX_RAW
    ? prices.feeLimitMaxRaw
    : FEE_LIMIT_MAX_RAW;
  if (feeLimitRaw > limitRaw) {
    const reason = `it may burn ${feeLimitRaw} sun for energy, ${limitRaw} are allowed`;
    return { kind: "refused", cause: "too_expensive", reason };
  }
  return { kind: "cost", energy, feeLimitRaw };
}

/** An estimate for a payment whose bytes don't exist yet. */
const SOME_BYTES = 400n;

export function costNow({ perByteRaw, perEnergyRaw }: Prices, energy: bigint): bigint {
  return energy * perEnergyRaw + SOME_BYTES * perByteRaw;
}

/** The operator's limit is per unit of energy. */
export function energyTooExpensive(
  { perEnergyRaw }: Prices,
  priceMaxRaw: bigint | null | undefined,
): TransferRefused | undefined {
  if (priceMaxRaw === null || priceMaxRaw === undefined || perEnergyRaw <= priceMaxRaw) return;
  const reason = `energy costs ${perEnergyRaw} sun, the limit is ${priceMaxRaw}`;
  return { kind: "refused", cause: "too_expensive", reason };
}
