import type { Clock } from "../../base/clock.ts";
import { NodeError } from "../chain.ts";
import { hexOf, list, quantity, record, safeNumber } from "./decode.ts";
import type { Endpoints } from "./endpoints.ts";
import { resultOf, type Rpc, type RpcItem } from "./rpc.ts";

export type Fee =
  | { readonly kind: "eip1559"; readonly maxFeeRaw: bigint; readonly tipRaw: bigint }
  | { readonly kind: "legacy"; readonly gasPriceRaw: bigint };

/** What every transaction of the moment needs to know. */
export interface GasMarket {
  readonly chainId: number;
  readonly blockGasLimit: bigint;
  readonly fee: Fee;
}

const FRESH_MS = 1_000;
const HISTORY_BLOCKS = 10;

/** Many withdrawals at once share one answer. */
export function createGasMarket(endpoints: Endpoints, clock: Clock): () => Promise<GasMarket> {
  let asked: Promise<GasMarket> | undefined;
  let askedAtMs = 0;
  return () => {
    if (asked && clock.nowMs() - askedAtMs < FRESH_MS) return asked;
    const fresh = endpoints.read(readMarket);
    fresh.catch(() => asked = asked === fresh ? undefined : asked);
    asked = fresh;
    askedAtMs = clock.nowMs();
    return fresh;
  };
}

export function gasPriceMax(fee: Fee): bigint {
  return fee.kind === "legacy" ? fee.gasPriceRaw : fee.maxFeeRaw;
}

async function readMarket(rpc: Rpc): Promise<GasMarket> {
  const [chainId, latest, gasPrice, history, suggestedTip] = await rpc.batch([
    { method: "eth_chainId", params: [] },
    { method: "eth_getBlockByNumber", params: ["latest", false] },
    { method: "eth_gasPrice", params: [] },
    { method: "eth_feeHistory", params: [hexOf(HISTORY_BLOCKS), "latest", [50]] },
    { method: "eth_maxPriorityFeePerGas", params: [] },
  ]);
  const block = record(resultOf(latest!), "the latest block");
  const base = block.baseFeePerGas;
  const fee: Fee = base === undefined || base === null
    ? { kind: "legacy", gasPriceRaw: quantity(resultOf(gasPrice!), "a gas price") }
    : eip1559Fee(quantity(base, "a base fee"), { history: history!, suggestedTip: suggestedTip! });
  return {
    chainId: safeNumber(resultOf(chainId!), "a chain id"),
    blockGasLimit: quantity(block.gasLimit, "a block's gas limit"),
    fee,
  };
}

/** Twice the base fee outlasts six full blocks in a row, each of which raises it by an eighth. */
function eip1559Fee(
  baseRaw: bigint,
  { history, suggestedTip }: { history: RpcItem; suggestedTip: RpcItem },
): Fee {
  const paid = history.ok ? medianTip(history.result) : undefined;
  if (paid === undefined && !suggestedTip.ok) {
    throw new NodeError(
      "The node tells no tip: neither eth_feeHistory has one nor it suggests one",
    );
  }
  const tipRaw = paid ?? quantity(resultOf(suggestedTip), "a suggested tip");
  return { kind: "eip1559", maxFeeRaw: 2n * baseRaw + tipRaw, tipRaw };
}

/** Of the blocks in which anyone paid one. */
function medianTip(answer: unknown): bigint | undefined {
  const rewards = record(answer, "a fee history").reward;
  if (rewards === undefined || rewards === null) return undefined;
  const tips = list(rewards, "rewards")
    .map((row) => quantity(list(row, "rewards of a block")[0], "a reward"))
    .filter((tip) => tip > 0n)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return tips[tips.length >> 1];
}
