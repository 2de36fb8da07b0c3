import { keccak_256 } from "@noble/hashes/sha3.js";
import { bloomOf } from "../../src/chains/evm/blocks/bloom.ts";
import { TRANSFER_TOPIC } from "../../src/chains/evm/erc20.ts";

/** Lower-case addresses and hashes with 0x everywhere: nodes may write them in any case. */
export type Address = string;

/** What the code at an address does. Everything else is an account without code. */
export type Code =
  /** Moves and logs what it is asked to. */
  | { readonly kind: "token"; readonly decimals: number; readonly symbol: string }
  /** Logs transfers of anything to anybody, and moves nothing. */
  | { readonly kind: "false_token"; readonly decimals: number; readonly symbol: string }
  /** Passes the coins that it gets on to the address in its call data. */
  | { readonly kind: "forwarder" }
  /** Refuses coins. */
  | { readonly kind: "rejector" };

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
  readonly signature: { readonly r: string; readonly s: string; readonly yParity: number };
}

interface Log {
  readonly address: Address;
  readonly topics: readonly string[];
  readonly data: string;
}

interface Inner {
  readonly from: Address;
  readonly to: Address;
  readonly valueRaw: bigint;
}

interface Executed {
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
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

/** Who owns what after a block. Never changed: the next block's is a copy. */
export class State {
  readonly coins: Map<Address, bigint>;
  readonly nonces: Map<Address, number>;
  readonly tokens: Map<Address, Map<Address, bigint>>;

  constructor(from?: State) {
    this.coins = new Map(from?.coins);
    this.nonces = new Map(from?.nonces);
    this.tokens = new Map(
      [...from?.tokens ?? []].map(([token, holders]) => [token, new Map(holders)]),
    );
  }

  coinsOf(address: Address): bigint {
    return this.coins.get(address) ?? 0n;
  }

  nonceOf(address: Address): number {
    return this.nonces.get(address) ?? 0;
  }

  tokensOf(token: Address, holder: Address): bigint {
    return this.tokens.get(token)?.get(holder) ?? 0n;
  }

  give(address: Address, valueRaw: bigint): void {
    this.coins.set(address, this.coinsOf(address) + valueRaw);
  }

  giveTokens(token: Address, { to, valueRaw }: { to: Address; valueRaw: bigint }): void {
    const holders = this.tokens.get(token) ?? new Map<Address, bigint>();
    holders.set(to, (holders.get(to) ?? 0n) + valueRaw);
    this.tokens.set(token, holders);
  }
}

/** Why a transaction can't be in the next block. */
type Unfit = "nonce too low" | "nonce too high" | "insufficient funds" | "fee too low";

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
    { atMs, baseFeeRaw, txs }: {
      atMs: number;
      baseFeeRaw: bigint;
      txs: readonly EvmTransaction[];
    },
  ): Promise<EvmBlock> {
    const state = txs.length === 0 ? parent.state : new State(parent.state);
    const included = txs.flatMap((tx) => this.#include(tx, state, baseFeeRaw) ?? []);
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
    if (tx.nonce < nonce) return "nonce too low";
    if (state.coinsOf(tx.from) < tx.valueRaw + tx.gas * tx.maxFeeRaw) return "insufficient funds";
    if (tx.nonce > nonce) return "nonce too high";
    if (tx.maxFeeRaw < baseFeeRaw) return "fee too low";
    return undefined;
  }

  #include(tx: EvmTransaction, state: State, baseFeeRaw: bigint): Included | undefined {
    if (this.unfit(tx, state, baseFeeRaw)) return undefined;
    const priceRaw = tx.maxFeeRaw < baseFeeRaw + tx.tipRaw ? tx.maxFeeRaw : baseFeeRaw + tx.tipRaw;
    state.nonces.set(tx.from, tx.nonce + 1);
    // The rest of the gas comes back.
    const executed = this.execute(tx, state);
    state.give(tx.from, -executed.gasUsed * priceRaw);
    return { ...executed, tx, priceRaw };
  }

  /** Changes the state only if it succeeds. */
  execute(
    { from, to, valueRaw, data, gas }: Pick<
      EvmTransaction,
      "from" | "to" | "valueRaw" | "data" | "gas"
    >,
    state: State,
  ): Executed {
    const failed = (gasUsed: bigint, output = "0x"): Executed => ({
      succeeded: false,
      gasUsed: gasUsed < gas ? gasUsed : gas,
      logs: [],
      inner: [],
      output,
    });
    if (to === null) return failed(gas);
    if (state.coinsOf(from) < valueRaw) return failed(PLAIN_GAS);
    const move = (a: Address, b: Address, raw: bigint) => {
      state.give(a, -raw);
      state.give(b, raw);
    };
    const code = this.code.get(to);
    const done = (gasUsed: bigint, result: Partial<Executed> = {}): Executed =>
      gasUsed > gas
        ? failed(gas)
        : { succeeded: true, gasUsed, logs: [], inner: [], output: "0x", ...result };
    switch (code?.kind) {
      case undefined: {
        const result = done(PLAIN_GAS + (state.coins.has(to) ? 0n : NEW_ACCOUNT_GAS));
        if (result.succeeded) move(from, to, valueRaw);
        return result;
      }
      case "rejector":
        return failed(PLAIN_GAS + 100n);
      case "forwarder": {
        const target = `0x${data.slice(-40)}`;
        const result = done(PLAIN_GAS + FORWARD_GAS, {
          inner: valueRaw > 0n ? [{ from: to, to: target, valueRaw }] : [],
        });
        if (result.succeeded) move(from, target, valueRaw);
        return result;
      }
      case "token":
      case "false_token": {
        if (valueRaw > 0n || !data.startsWith("0xa9059cbb")) return failed(PLAIN_GAS + 500n);
        const target = `0x${data.slice(34, 74)}`;
        const amountRaw = BigInt(`0x${data.slice(74, 138)}`);
        const isTrue = code.kind === "token";
        if (isTrue && state.tokensOf(to, from) < amountRaw) return failed(PLAIN_GAS + 3_000n);
        const isNew = isTrue && state.tokensOf(to, target) === 0n;
        const result = done(PLAIN_GAS + TOKEN_GAS + (isNew ? NEW_HOLDER_GAS : 0n), {
          logs: [{
            address: to,
            topics: [TRANSFER_TOPIC, wordOf(from), wordOf(target)],
            data: `0x${amountRaw.toString(16).padStart(64, "0")}`,
          }],
          output: `0x${"1".padStart(64, "0")}`,
        });
        if (result.succeeded && isTrue) {
          state.giveTokens(to, { to: from, valueRaw: -amountRaw });
          state.giveTokens(to, { to: target, valueRaw: amountRaw });
        }
        return result;
      }
    }
  }
}

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
