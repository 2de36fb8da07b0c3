import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import type { Hex } from "viem";
import { NodeError } from "../faults.ts";
import { asHex, hexBytes } from "./decode.ts";

/** The same address on every chain that has it: https://www.multicall3.com */
export const MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11";

const ABI = [
  {
    type: "function",
    name: "aggregate3",
    stateMutability: "payable",
    inputs: [{
      name: "calls",
      type: "tuple[]",
      components: [
        { name: "target", type: "address" },
        { name: "allowFailure", type: "bool" },
        { name: "callData", type: "bytes" },
      ],
    }],
    outputs: [{
      name: "returnData",
      type: "tuple[]",
      components: [{ name: "success", type: "bool" }, { name: "returnData", type: "bytes" }],
    }],
  },
  {
    type: "function",
    name: "getEthBalance",
    stateMutability: "view",
    inputs: [{ name: "addr", type: "address" }],
    outputs: [{ name: "balance", type: "uint256" }],
  },
] as const;

export interface InnerCall {
  readonly target: string;
  readonly data: string;
}

/** The whole call fails if one of its calls does. */
export function aggregateCall(calls: readonly InnerCall[]): string {
  const args = calls.map(({ target, data }) => ({
    target: asHex(target),
    allowFailure: false,
    callData: asHex(data),
  }));
  return encodeFunctionData({ abi: ABI, functionName: "aggregate3", args: [args] });
}

export function nativeBalanceCall(address: string): string {
  return encodeFunctionData({ abi: ABI, functionName: "getEthBalance", args: [asHex(address)] });
}

/** In the order of the calls. */
export function readAggregate(answer: unknown, count: number): string[] {
  const data = asHex(hexBytes(answer, "an aggregate's answer"));
  const results = decodeResults(data);
  if (results.length !== count || results.some(({ success }) => !success)) {
    throw new NodeError(`Multicall3 answered ${results.length} of ${count} calls, or failures`);
  }
  return results.map(({ returnData }) => returnData);
}

function decodeResults(data: Hex) {
  try {
    return decodeFunctionResult({ abi: ABI, functionName: "aggregate3", data });
  } catch (cause) {
    throw new NodeError("Multicall3 answered what cannot be read", { cause });
  }
}
