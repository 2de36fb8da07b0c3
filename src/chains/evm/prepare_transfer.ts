import { invariant } from "../../base/assert.ts";
import type { Preflight, TransferRequest } from "../chain.ts";
import { hexOf, quantity } from "./decode.ts";
import type { Endpoints } from "./endpoints.ts";
import { isTransferAnswerOk, transferCall } from "./erc20.ts";
import { isRevert, isUnaffordable } from "./error_classes.ts";
import { type Fee, type GasMarket, gasPriceMax } from "./fees.ts";
import { resultOf, type Rpc, type RpcItem } from "./rpc.ts";

/** Everything of the transaction but its nonce. */
export interface EvmDetail {
  readonly chainId: number;
  readonly to: string;
  readonly valueRaw: bigint;
  readonly data: string;
  readonly gas: bigint;
  readonly fee: Fee;
}

const REASON_CHARS_MAX = 200;

export async function prepareTransfer(
  endpoints: Endpoints,
  { request, market }: { request: TransferRequest; market: () => Promise<GasMarket> },
): Promise<Preflight> {
  invariant(request.amountRaw >= 0n, `Cannot transfer ${request.amountRaw}`);
  const call = callOf(request);
  const [{ chainId, blockGasLimit, fee }, trial] = await Promise.all([
    market(),
    endpoints.read((rpc) => tryOut(rpc, { request, call })),
  ]);
  if (trial.kind === "refused") return trial;
  if (trial.gas > blockGasLimit) {
    return { kind: "refused", reason: `it needs ${trial.gas} gas, a block has ${blockGasLimit}` };
  }
  const withMargin = (trial.gas * 6n + 4n) / 5n;
  const gas = withMargin < blockGasLimit ? withMargin : blockGasLimit;
  const detail: EvmDetail = { chainId, ...call, gas, fee };
  const nativeCostMaxRaw = call.valueRaw + gas * gasPriceMax(fee);
  return { kind: "ready", prepared: { request, nativeCostMaxRaw, detail } };
}

type Call = Pick<EvmDetail, "to" | "valueRaw" | "data">;

function callOf({ contract, to, amountRaw }: TransferRequest): Call {
  if (contract === null) return { to, valueRaw: amountRaw, data: "0x" };
  return { to: contract, valueRaw: 0n, data: transferCall({ to, amountRaw }) };
}

type Trial =
  | { readonly kind: "passed"; readonly gas: bigint }
  | { readonly kind: "refused"; readonly reason: string };

async function tryOut(
  rpc: Rpc,
  { request, call }: { request: TransferRequest; call: Call },
): Promise<Trial> {
  const tx = { from: request.from, to: call.to, value: hexOf(call.valueRaw), data: call.data };
  const [estimate, answer, code] = await rpc.batch([
    { method: "eth_estimateGas", params: [tx] },
    { method: "eth_call", params: [tx, "latest"] },
    { method: "eth_getCode", params: [call.to, "latest"] },
  ]);
  for (const item of [estimate!, answer!]) {
    const reason = refusalOf(item);
    if (reason !== undefined) return { kind: "refused", reason };
  }
  if (request.contract !== null) {
    // A call of an address without code succeeds and answers nothing, just as USDT does.
    if (resultOf(code!) === "0x") return { kind: "refused", reason: "no contract is there" };
    if (!isTransferAnswerOk(resultOf(answer!))) {
      return { kind: "refused", reason: "the token answers that it would not transfer" };
    }
  }
  return { kind: "passed", gas: quantity(resultOf(estimate!), "a gas estimate") };
}

/** Undefined where the call went through. Any other error says nothing about the transfer. */
function refusalOf(item: RpcItem): string | undefined {
  if (item.ok) return undefined;
  if (isRevert(item.error) || isUnaffordable(item.error)) {
    return item.error.text.slice(0, REASON_CHARS_MAX);
  }
  throw item.error;
}
