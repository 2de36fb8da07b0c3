import { toHex } from "../../../base/bytes.ts";
import type { TransferRequest } from "../../transfer.ts";
import { hexOf } from "../decode.ts";
import { transferCall } from "../erc20.ts";
import type { Fee } from "./fees.ts";
import type { RpcCall } from "../rpc.ts";
import type { EvmDetail } from "./unsigned.ts";

type Call = Pick<EvmDetail, "to" | "valueRaw" | "data">;

export interface TrialOptions {
  readonly request: TransferRequest;
  /** The sender's coins are checked elsewhere and may not have arrived yet. */
  readonly isFunded: boolean;
  /** The price it will offer. Without it, only the coins sent are needed. */
  readonly fee?: Fee;
  /** The limit for code. */
  readonly gasMax?: bigint | null | undefined;
  /** What will probably be signed, so that it is rehearsed in the same body. */
  readonly likely?: Signed | undefined;
}

/** Both exactly as they will be signed: code can look at them and behave differently without. */
export interface Signed {
  readonly gas: bigint;
  readonly fee: Fee;
}

/** More than any chain needs for a plain transfer, and too little to answer megabytes with. */
const BASE_GAS_MAX = 3_000_000n;

export function callOf({ contract, to, amountRaw }: TransferRequest): Call {
  if (contract === null) return { to, valueRaw: amountRaw, data: "0x" };
  return { to: contract, valueRaw: 0n, data: transferCall({ to, amountRaw }) };
}

export const ESTIMATE = "eth_estimateGas";

/**
 * Two calls: an estimate may not check the balance, and a call doesn't report its gas. Pinned to
 * the newest block, because some nodes would estimate on top of their pool, at its price.
 */
export function callsFor(
  { request, fee, gasMax, likely }: TrialOptions,
  overrides?: unknown,
): RpcCall[] {
  const { to, valueRaw, data } = callOf(request);
  const gas = hexOf(BASE_GAS_MAX + (gasMax ?? BASE_GAS_MAX));
  const tx = { from: request.from, to, value: hexOf(valueRaw), data, gas, ...offered(fee) };
  const params = atLatest(tx, overrides);
  return [
    { method: ESTIMATE, params },
    { method: "eth_call", params },
    { method: "eth_getCode", params: [to, "latest"] },
    ...isForNewHolder(request) ? [toNewHolder({ request, tx, overrides })] : [],
    ...likely ? [rehearsalCall({ request, ...likely }, overrides)] : [],
  ];
}

/** Overrides are a last resort: code that looks at balances would see them. */
export function rehearsalCall(
  { request, gas, fee }: Signed & Pick<TrialOptions, "request">,
  overrides?: unknown,
): RpcCall {
  const { to, valueRaw, data } = callOf(request);
  const tx = { from: request.from, to, value: hexOf(valueRaw), data };
  const full = { ...tx, gas: hexOf(gas), ...offered(fee) };
  return { method: "eth_call", params: atLatest(full, overrides) };
}

export function isForNewHolder({ asToNewHolder = false, contract }: TransferRequest): boolean {
  return asToNewHolder && contract !== null;
}

function toNewHolder(
  { request, tx, overrides }: { request: TransferRequest; tx: object; overrides: unknown },
): RpcCall {
  const { data } = callOf({ ...request, to: nobody() });
  return { method: ESTIMATE, params: atLatest({ ...tx, data }, overrides) };
}

/**
 * The same call to an unused account: gas above this is used by code. The smallest amount stands
 * for any other, so one question serves all similar transfers.
 */
export function baseOf(
  { request }: TrialOptions,
  overrides?: unknown,
): { key: string; call: RpcCall } {
  const { valueRaw, data } = callOf(request);
  const value = hexOf(valueRaw > 0n ? 1n : 0n);
  const tx = { from: request.from, to: nobody(), value, data };
  return {
    key: `${value} ${data.length}`,
    call: { method: ESTIMATE, params: atLatest(tx, overrides) },
  };
}

function atLatest(tx: object, overrides: unknown): readonly unknown[] {
  return [tx, "latest", ...overrides === undefined ? [] : [overrides]];
}

/** Somebody could give a known address code or coins, and change what a new account costs. */
function nobody(): string {
  return `0x${toHex(crypto.getRandomValues(new Uint8Array(20)))}`;
}

function offered(fee: Fee | undefined): Readonly<Record<string, string>> {
  if (fee === undefined) return {};
  if (fee.kind === "legacy") return { gasPrice: hexOf(fee.gasPriceRaw) };
  return { maxFeePerGas: hexOf(fee.maxFeeRaw), maxPriorityFeePerGas: hexOf(fee.tipRaw) };
}
