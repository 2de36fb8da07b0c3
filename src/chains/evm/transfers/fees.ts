import { formatGwei, parseTransaction } from "viem/utils";
import { invariant } from "../../../base/assert.ts";
import { asHex } from "../decode.ts";
import type { Offer } from "../../family.ts";
import type { TransferRefused } from "../../transfer.ts";
import type { PriceOptions } from "../../price.ts";

/** What a transaction offers per unit of gas. */
export type Fee =
  | { readonly kind: "eip1559"; readonly maxFeeRaw: bigint; readonly tipRaw: bigint }
  | { readonly kind: "legacy"; readonly gasPriceRaw: bigint };

/** What the chain asks per unit of gas. */
export type GasPrice =
  | { readonly kind: "eip1559"; readonly baseRaw: bigint; readonly tipRaw: bigint }
  | { readonly kind: "legacy"; readonly gasPriceRaw: bigint };

type Pricing = { readonly kind: "priced"; readonly fee: Fee } | TransferRefused;

/** A limit first cuts the reserve for a rising base fee. The tip never exceeds the price. */
export function priceGas(suggested: GasPrice, options: PriceOptions): Pricing {
  const { outbids, gasPriceMaxRaw: maxRaw = null } = options;
  const asked = believable(suggested, options);
  const nowRaw = priceNow(asked);
  if (maxRaw !== null && nowRaw > maxRaw) {
    return tooExpensive(
      `a unit of gas costs ${formatGwei(nowRaw)} gwei, the limit is ${formatGwei(maxRaw)}`,
    );
  }
  const fee = offer(asked, maxRaw);
  if (outbids === undefined) return { kind: "priced", fee };
  const least = outbid(signedFee(outbids));
  if (maxRaw !== null && least.maxFeeRaw > maxRaw) {
    return tooExpensive(
      `only ${formatGwei(least.maxFeeRaw)} gwei for a unit of gas replace the earlier ` +
        `transaction, the limit is ${formatGwei(maxRaw)}`,
    );
  }
  return { kind: "priced", fee: atLeast(fee, least) };
}

/** A tip is always paid in full, so a node's suggestion is capped. */
function believable(suggested: GasPrice, { tipMaxRaw }: PriceOptions): GasPrice {
  if (tipMaxRaw === undefined) return suggested;
  return suggested.kind === "legacy"
    ? { ...suggested, gasPriceRaw: lower(suggested.gasPriceRaw, tipMaxRaw) }
    : { ...suggested, tipRaw: lower(suggested.tipRaw, tipMaxRaw) };
}

function priceNow(asked: GasPrice): bigint {
  return asked.kind === "legacy" ? asked.gasPriceRaw : asked.baseRaw + asked.tipRaw;
}

/** The lowest price that gets mined now and replaces the earlier bid. */
export function priceLeast(suggested: GasPrice, options: PriceOptions): bigint {
  const nowRaw = priceNow(believable(suggested, options));
  if (options.outbids === undefined) return nowRaw;
  return higher(nowRaw, outbid(signedFee(options.outbids)).maxFeeRaw);
}

export function priceOffered(fee: Fee): bigint {
  return fee.kind === "legacy" ? fee.gasPriceRaw : fee.maxFeeRaw;
}

export function isSameFee(one: Fee, other: Fee): boolean {
  return one.kind === "legacy"
    ? other.kind === "legacy" && one.gasPriceRaw === other.gasPriceRaw
    : other.kind === "eip1559" && one.maxFeeRaw === other.maxFeeRaw && one.tipRaw === other.tipRaw;
}

/** Everything offered is paid, so that the cost is exact. */
export function atFixedPrice(fee: Fee): Fee {
  return fee.kind === "legacy" ? fee : { ...fee, tipRaw: fee.maxFeeRaw };
}

/** Twice the base fee outlasts six full blocks in a row, each of which raises it by an eighth. */
function offer(asked: GasPrice, maxRaw: bigint | null): Fee {
  if (asked.kind === "legacy") return asked;
  const { baseRaw, tipRaw } = asked;
  const wantedRaw = 2n * baseRaw + tipRaw;
  const maxFeeRaw = maxRaw !== null && wantedRaw > maxRaw ? maxRaw : wantedRaw;
  return { kind: "eip1559", maxFeeRaw, tipRaw };
}

interface Caps {
  readonly maxFeeRaw: bigint;
  readonly tipRaw: bigint;
}

export function offerIn(raw: string): Offer {
  const { gas, maxFeeRaw } = signedFee(raw);
  return { gas, priceRaw: maxFeeRaw };
}

function signedFee(raw: string): Caps & Pick<Offer, "gas"> {
  const tx = parseTransaction(asHex(raw));
  invariant(
    tx.type === "legacy" || tx.type === "eip1559" || tx.type === "eip7702",
    `Cannot replace a transaction of the type ${tx.type}`,
  );
  // viem parses a price of zero as undefined.
  const gasPriceRaw = tx.gasPrice ?? 0n;
  const { gas = 0n, maxFeePerGas: maxFeeRaw = 0n, maxPriorityFeePerGas: tipRaw = 0n } = tx;
  return tx.type === "legacy"
    ? { gas, maxFeeRaw: gasPriceRaw, tipRaw: gasPriceRaw }
    : { gas, maxFeeRaw, tipRaw };
}

/** Nodes demand a tenth more on both; a legacy price counts as both. */
function outbid({ maxFeeRaw, tipRaw }: Caps): Caps {
  return { maxFeeRaw: eighthMore(maxFeeRaw), tipRaw: eighthMore(tipRaw) };
}

function eighthMore(raw: bigint): bigint {
  return raw === 0n ? 1n : (raw * 9n + 7n) / 8n;
}

function atLeast(fee: Fee, least: Caps): Fee {
  if (fee.kind === "legacy") {
    return { kind: "legacy", gasPriceRaw: higher(fee.gasPriceRaw, least.maxFeeRaw) };
  }
  return {
    kind: "eip1559",
    maxFeeRaw: higher(fee.maxFeeRaw, least.maxFeeRaw),
    tipRaw: higher(fee.tipRaw, least.tipRaw),
  };
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function higher(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function tooExpensive(reason: string): TransferRefused {
  return { kind: "refused", cause: "too_expensive", reason };
}
