import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import { NodeError } from "../../faults.ts";
import { fromEvmAddress, nodeAddress } from "../address.ts";
import { wordsOf } from "../node.ts";
import { amount, hash32, hexBytes, type Json, list, record, safeNumber } from "../decode.ts";

/** Calls that move the coins they name. Lent and frozen stakes come in the same fields. */
const PAYING_NOTES: ReadonlySet<string> = new Set(["call", "create", "suicide"]);

/** The result of a transaction. */
export interface TransactionInfo {
  readonly txHash: string;
  readonly height: number;
  readonly atMs: number;
  readonly isFailed: boolean;
  /** The contract call's result; undefined if it called none. */
  readonly result: string | undefined;
  readonly feeRaw: bigint;
  /** Coins that came back from a stake. */
  readonly collectedRaw: bigint;
  readonly logs: readonly TronLog[];
  /** Undefined if the node reports no inner calls. */
  readonly inner: readonly InnerPayment[] | undefined;
}

export interface TronLog {
  readonly contract: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** Coins sent by a contract. */
interface InnerPayment {
  /** Counts the calls that moved coins, from 1. */
  readonly index: number;
  readonly from: string;
  readonly to: string;
  readonly amountRaw: bigint;
}

export async function decodeInfo(value: unknown): Promise<TransactionInfo> {
  const info = record(value, "a transaction's result");
  const receipt = record(info.receipt ?? {}, "a receipt");
  return {
    txHash: hash32(info.id, "a transaction's id"),
    height: safeNumber(info.blockNumber, "a transaction's block"),
    atMs: safeNumber(info.blockTimeStamp, "a transaction's time"),
    isFailed: info.result === "FAILED",
    result: typeof receipt.result === "string" ? receipt.result : undefined,
    feeRaw: amount(info.fee, "a fee"),
    collectedRaw: amount(info.withdraw_expire_amount, "what came back from a stake"),
    logs: await mapInPortions(list(info.log ?? [], "logs"), decodeLog),
    inner: info.internal_transactions === undefined
      ? undefined
      : innerPayments(list(info.internal_transactions, "the calls inside")),
  };
}

export function decodeLog(value: unknown): TronLog {
  const { address, topics, data } = record(value, "a log");
  const contract = hexBytes(address, "a log's contract");
  if (contract.length !== 40) throw new NodeError(`Cannot read a log's contract: ${contract}`);
  return {
    contract: fromEvmAddress(contract),
    topics: list(topics ?? [], "a log's topics").map((topic) => hash32(topic, "a log's topic")),
    data: hexBytes(data, "a log's data"),
  };
}

function innerPayments(calls: readonly unknown[]): InnerPayment[] {
  return calls.map((call) => record(call, "a call inside"))
    .filter(({ rejected, note }) => rejected !== true && PAYING_NOTES.has(wordsOf(note)))
    .flatMap(paymentsOf)
    .map((payment, i) => ({ index: 1 + i, ...payment }));
}

/** A value with a token id is not coins. */
function paymentsOf(call: Json): Omit<InnerPayment, "index">[] {
  const values = list(call.callValueInfo ?? [], "a call's values")
    .map((value) => record(value, "a call's value"))
    .filter(({ tokenId }) => tokenId === undefined || tokenId === "")
    .map(({ callValue }) => amount(callValue, "a call's value"))
    .filter((amountRaw) => amountRaw > 0n);
  if (values.length === 0) return [];
  const from = nodeAddress(call.caller_address, "a caller");
  const to = nodeAddress(call.transferTo_address, "who is called");
  return from === to ? [] : values.map((amountRaw) => ({ from, to, amountRaw }));
}
