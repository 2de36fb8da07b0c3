import type { Refused, TransferRequest } from "../chain.ts";
import { hexBytes, hexOf, quantity } from "./decode.ts";
import { isTransferAnswerOk, transferCall } from "./erc20.ts";
import { isRevert, isUnaffordable } from "./error_classes.ts";
import { resultOf, type Rpc, type RpcItem } from "./rpc.ts";
import type { EvmDetail } from "./unsigned.ts";

export type Call = Pick<EvmDetail, "to" | "valueRaw" | "data">;

export type Trial =
  | {
    readonly kind: "passed";
    readonly gas: bigint;
    /** Of whom is called: a recipient of coins, or a token. */
    readonly hasCode: boolean;
  }
  | Refused;

export interface TrialOptions {
  readonly request: TransferRequest;
  /** The sender's coins are reckoned with elsewhere, and none may be there yet. */
  readonly isFunded: boolean;
}

const REASON_CHARS_MAX = 200;

export function callOf({ contract, to, amountRaw }: TransferRequest): Call {
  if (contract === null) return { to, valueRaw: amountRaw, data: "0x" };
  return { to: contract, valueRaw: 0n, data: transferCall({ to, amountRaw }) };
}

/** Without a gas price, so that it needs no coins but those it sends. */
export async function tryOut(rpc: Rpc, { request, isFunded }: TrialOptions): Promise<Trial> {
  const trial = await simulate(rpc, request);
  const isShort = trial.kind === "refused" && trial.cause === "unaffordable";
  if (!isShort || !isFunded) return trial;
  // A node may charge its L1 fees in a trial too.
  const balance = hexOf(request.amountRaw + PLENTY_RAW);
  return await simulate(rpc, request, { [request.from]: { balance } });
}

const PLENTY_RAW = 2n ** 96n;

async function simulate(rpc: Rpc, request: TransferRequest, overrides?: unknown): Promise<Trial> {
  const { to, valueRaw, data } = callOf(request);
  const tx = { from: request.from, to, value: hexOf(valueRaw), data };
  const params = [tx, "latest", ...overrides === undefined ? [] : [overrides]];
  const [estimate, answer, code] = await rpc.batch([
    { method: "eth_estimateGas", params: overrides === undefined ? [tx] : params },
    { method: "eth_call", params },
    { method: "eth_getCode", params: [to, "latest"] },
  ]);
  const refused = refusalOf(estimate!) ?? refusalOf(answer!);
  if (refused) return refused;
  const hasCode = hexBytes(resultOf(code!), "code") !== "0x";
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
