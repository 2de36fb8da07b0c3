import { keccak_256 } from "@noble/hashes/sha3.js";
import { INIT_CODE, RUNTIME_CODE } from "../../src/chains/evm/collector/bytecode.ts";
import type { Address } from "./evm_state.ts";

/** What one call does: all of it, or nothing but using up gas. */
export interface Done {
  readonly succeeded: boolean;
  readonly gas: bigint;
  readonly logs: readonly Log[];
  readonly inner: readonly Inner[];
}

export interface Log {
  readonly address: Address;
  readonly topics: readonly string[];
  readonly data: string;
}

export interface Inner {
  readonly from: Address;
  readonly to: Address;
  readonly valueRaw: bigint;
}

export interface BatchOrder {
  readonly from: Address;
  /** Null for coins. */
  readonly token: Address | null;
  readonly to: Address;
  readonly amountRaw: bigint;
}

interface Batch {
  readonly gasEach: bigint;
  readonly atLeast: number;
  readonly orders: readonly BatchOrder[];
}

/** What the contract keeps around an order's own gas. */
const OVERHEAD = 10_000n;
/** What it uses of that. */
const LOOK_GAS = 4_000n;
const CREATED_BYTE_GAS = 200n;

export const MOVED = topicOf("Moved(uint256)");
export const NOT_MOVED = topicOf("NotMoved(uint256)");

function topicOf(event: string): string {
  return `0x${keccak_256(new TextEncoder().encode(event)).toHex()}`;
}

/** Undefined unless this data deploys a collector; the gas wallet's address is its last word. */
export function ownerDeployed(data: string): Address | undefined {
  const isOurs = data.length === INIT_CODE.length + 64 && data.startsWith(INIT_CODE);
  return isOurs ? `0x${data.slice(-40)}` : undefined;
}

export const DEPLOYED_GAS = CREATED_BYTE_GAS * BigInt(RUNTIME_CODE.length / 2 - 1);

/** As the contract reads it, word by word, whatever is called. */
export function batchIn(data: string): Batch | undefined {
  const word = (i: number) => data.slice(10 + 64 * i, 74 + 64 * i).padEnd(64, "0");
  const addressAt = (i: number) => `0x${word(i).slice(24)}`;
  const numberAt = (i: number) => BigInt(`0x${word(i)}`);
  const count = numberAt(3);
  if (count >= 2n ** 32n || BigInt(data.length) !== 10n + 64n * (4n + 4n * count)) return undefined;
  const orders = Array.from({ length: Number(count) }, (_, i): BatchOrder => ({
    from: addressAt(4 + 4 * i),
    token: numberAt(5 + 4 * i) === 0n ? null : addressAt(5 + 4 * i),
    to: addressAt(6 + 4 * i),
    amountRaw: numberAt(7 + 4 * i),
  }));
  return { gasEach: numberAt(0), atLeast: Number(numberAt(1)), orders };
}

interface Carried extends Done {
  /** The least gas with which so much is tried. */
  readonly gasNeeded: bigint;
  readonly output: string;
}

/**
 * Order by order, as long as the gas that an order may use is left. Each leaves one log of the
 * contract, which says whether its address delegates to it and the order was moved.
 */
export function carryOut(
  { gasEach, atLeast, orders }: Batch,
  { collector, gas, delegateOf, move }: {
    collector: Address;
    gas: bigint;
    delegateOf: (address: Address) => Address | undefined;
    /** With so much gas. Changes the state if it succeeds. */
    move: (order: BatchOrder, gas: bigint) => Done;
  },
): Carried {
  const needed = gasEach + gasEach / 63n + OVERHEAD;
  const logs: Log[] = [];
  const inner: Inner[] = [];
  const moved: boolean[] = [];
  let used = 0n;
  let gasNeeded = 0n;
  for (const [i, order] of orders.entries()) {
    if (gas - used < needed) break;
    gasNeeded = used + needed;
    const done = delegateOf(order.from) === collector ? move(order, gasEach) : undefined;
    const isMoved = done?.succeeded === true;
    used += LOOK_GAS + (done?.gas ?? 0n);
    if (isMoved) {
      logs.push(...done.logs);
      inner.push(...done.inner);
    }
    moved.push(isMoved);
    logs.push({ address: collector, topics: [isMoved ? MOVED : NOT_MOVED], data: wordOf(i) });
  }
  if (moved.length < atLeast) {
    return { succeeded: false, gas: used, gasNeeded, logs: [], inner: [], output: "0x" };
  }
  const bytes = orders.map((_, i) => moved[i] ? "01" : "00").join("");
  const output = `${wordOf(32)}${wordOf(orders.length).slice(2)}` +
    bytes.padEnd(Math.ceil(bytes.length / 64) * 64, "0");
  return { succeeded: true, gas: used, gasNeeded, logs, inner, output };
}

function wordOf(value: number): string {
  return `0x${value.toString(16).padStart(64, "0")}`;
}
