import {
  type AnswerLimits,
  BODY_BYTES_MAX,
  LARGE,
  MEDIUM,
  SMALL,
  WHOLE,
  WORD,
} from "../pool/json/bounded_json.ts";

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Calls nest at most 1,024 deep, each in its caller's list. */
const TRACES: AnswerLimits = { ...WHOLE, depthMax: 2_100 };

const BY_METHOD: Readonly<Record<string, AnswerLimits>> = {
  eth_chainId: WORD,
  eth_blockNumber: WORD,
  eth_gasPrice: WORD,
  eth_maxPriorityFeePerGas: WORD,
  eth_getBalance: WORD,
  eth_getTransactionCount: WORD,
  eth_getStorageAt: WORD,
  eth_sendRawTransaction: WORD,
  web3_clientVersion: WORD,
  // The contract decides what it returns, even in an error.
  eth_call: MEDIUM,
  eth_estimateGas: MEDIUM,
  eth_getTransactionByHash: LARGE,
  eth_getTransactionReceipt: LARGE,
  eth_getLogs: WHOLE,
  eth_getBlockReceipts: WHOLE,
  debug_traceBlockByHash: TRACES,
  trace_block: WHOLE,
};

/** The limits of one body, added up over its calls. */
export function limitsOf(calls: readonly Call[]): AnswerLimits {
  const limits = calls.map(limitsOfCall);
  const bytes = limits.reduce((sum, { bytesMax }) => sum + bytesMax, 0);
  const depths = limits.flatMap(({ depthMax }) => depthMax ?? []);
  const bytesMax = Math.min(bytes, BODY_BYTES_MAX);
  return depths.length === 0 ? { bytesMax } : { bytesMax, depthMax: Math.max(...depths) };
}

function limitsOfCall({ method, params }: Call): AnswerLimits {
  if (method !== "eth_getBlockByNumber") return BY_METHOD[method] ?? SMALL;
  const hasTransactions = params[1] === true;
  return hasTransactions ? WHOLE : MEDIUM;
}
