import { NodeError, type Refused, type TransferRequest } from "../chain.ts";
import { hexBytes, hexOf, quantity } from "./decode.ts";
import { isTransferAnswerOk, transferCall } from "./erc20.ts";
import { isRevert, isUnaffordable } from "./error_classes.ts";
import { resultOf, type Rpc, type RpcCall, type RpcItem } from "./rpc.ts";
import type { EvmDetail } from "./unsigned.ts";

export type Call = Pick<EvmDetail, "to" | "valueRaw" | "data">;

export type Trial =
  | {
    readonly kind: "passed";
    readonly gas: bigint;
    /** Of whom is called: a recipient of coins, or a token. Undefined: not asked. */
    readonly hasCode: boolean | undefined;
  }
  | Refused;

export interface TrialOptions {
  readonly request: TransferRequest;
  /** The sender's coins are reckoned with elsewhere, and none may be there yet. */
  readonly isFunded: boolean;
  /** Whether a recipient of coins has code matters beyond the gas that it needs. */
  readonly wantsCode?: boolean;
}

const REASON_CHARS_MAX = 200;

export function callOf({ contract, to, amountRaw }: TransferRequest): Call {
  if (contract === null) return { to, valueRaw: amountRaw, data: "0x" };
  return { to: contract, valueRaw: 0n, data: transferCall({ to, amountRaw }) };
}

/** Without a gas price, so that it needs no coins but those it sends. */
export async function tryOut(rpc: Rpc, options: TrialOptions): Promise<Trial> {
  const { request } = options;
  const trial = readTrial(request, await ask(rpc, callsFor(options)));
  if (!isTriedFunded(trial, options)) return trial;
  // A node may charge its L1 fees in a trial too.
  const balance = hexOf(request.amountRaw + PLENTY_RAW);
  const overrides = { [request.from]: { balance } };
  return readTrial(request, await rpc.batch(callsFor(options, overrides)));
}

const INVALID_PARAMS = -32_602;

/** Some old nodes estimate for a block of their choice, and take no other argument. */
async function ask(rpc: Rpc, calls: readonly [RpcCall, ...RpcCall[]]): Promise<RpcItem[]> {
  const items = await rpc.batch(calls);
  const [estimate, ...others] = items;
  if (estimate!.ok || estimate!.error.code !== INVALID_PARAMS) return items;
  const [{ method, params }] = calls;
  return [...await rpc.batch([{ method, params: params.slice(0, 1) }]), ...others];
}

const PLENTY_RAW = 2n ** 96n;

function isTriedFunded(trial: Trial, { isFunded }: TrialOptions): boolean {
  return isFunded && trial.kind === "refused" && trial.cause === "unaffordable";
}

/** In one body. Undefined: it takes a trial of its own to tell. */
export async function tryOutAll(
  rpc: Rpc,
  asked: readonly TrialOptions[],
): Promise<(Trial | undefined)[]> {
  const calls = asked.map((options) => callsFor(options));
  const items = await rpc.batch(calls.flat());
  let at = 0;
  return asked.map((options, i) => {
    const own = items.slice(at, at += calls[i]!.length);
    try {
      const trial = readTrial(options.request, own);
      return isTriedFunded(trial, options) ? undefined : trial;
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      return undefined;
    }
  });
}

/**
 * Both: an estimate may not look whether the coins are there, and a call does not tell the gas. Of the
 * newest block: some nodes would estimate on top of all that waits in their pool, at its price.
 */
function callsFor(
  { request, wantsCode = false }: TrialOptions,
  overrides?: unknown,
): [RpcCall, ...RpcCall[]] {
  const { to, valueRaw, data } = callOf(request);
  const tx = { from: request.from, to, value: hexOf(valueRaw), data };
  const params = [tx, "latest", ...overrides === undefined ? [] : [overrides]];
  const estimate = { method: "eth_estimateGas", params };
  const call = { method: "eth_call", params };
  if (request.contract === null && !wantsCode) return [estimate, call];
  return [estimate, call, { method: "eth_getCode", params: [to, "latest"] }];
}

function readTrial(request: TransferRequest, items: readonly RpcItem[]): Trial {
  const [estimate, answer, code] = items;
  const refused = refusalOf(estimate!) ?? refusalOf(answer!);
  if (refused) return refused;
  const hasCode = code && hexBytes(resultOf(code), "code") !== "0x";
  if (request.contract !== null) {
    // A call of an address without code succeeds and answers nothing, just as USDT does.
    if (!hasCode) return reverts("no contract is there");
    if (!isTransferAnswerOk(resultOf(answer!))) {
      return reverts("the token answers that it would not transfer");
    }
  }
  return { kind: "passed", gas: quantity(resultOf(estimate!), "a gas estimate"), hasCode };
}

export function reverts(reason: string): Refused {
  return { kind: "refused", cause: "reverts", reason };
}

/** Undefined where the call went through. Any other error says nothing about the transfer. */
function refusalOf(item: RpcItem): Refused | undefined {
  if (item.ok) return undefined;
  const reason = item.error.text.slice(0, REASON_CHARS_MAX);
  if (isRevert(item.error)) return reverts(reason);
  if (isUnaffordable(item.error)) return { kind: "refused", cause: "unaffordable", reason };
  throw item.error;
}
