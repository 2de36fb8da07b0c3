import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import { NodeError } from "../../faults.ts";
import { nodeAddress } from "../address.ts";
import { hash32, hexBytes, type Json, list, quantity, record, safeNumber } from "../decode.ts";

export interface EvmReceipt {
  readonly txHash: string;
  readonly blockHash: string;
  readonly height: number;
  readonly succeeded: boolean;
  readonly feeRaw: bigint;
  /** In the order of the transaction, so that an index into it survives a reorganisation. */
  readonly logs: readonly EvmLog[];
}

export interface EvmLog {
  readonly contract: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly txHash: string;
  readonly blockHash: string;
  readonly height: number;
  /** Index inside the block; another fork may number the same log differently. */
  readonly index: number;
}

export async function decodeReceipt(value: unknown, txHash: string): Promise<EvmReceipt> {
  if (value === null) throw new NodeError(`The node has no receipt of ${txHash}`);
  const receipt = record(value, "a receipt");
  const decoded = {
    txHash: hash32(receipt.transactionHash, "a receipt's transactionHash"),
    blockHash: hash32(receipt.blockHash, "a receipt's blockHash"),
    height: safeNumber(receipt.blockNumber, "a receipt's blockNumber"),
    succeeded: decodeStatus(receipt.status, txHash),
    feeRaw: decodeFee(receipt),
    logs: await mapInPortions(list(receipt.logs, "a receipt's logs"), decodeLog),
  };
  if (decoded.txHash !== txHash) {
    throw new NodeError(`The node answered the receipt of ${decoded.txHash} for ${txHash}`);
  }
  checkOwnLogs(decoded);
  return decoded;
}

export function decodeLog(value: unknown): EvmLog {
  const log = record(value, "a log");
  if (log.removed === true) throw new NodeError("The node answered a log that it removed");
  return {
    contract: nodeAddress(log.address, "a log's address"),
    topics: list(log.topics, "a log's topics").map((topic) => hash32(topic, "a topic")),
    data: hexBytes(log.data, "a log's data"),
    txHash: hash32(log.transactionHash, "a log's transactionHash"),
    blockHash: hash32(log.blockHash, "a log's blockHash"),
    height: safeNumber(log.blockNumber, "a log's blockNumber"),
    index: safeNumber(log.logIndex, "a log's index"),
  };
}

function decodeStatus(value: unknown, txHash: string): boolean {
  const status = quantity(value, "a receipt's status");
  if (status > 1n) throw new NodeError(`The receipt of ${txHash} has status ${status}`);
  return status === 1n;
}

/** OP Stack chains charge for L1 data and for their operator on top of gas. */
function decodeFee(receipt: Json): bigint {
  const price = quantity(receipt.effectiveGasPrice, "a receipt's effectiveGasPrice");
  const gasUsed = quantity(receipt.gasUsed, "a receipt's gasUsed");
  return gasUsed * price + optional(receipt, "l1Fee") + operatorFee(receipt, gasUsed);
}

/** Since Jovian (receipts with a footprint) the scalar counts hundreds per gas, before it millionths. */
function operatorFee(receipt: Json, gasUsed: bigint): bigint {
  const byGas = gasUsed * optional(receipt, "operatorFeeScalar");
  const isJovian = (receipt.daFootprintGasScalar ?? null) !== null;
  return (isJovian ? byGas * 100n : byGas / 1_000_000n) + optional(receipt, "operatorFeeConstant");
}

function optional(receipt: Json, name: string): bigint {
  return receipt[name] ? quantity(receipt[name], `a receipt's ${name}`) : 0n;
}

function checkOwnLogs({ txHash, blockHash, logs }: EvmReceipt): void {
  let last = -1;
  for (const log of logs) {
    if (log.txHash !== txHash || log.blockHash !== blockHash || log.index <= last) {
      throw new NodeError(`The logs in the receipt of ${txHash} are foreign or out of order`);
    }
    last = log.index;
  }
}
