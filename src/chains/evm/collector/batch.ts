import type { Hex } from "viem";
import { decodeFunctionData, decodeFunctionResult, encodeFunctionData } from "viem/utils";
import { invariant } from "../../../base/assert.ts";
import type { CoinMove } from "../../collecting.ts";
import { NodeError } from "../../faults.ts";
import { movedBetween } from "../../token_moves.ts";
import { nodeAddress } from "../address.ts";
import type { EvmLog } from "../blocks/decode_receipt.ts";
import { asHex, hexBytes, word } from "../decode.ts";
import { readTransferLog } from "../erc20.ts";
import { MOVED_TOPIC, NOT_MOVED_TOPIC } from "./carried_out.ts";
import { NOBODY } from "./delegation.ts";
import { delegationTo } from "./deployment.ts";

const ABI = [{
  type: "function",
  name: "collect",
  stateMutability: "nonpayable",
  inputs: [
    { name: "gasEach", type: "uint256" },
    { name: "atLeast", type: "uint256" },
    {
      name: "orders",
      type: "tuple[]",
      components: [
        { name: "from", type: "address" },
        { name: "token", type: "address" },
        { name: "to", type: "address" },
        { name: "amount", type: "uint256" },
      ],
    },
  ],
  outputs: [{ name: "moved", type: "bytes" }],
}] as const;

export interface Batch {
  readonly orders: readonly CoinMove[];
  /** What an order may use at most; whatever fails uses it up. */
  readonly gasEach: bigint;
  /**
   * It fails as a whole if there isn't enough gas to try so many. All of them for an estimate, which
   * would otherwise find a limit that few are tried with.
   */
  readonly atLeast: number;
}

/** What an order needs around its own gas: OVERHEAD of the contract. */
const OVERHEAD = 10_000n;

/** The gas without which the contract begins no order. */
export function gasToBegin(gasEach: bigint): bigint {
  return gasEach + gasEach / 63n + OVERHEAD;
}

/** The data of a transaction to the collector. */
export function batchCall({ orders, gasEach, atLeast }: Batch): Hex {
  const coins = new Set(orders.map(({ from, contract }) => `${from} ${contract}`));
  // Or no balance could say which of the two was moved.
  invariant(coins.size === orders.length, "A batch empties no address of the same coin twice");
  invariant(orders.every(({ amountRaw }) => amountRaw > 0n), "An order moves something");
  invariant(orders.every(({ contract }) => contract !== NOBODY), "No token is at zero");
  const tuples = orders.map(({ from, contract, to, amountRaw }) => ({
    from: asHex(from),
    token: asHex(contract ?? NOBODY),
    to: asHex(to),
    amount: amountRaw,
  }));
  const args = [gasEach, BigInt(atLeast), tuples] as const;
  return encodeFunctionData({ abi: ABI, functionName: "collect", args });
}

/** Undefined unless `batchCall` makes exactly this data. */
export function readBatchCall(data: string): Batch | undefined {
  const batch = decoded(asHex(data));
  try {
    return batch && batchCall(batch) === data ? batch : undefined;
  } catch {
    return undefined;
  }
}

function decoded(data: Hex): Batch | undefined {
  try {
    const { args: [gasEach, atLeast, tuples] } = decodeFunctionData({ abi: ABI, data });
    const orders = tuples.map(({ from, token, to, amount: amountRaw }) => ({
      from: nodeAddress(from, "an order's address"),
      contract: token === NOBODY ? null : nodeAddress(token, "an order's token"),
      to: nodeAddress(to, "an order's recipient"),
      amountRaw,
    }));
    return { orders, gasEach, atLeast: Number(atLeast) };
  } catch {
    return undefined;
  }
}

/** For eth_call, as if these had delegated to the collector already. */
export function delegatedOverrides(
  { collector, addresses }: { collector: string; addresses: readonly string[] },
): Record<string, { code: Hex }> {
  const code = delegationTo(collector);
  return Object.fromEntries(addresses.map((address) => [address, { code }]));
}

/** What eth_call answers: whether each order was moved. */
export function readBatchTrial(answer: unknown, count: number): boolean[] {
  const data = asHex(hexBytes(answer, "a batch's answer"));
  const bytes = resultIn(data).slice(2).match(/../g) ?? [];
  if (bytes.length !== count || bytes.some((byte) => byte !== "00" && byte !== "01")) {
    throw new NodeError(`A batch of ${count} orders was answered with ${bytes.length}`);
  }
  return bytes.map((byte) => byte === "01");
}

function resultIn(data: Hex): Hex {
  try {
    return decodeFunctionResult({ abi: ABI, functionName: "collect", data });
  } catch (cause) {
    throw new NodeError("A batch was answered with what cannot be read", { cause });
  }
}

export type OrderOutcome =
  /** There was too little gas to begin it. */
  | { readonly kind: "untried" }
  | { readonly kind: "failed" }
  /** So it was said; `arrivedRaw` is by the token's own logs, and what an order for coins says. */
  | { readonly kind: "moved"; readonly arrivedRaw: bigint };

/**
 * By the logs of the batch's successful transaction, in the order of the batch. Each order tried has
 * one of the collector's; the token's own stand between it and the one before.
 */
export function readOutcomes(
  logs: readonly Pick<EvmLog, "contract" | "topics" | "data">[],
  { collector, orders }: { collector: string; orders: readonly CoinMove[] },
): OrderOutcome[] {
  const outcomes: OrderOutcome[] = [];
  let own: typeof logs[number][] = [];
  for (const log of logs) {
    if (log.contract !== collector) {
      own.push(log);
      continue;
    }
    const [topic, ...more] = log.topics;
    const order = orders[outcomes.length];
    const isNext = word(log.data, "an outcome") === BigInt(outcomes.length);
    const isKnown = topic === MOVED_TOPIC || topic === NOT_MOVED_TOPIC;
    if (!order || !isNext || !isKnown || more.length > 0) {
      throw new NodeError(`A batch of ${orders.length} orders has outcomes of another`);
    }
    outcomes.push(topic === MOVED_TOPIC ? movedBy(order, own) : { kind: "failed" });
    own = [];
  }
  const untried = orders.slice(outcomes.length).map((): OrderOutcome => ({ kind: "untried" }));
  return [...outcomes, ...untried];
}

function movedBy(
  { from, to, contract, amountRaw }: CoinMove,
  logs: Parameters<typeof readOutcomes>[0],
): OrderOutcome {
  if (contract === null) return { kind: "moved", arrivedRaw: amountRaw };
  const moves = logs.flatMap((log) => readTransferLog(log) ?? []);
  return { kind: "moved", arrivedRaw: movedBetween(moves, { contract, from, to }) };
}
