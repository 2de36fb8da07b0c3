import { keccak_256 } from "@noble/hashes/sha3.js";
import { getContractAddress } from "viem/utils";
import { bloomOf } from "../../src/chains/evm/blocks/bloom.ts";
import { TRANSFER_TOPIC } from "../../src/chains/evm/erc20.ts";
import {
  batchIn,
  type BatchOrder,
  carryOut,
  DEPLOYED_GAS,
  type Done,
  type Inner,
  type Log,
  ownerDeployed,
} from "./evm_collector.ts";
import { type Address, type Authorization, type Code, type Signature, State } from "./evm_state.ts";

export interface EvmTransaction {
  readonly hash: string;
  readonly chainId: number;
  readonly from: Address;
  readonly to: Address | null;
  readonly nonce: number;
  readonly valueRaw: bigint;
  readonly data: string;
  readonly gas: bigint;
  readonly maxFeeRaw: bigint;
  readonly tipRaw: bigint;
  /** With any, it is of type 4. */
  readonly authorizations: readonly Authorization[];
  readonly signature: Signature;
}

interface Executed {
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
  /** The least limit with which it does the same. */
  readonly gasNeeded: bigint;
  readonly logs: readonly Log[];
  readonly inner: readonly Inner[];
  /** What the call returns. */
  readonly output: string;
}

export interface Included extends Executed {
  readonly tx: EvmTransaction;
  readonly priceRaw: bigint;
}

export interface EvmBlock {
  readonly height: number;
  readonly hash: string;
  readonly parent: EvmBlock | undefined;
  readonly atMs: number;
  readonly baseFeeRaw: bigint;
  readonly included: readonly Included[];
  readonly bloom: string;
  readonly state: State;
}

export const BLOCK_GAS = 30_000_000n;
const PLAIN_GAS = 21_000n;
const NEW_ACCOUNT_GAS = 0n;
const TOKEN_GAS = 30_000n;
const NEW_HOLDER_GAS = 17_100n;
const FORWARD_GAS = 12_000n;
const CREATE_GAS = 32_000n;
const AUTHORIZATION_GAS = 25_000n;
/** Of an account that is there already, this much comes back. */
const AUTHORIZATION_BACK_GAS = 12_500n;
/** An address that delegates looks who calls it. */
const DELEGATED_GAS = 55n;
const COINS_GAS = 9_000n;
const BYTE_GAS = { zero: 4n, other: 16n };

/** Why a transaction can't be in the next block. */
type Unfit =
  | "intrinsic gas too low"
  | "nonce too low"
  | "nonce too high"
  | "insufficient funds"
  | "fee too low";

/**
 * The consensus of a small chain: blocks on blocks, one of which is the head that honest nodes
 * follow. Nothing here misbehaves; nodes do.
 */
export class EvmChain {
  readonly chainId: number;
  readonly code: ReadonlyMap<Address, Code>;
  readonly genesis: EvmBlock;
  /** Who signed it is computed once for all nodes, by its bytes. */
  readonly signed = new Map<string, Promise<EvmTransaction>>();
  /** Likewise of authorizations. */
  readonly authorities = new Map<string, Promise<Address>>();
  /** A token that is called in a batch refuses to move what these hold. */
  isShy: (from: Address) => boolean = () => false;
  readonly #byHash = new Map<string, EvmBlock>();
  #head: EvmBlock;
  #made = 0;

  constructor(
    { chainId, code, state, atMs, baseFeeRaw }: {
      chainId: number;
      code: ReadonlyMap<Address, Code>;
      state: State;
      atMs: number;
      baseFeeRaw: bigint;
    },
  ) {
    this.chainId = chainId;
    this.code = code;
    this.genesis = {
      height: 0,
      hash: hashOf(`genesis ${chainId}`),
      parent: undefined,
      atMs,
      baseFeeRaw,
      included: [],
      bloom: NO_BLOOM,
      state,
    };
    this.#byHash.set(this.genesis.hash, this.genesis);
    this.#head = this.genesis;
  }

  get head(): EvmBlock {
    return this.#head;
  }

  block(hash: string): EvmBlock | undefined {
    return this.#byHash.get(hash);
  }

  /** A block on top of another one, with those of the transactions that fit, in their order. */
  async extend(
    parent: EvmBlock,
    { atMs, baseFeeRaw, txs, failing }: {
      atMs: number;
      baseFeeRaw: bigint;
      txs: readonly EvmTransaction[];
      failing?: Failing;
    },
  ): Promise<EvmBlock> {
    const state = txs.length === 0 ? parent.state : new State(parent.state);
    const included = txs.flatMap((tx) => this.#include(tx, { state, baseFeeRaw, failing }) ?? []);
    const logs = included.flatMap(({ logs }) => logs);
    const block: EvmBlock = {
      height: parent.height + 1,
      hash: hashOf(`${parent.hash} ${this.#made++} ${included.map(({ tx }) => tx.hash)}`),
      parent,
      atMs,
      baseFeeRaw,
      included,
      bloom: logs.length === 0
        ? NO_BLOOM
        : await bloomOf(new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))),
      state,
    };
    this.#byHash.set(block.hash, block);
    return block;
  }

  /** What honest nodes follow from now on. Returns the blocks that it leaves, the newest first. */
  follow(head: EvmBlock): readonly EvmBlock[] {
    const left: EvmBlock[] = [];
    let old: EvmBlock | undefined = this.#head;
    let now: EvmBlock | undefined = head;
    while (old !== now) {
      if (!now || (old && old.height >= now.height)) {
        left.push(old!);
        old = old!.parent;
      } else now = now.parent;
    }
    this.#head = head;
    return left;
  }

  /** Undefined if it could be in a block on top of this state. */
  unfit(tx: EvmTransaction, state: State, baseFeeRaw: bigint): Unfit | undefined {
    const nonce = state.nonceOf(tx.from);
    if (tx.gas < intrinsicGas(tx)) return "intrinsic gas too low";
    if (tx.nonce < nonce) return "nonce too low";
    if (state.coinsOf(tx.from) < tx.valueRaw + tx.gas * tx.maxFeeRaw) return "insufficient funds";
    if (tx.nonce > nonce) return "nonce too high";
    if (tx.maxFeeRaw < baseFeeRaw) return "fee too low";
    return undefined;
  }

  #include(
    tx: EvmTransaction,
    { state, baseFeeRaw, failing }: {
      state: State;
      baseFeeRaw: bigint;
      failing: Failing | undefined;
    },
  ): Included | undefined {
    if (this.unfit(tx, state, baseFeeRaw)) return undefined;
    const priceRaw = tx.maxFeeRaw < baseFeeRaw + tx.tipRaw ? tx.maxFeeRaw : baseFeeRaw + tx.tipRaw;
    // The rest of the gas comes back.
    const executed = this.execute(tx, state, failing);
    state.give(tx.from, -executed.gasUsed * priceRaw);
    return { ...executed, tx, priceRaw };
  }

  /** If it fails, only nonces and delegations have changed. */
  execute(tx: Called, state: State, failing: Failing = () => undefined): Executed {
    const { from, gas, authorizations } = tx;
    const nonce = state.nonceOf(from);
    state.nonces.set(from, nonce + 1);
    const known =
      authorizations.filter(({ authority }) =>
        state.nonces.has(authority) || state.coins.has(authority)
      ).length;
    state.authorize(authorizations, this);
    const own = intrinsicGas(tx);
    const call = this.#call(tx, { state, gas: gas - own, nonce, failing });
    const used = own + call.gas;
    const needed = own + (call.gasNeeded ?? call.gas);
    if (!call.succeeded || used > gas) {
      const gasUsed = used < gas ? used : gas;
      const { output = "0x" } = call;
      return { succeeded: false, gasUsed, gasNeeded: needed, logs: [], inner: [], output };
    }
    call.change();
    const back = AUTHORIZATION_BACK_GAS * BigInt(known);
    return {
      succeeded: true,
      gasUsed: used - (back < used / 5n ? back : used / 5n),
      gasNeeded: needed,
      logs: call.logs,
      inner: call.inner,
      output: call.output ?? "0x",
    };
  }

  codeAt(address: Address, state: State): Code | undefined {
    const at = state.delegates.get(address) ?? address;
    return this.code.get(at) ?? state.deployed.get(at);
  }

  #call(tx: Called, { state, gas, nonce, failing }: Calling): Call {
    const { from, to, valueRaw, data } = tx;
    if (state.coinsOf(from) < valueRaw) return FAILED;
    if (to === null) return deploy(tx, { state, nonce });
    const pay = (target: Address) => () => {
      state.give(from, -valueRaw);
      state.give(target, valueRaw);
    };
    const code = this.codeAt(to, state);
    if (code === undefined) {
      return { ...DONE, gas: state.coins.has(to) ? 0n : NEW_ACCOUNT_GAS, change: pay(to) };
    }
    switch (code.kind) {
      case "rejector":
        return { ...FAILED, gas: 100n };
      case "forwarder": {
        const target = `0x${data.slice(-40)}`;
        const inner = valueRaw > 0n ? [{ from: to, to: target, valueRaw }] : [];
        return { ...DONE, gas: FORWARD_GAS, inner, change: pay(target) };
      }
      case "collector": {
        // At an address that delegates to it, it lets everybody pay and do nothing else.
        if (state.delegates.has(to)) return { ...DONE, gas: DELEGATED_GAS, change: pay(to) };
        const batch = batchIn(data);
        if (from !== code.owner || valueRaw > 0n || !batch) return { ...FAILED, gas: 200n };
        const after = new State(state);
        const carried = carryOut(batch, {
          collector: to,
          gas,
          delegateOf: (address) => after.delegates.get(address),
          move: (order, gasEach) => this.#move(order, { state: after, gasEach, failing }),
        });
        return { ...carried, change: () => state.take(after) };
      }
      case "token":
      case "false_token": {
        const isTransfer = valueRaw === 0n && data.startsWith("0xa9059cbb");
        if (!isTransfer) return { ...FAILED, gas: 500n };
        const recipient = `0x${data.slice(34, 74)}`;
        const amountRaw = BigInt(`0x${data.slice(74, 138)}`);
        const order = { from, token: to, to: recipient, amountRaw };
        return this.#transfer(order, state);
      }
    }
  }

  /** One order of a batch, by the address whose coins it moves. */
  #move(
    order: BatchOrder,
    { state, gasEach, failing }: { state: State; gasEach: bigint; failing: Failing },
  ): Done {
    const fails = failing(order);
    if (fails) return { ...FAILED, gas: fails === "burns" ? gasEach : 3_000n };
    const { from, token, to, amountRaw } = order;
    if (token !== null) {
      if (this.isShy(from)) return { ...FAILED, gas: 3_000n };
      const call = this.#transfer({ from, token, to, amountRaw }, state);
      if (call.gas > gasEach) return { ...FAILED, gas: gasEach };
      call.change();
      return call;
    }
    const isRefused = this.codeAt(to, state)?.kind === "rejector";
    if (isRefused || state.coinsOf(from) < amountRaw) return { ...FAILED, gas: COINS_GAS };
    state.give(from, -amountRaw);
    state.give(to, amountRaw);
    return { ...DONE, gas: COINS_GAS, inner: [{ from, to, valueRaw: amountRaw }] };
  }

  #transfer(
    { from, token, to, amountRaw }: Omit<BatchOrder, "token"> & { token: Address },
    state: State,
  ): Call {
    const code = this.codeAt(token, state);
    if (code?.kind !== "token" && code?.kind !== "false_token") return FAILED;
    const isTrue = code.kind === "token";
    if (isTrue && state.tokensOf(token, from) < amountRaw) return { ...FAILED, gas: 3_000n };
    const isNew = isTrue && state.tokensOf(token, to) === 0n;
    return {
      ...DONE,
      gas: TOKEN_GAS + (isNew ? NEW_HOLDER_GAS : 0n),
      logs: [{
        address: token,
        topics: [TRANSFER_TOPIC, wordOf(from), wordOf(to)],
        data: `0x${amountRaw.toString(16).padStart(64, "0")}`,
      }],
      output: `0x${"1".padStart(64, "0")}`,
      change: () => {
        if (!isTrue) return;
        state.giveTokens(token, { to: from, valueRaw: -amountRaw });
        state.giveTokens(token, { to, valueRaw: amountRaw });
      },
    };
  }
}

/** What is sent or only asked about. */
type Called = Pick<
  EvmTransaction,
  "from" | "to" | "valueRaw" | "data" | "gas" | "authorizations"
>;

/** Which orders of batches fail in a block, whatever they did before it. */
export type Failing = (order: BatchOrder) => "fails" | "burns" | undefined;

interface Calling {
  readonly state: State;
  /** What is left for it. */
  readonly gas: bigint;
  /** Of the transaction. */
  readonly nonce: number;
  readonly failing: Failing;
}

interface Call extends Done {
  readonly gasNeeded?: bigint;
  readonly output?: string;
  /** Of the state, once there was gas enough. */
  change(): void;
}

const DONE: Call = { succeeded: true, gas: 0n, logs: [], inner: [], change: () => {} };
const FAILED: Call = { ...DONE, succeeded: false };

function deploy(
  { from, data, valueRaw }: Called,
  { state, nonce }: { state: State; nonce: number },
): Call {
  const owner = ownerDeployed(data);
  if (owner === undefined || valueRaw > 0n) return { ...FAILED, gas: BLOCK_GAS };
  const change = () =>
    state.deployed.set(createdBy(from, nonce), { kind: "collector", owner, nonce });
  return { ...DONE, gas: DEPLOYED_GAS, change };
}

export function createdBy(from: Address, nonce: number): Address {
  return getContractAddress({ from: from as `0x${string}`, nonce: BigInt(nonce) }).toLowerCase();
}

/** What it costs before anything of it runs. Data is counted only where there is much of it. */
function intrinsicGas({ to, data, authorizations }: Called): bigint {
  const listed = AUTHORIZATION_GAS * BigInt(authorizations.length);
  return PLAIN_GAS + listed + (to === null ? CREATE_GAS : 0n) + dataGas(data);
}

function dataGas(data: string): bigint {
  const length = data.length / 2 - 1;
  if (length <= SHORT_DATA) return 0n;
  let zeros = 0;
  for (let i = 2; i < data.length; i += 2) if (data[i] === "0" && data[i + 1] === "0") zeros++;
  return BYTE_GAS.zero * BigInt(zeros) + BYTE_GAS.other * BigInt(length - zeros);
}

const SHORT_DATA = 100;

const NO_BLOOM = `0x${"0".repeat(512)}`;

export function hashOf(text: string): string {
  return `0x${keccak_256(new TextEncoder().encode(text)).toHex()}`;
}

function wordOf(address: Address): string {
  return `0x${address.slice(2).padStart(64, "0")}`;
}

export function blocksFrom(head: EvmBlock): EvmBlock[] {
  const blocks: EvmBlock[] = [];
  for (let at: EvmBlock | undefined = head; at; at = at.parent) blocks.push(at);
  return blocks;
}
