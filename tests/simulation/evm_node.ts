import type { Hex } from "viem";
import { keccak256 } from "viem/utils";
import { collectorCode, delegationTo } from "../../src/chains/evm/collector/deployment.ts";
import { MULTICALL3 } from "../../src/chains/evm/multicall.ts";
import { BLOCK_GAS, type EvmBlock, type EvmChain, type EvmTransaction } from "./evm_chain.ts";
import { authorizationsIn, type ListedAuthorization, readRaw } from "./evm_raw.ts";
import { RpcError, type RpcRequest } from "./json_rpc.ts";
import { lieAbout } from "./evm_lies.ts";
import { hex, shownBlock, shownReceipts, shownTx, shownTxFields, word } from "./evm_shown.ts";
import { type Address, DELEGATION, State } from "./evm_state.ts";
import type { Misbehaved } from "./ground.ts";
import type { Random } from "./random.ts";

/** How a node that is up differs from one that serves everything. */
export type Manner =
  /** Old blocks, receipts, logs, traces and states are gone. */
  | "pruned"
  /** A balancer in front of two nodes, one of which is behind. */
  | "balanced"
  /** One field of an answer is wrong now and then. */
  | "lying"
  /** It answers an error to what it takes. */
  | "refusing what it takes"
  | "without traces";

const MISTAKEN_REFUSALS = [
  "internal error",
  "txpool is full",
  "transaction underpriced",
  "insufficient funds for gas * price + value",
  "nonce too low",
  "context deadline exceeded",
];
/** What a pruned node still has. */
const KEPT_BLOCKS = 8;
const FINALIZED_DEPTH = 64;
/** A pool replaces a transaction only by one that offers a tenth more. */
const REPLACE_PERCENT = 110n;

/** One node of a chain: what it thinks is the newest block, and the transactions it knows of. */
export class EvmNode {
  readonly chain: EvmChain;
  readonly pool = new Map<string, EvmTransaction>();
  /** As if that were the newest block; undefined follows the chain. */
  pinned: EvmBlock | undefined;
  /** How far behind the chain it answers. */
  lag = 0;
  manner: Manner | undefined;
  /** Of a balancer's other node. */
  behindBy = 0;
  #isBehind = false;
  /** State older than this many blocks is gone. */
  stateBlocks = 128;
  onTaken: (tx: EvmTransaction) => void = () => {};
  readonly #heights = new WeakMap<EvmBlock, EvmBlock[]>();

  readonly #random: Random;
  readonly #counts: Misbehaved;

  constructor(
    chain: EvmChain,
    { random, counts }: { random: Random; counts: Misbehaved },
  ) {
    this.chain = chain;
    this.#random = random;
    this.#counts = counts;
  }

  get head(): EvmBlock {
    if (this.pinned) return this.pinned;
    let head = this.chain.head;
    const lag = this.lag + (this.#isBehind ? this.behindBy : 0);
    for (let i = 0; i < lag && head.parent; i++) head = head.parent;
    return head;
  }

  async answer(request: RpcRequest): Promise<unknown> {
    const { manner } = this;
    this.#isBehind = manner === "balanced" && !this.#isBehind;
    if (this.#isBehind) this.#counts.wentBack++;
    const answer = await this.#answer(request);
    if (manner !== "lying" || !this.#random.chance(LIES)) return answer;
    const lie = lieAbout(request, { answer, random: this.#random });
    if (lie !== undefined) this.#counts.lies++;
    return lie ?? answer;
  }

  async #answer({ method, params }: RpcRequest): Promise<unknown> {
    switch (method) {
      case "eth_chainId":
        return hex(this.chain.chainId);
      case "net_version":
        return String(this.chain.chainId);
      case "web3_clientVersion":
        return "simulated/v1";
      case "eth_blockNumber":
        return hex(this.head.height);
      case "eth_getBlockByNumber": {
        const block = this.#kept(this.#blockAt(params[0]));
        return block ? shownBlock(block, params[1] === true) : null;
      }
      case "eth_getBlockByHash": {
        const block = this.#kept(this.chain.block(String(params[0])));
        return block ? shownBlock(block, params[1] === true) : null;
      }
      case "eth_getBlockReceipts": {
        const block = this.#kept(this.#blockNamed(params[0]));
        return block ? shownReceipts(block) : null;
      }
      case "eth_getTransactionReceipt": {
        const found = this.#find(String(params[0]));
        return found ? shownReceipts(found.block)[found.index] ?? null : null;
      }
      case "eth_getTransactionByHash": {
        const hash = String(params[0]);
        const found = this.#find(hash);
        if (found) return shownTx(found.block, found.index);
        const pooled = this.pool.get(hash);
        return pooled ? shownTxFields(pooled) : null;
      }
      case "eth_getLogs":
        return this.#logs(params[0] as LogFilter);
      case "eth_getBalance":
        return hex(this.#stateAt(params[1]).coinsOf(lower(params[0])));
      case "eth_getCode":
        return this.#codeOf(lower(params[0]), this.#stateAt(params[1]));
      case "eth_getStorageAt":
        return `0x${"0".repeat(64)}`;
      case "eth_getTransactionCount": {
        const address = lower(params[0]);
        if (params[1] !== "pending") return hex(this.#stateAt(params[1]).nonceOf(address));
        return hex(this.#pendingNonce(address));
      }
      case "eth_gasPrice":
        return hex(this.head.baseFeeRaw + TIP_RAW);
      case "eth_maxPriorityFeePerGas":
        return hex(TIP_RAW);
      case "eth_feeHistory":
        return this.#feeHistory(Number(params[0]));
      case "eth_call":
        return await this.#call(params[0] as CallFields, { at: params[1], overrides: params[2] });
      case "eth_estimateGas":
        return await this.#estimate(params[0] as CallFields, {
          at: params[1],
          overrides: params[2],
        });
      case "eth_sendRawTransaction":
        return await this.#take(String(params[0]));
      case "debug_traceBlockByHash":
        return this.#traces(this.chain.block(String(params[0])));
      default:
        throw new RpcError(-32601, `the method ${method} does not exist/is not available`);
    }
  }

  /** By height, of the chain that ends at this node's head. */
  #chainAt(): readonly EvmBlock[] {
    const { head } = this;
    const known = this.#heights.get(head);
    if (known) return known;
    const parent = head.parent && this.#heights.get(head.parent);
    const blocks = parent ? [...parent, head] : ancestry(head);
    this.#heights.set(head, blocks);
    return blocks;
  }

  #blockAt(tag: unknown): EvmBlock | undefined {
    const { head } = this;
    if (tag === "latest" || tag === "pending" || tag === undefined) return head;
    const blocks = this.#chainAt();
    if (tag === "finalized" || tag === "safe") {
      return blocks[Math.max(0, head.height - FINALIZED_DEPTH)];
    }
    if (tag === "earliest") return blocks[0];
    return blocks[Number(tag)];
  }

  /** EIP-1898: by number, tag or hash. */
  #blockNamed(named: unknown): EvmBlock | undefined {
    if (typeof named === "string" && named.length === 66) return this.chain.block(named);
    if (typeof named !== "object" || named === null) return this.#blockAt(named);
    const { blockHash, requireCanonical } = named as Record<string, unknown>;
    const block = this.chain.block(String(blockHash));
    if (!block) return undefined;
    const isCanonical = this.#chainAt()[block.height] === block;
    if (requireCanonical && !isCanonical) throw new RpcError(-32000, "hash is not canonical");
    return block;
  }

  #stateAt(named: unknown): State {
    const block = this.#blockNamed(named);
    if (!block) throw new RpcError(-32000, "header not found");
    const isPruned = this.manner === "pruned";
    if (this.head.height - block.height < (isPruned ? KEPT_BLOCKS : this.stateBlocks)) {
      return block.state;
    }
    if (isPruned) this.#counts.pruned++;
    throw new RpcError(-32000, "missing trie node (state is not available)");
  }

  /** As geth and reth say it of what they have pruned. */
  #kept(block: EvmBlock | undefined): EvmBlock | undefined {
    if (this.manner !== "pruned" || !block) return block;
    if (this.head.height - block.height < KEPT_BLOCKS) return block;
    this.#counts.pruned++;
    throw new RpcError(4444, "pruned history unavailable");
  }

  #find(hash: string): { block: EvmBlock; index: number } | undefined {
    const blocks = this.#chainAt();
    for (let i = blocks.length - 1; i >= 0; i--) {
      const block = blocks[i]!;
      const index = block.included.findIndex(({ tx }) => tx.hash === hash);
      if (index >= 0) return { block, index };
    }
    return undefined;
  }

  #codeOf(address: Address, state: State): string {
    const delegate = state.delegates.get(address);
    if (delegate !== undefined) return delegationTo(delegate);
    const code = state.deployed.get(address);
    if (code?.kind === "collector") return collectorCode(code);
    return this.chain.code.has(address) ? "0x60006000" : "0x";
  }

  #pendingNonce(address: Address): number {
    let nonce = this.head.state.nonceOf(address);
    const own = new Set(
      [...this.pool.values()].filter(({ from }) => from === address).map(({ nonce }) => nonce),
    );
    while (own.has(nonce)) nonce++;
    return nonce;
  }

  /** The only code that calls bring along, beside delegations: it answers what others run. */
  #codeHashes(data: string, state: State): string {
    const hashes = data.slice(2).match(/.{64}/g)?.map((word) => {
      const address = lower(`0x${word.slice(24)}`);
      const code = this.#codeOf(address, state);
      const isUsed = state.coins.has(address) || state.nonces.has(address);
      return code === "0x" && !isUsed ? ZERO_WORD : keccak256(code as Hex).slice(2);
    });
    return `0x${hashes?.join("") ?? ""}`;
  }

  #logs({ blockHash, address, topics, fromBlock, toBlock }: LogFilter): unknown[] {
    const blocks = blockHash === undefined
      ? this.#chainAt().slice(Number(fromBlock), Number(toBlock) + 1)
      : [this.chain.block(blockHash)];
    return blocks.map((block) => this.#kept(block)).flatMap((block) => {
      if (!block) throw new RpcError(-32000, "unknown block");
      return shownReceipts(block).flatMap(({ logs }) => logs);
    }).filter((log) =>
      [address ?? []].flat().some((one) => lower(one) === log.address) &&
      (topics?.[0] === undefined || log.topics[0] === topics[0])
    );
  }

  #feeHistory(count: number): unknown {
    const blocks = this.#chainAt().slice(-count);
    return {
      oldestBlock: hex(blocks[0]?.height ?? 0),
      baseFeePerGas: [...blocks, this.head].map(({ baseFeeRaw }) => hex(baseFeeRaw)),
      gasUsedRatio: blocks.map(() => 0.5),
      reward: blocks.map(({ included, baseFeeRaw }) => {
        const tips = included.map(({ priceRaw }) => priceRaw - baseFeeRaw).sort(byValue);
        return [hex(tips[tips.length >> 1] ?? 0n)];
      }),
    };
  }

  async #call(fields: CallFields, { at, overrides }: At): Promise<string> {
    const to = lower(fields.to);
    const data = fields.data ?? "0x";
    const state = this.#stateAt(at);
    if (to === MULTICALL3.toLowerCase()) return "0x";
    const code = this.chain.code.get(to);
    if (code && "decimals" in code) {
      if (data === "0x313ce567") return word(BigInt(code.decimals));
      if (data === "0x95d89b41" || data === "0x06fdde03") return text(code.symbol);
      if (data.startsWith("0x70a08231")) return word(state.tokensOf(to, `0x${data.slice(34, 74)}`));
    }
    if (hasCodeOf(to, overrides)) return this.#codeHashes(data, state);
    return (await this.#run(fields, overridden(state, overrides))).output;
  }

  async #estimate(fields: CallFields, { at, overrides }: At): Promise<string> {
    const state = overridden(this.#stateAt(at), overrides);
    return hex((await this.#run(fields, state)).gasNeeded);
  }

  async #run(fields: CallFields, state: State) {
    const from = lower(fields.from ?? `0x${"0".repeat(40)}`);
    const gas = BigInt(fields.gas ?? BLOCK_GAS);
    const valueRaw = BigInt(fields.value ?? 0);
    const priceRaw = BigInt(fields.maxFeePerGas ?? fields.gasPrice ?? 0);
    if (state.coinsOf(from) < valueRaw + (priceRaw > 0n ? priceRaw * gas : 0n)) {
      throw new RpcError(-32000, "insufficient funds for gas * price + value");
    }
    const to = fields.to === undefined ? null : lower(fields.to);
    const { data = "0x", authorizationList = [] } = fields;
    const authorizations = await authorizationsIn(authorizationList, this.chain);
    const order = { from, to, valueRaw, data, gas, authorizations };
    const executed = this.chain.execute(order, new State(state));
    if (!executed.succeeded) throw new RpcError(3, "execution reverted");
    return executed;
  }

  async #take(raw: string): Promise<string> {
    const tx = await this.chain.signed.getOrInsertComputed(
      raw,
      () => readRaw(raw, this.chain),
    );
    if (this.pool.has(tx.hash)) throw new RpcError(-32000, "already known");
    const { state, baseFeeRaw } = this.head;
    const unfit = this.chain.unfit(tx, state, baseFeeRaw);
    if (unfit === "nonce too low" || unfit === "intrinsic gas too low") {
      throw new RpcError(-32000, unfit);
    }
    if (unfit === "insufficient funds") {
      throw new RpcError(-32000, "insufficient funds for gas * price + value");
    }
    this.put(tx);
    this.onTaken(tx);
    if (this.manner === "refusing what it takes") {
      this.#counts.tookAndRefused++;
      throw new RpcError(-32000, this.#random.pick(MISTAKEN_REFUSALS));
    }
    return tx.hash;
  }

  /** Into the pool, unless it replaces another one for too little. */
  put(tx: EvmTransaction): void {
    this.#checkDelegated(tx);
    for (const other of this.pool.values()) {
      if (other.from !== tx.from || other.nonce !== tx.nonce) continue;
      const isMore = (a: bigint, b: bigint) => a * 100n >= b * REPLACE_PERCENT;
      if (!isMore(tx.maxFeeRaw, other.maxFeeRaw) || !isMore(tx.tipRaw, other.tipRaw)) {
        throw new RpcError(-32000, "replacement transaction underpriced");
      }
      this.pool.delete(other.hash);
    }
    this.pool.set(tx.hash, tx);
  }

  /** An address with code may spend what it has in other ways: one transaction of it waits. */
  #checkDelegated({ from, nonce }: EvmTransaction): void {
    const { state } = this.head;
    const all = [...this.pool.values()];
    const isDelegated = state.delegates.has(from) ||
      all.some(({ authorizations }) => authorizations.some(({ authority }) => authority === from));
    if (!isDelegated) return;
    if (all.some((other) => other.from === from && other.nonce !== nonce)) {
      throw new RpcError(-32000, "in-flight transaction limit reached for delegated accounts");
    }
    if (nonce > state.nonceOf(from)) {
      throw new RpcError(-32000, "gapped-nonce tx from delegated accounts");
    }
  }

  #traces(block: EvmBlock | undefined): unknown[] {
    if (this.manner === "without traces") {
      this.#counts.untraced++;
      throw new RpcError(-32601, "the method debug_traceBlockByHash does not exist");
    }
    this.#kept(block);
    if (!block) throw new RpcError(-32000, "block not found");
    return block.included.map(({ tx, inner, succeeded, gasUsed }) => ({
      txHash: tx.hash,
      result: {
        type: "CALL",
        from: tx.from,
        to: tx.to,
        value: hex(tx.valueRaw),
        gas: hex(tx.gas),
        gasUsed: hex(gasUsed),
        input: tx.data,
        ...succeeded ? {} : { error: "execution reverted" },
        calls: inner.map(({ from, to, valueRaw }) => ({
          type: "CALL",
          from,
          to,
          value: hex(valueRaw),
          gas: hex(2_300),
          gasUsed: hex(0),
          input: "0x",
        })),
      },
    }));
  }
}

/** Of the answers of a node that lies. */
const LIES = 0.3;

export const TIP_RAW = 1_000_000_000n;

interface LogFilter {
  readonly blockHash?: string;
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | null)[];
}

interface CallFields {
  readonly from?: string;
  readonly to?: string;
  readonly data?: string;
  readonly value?: string;
  readonly gas?: string;
  readonly gasPrice?: string;
  readonly maxFeePerGas?: string;
  readonly authorizationList?: readonly ListedAuthorization[];
}

interface At {
  readonly at: unknown;
  readonly overrides: unknown;
}

const ZERO_WORD = "0".repeat(64);

function hasCodeOf(address: Address, overrides: unknown): boolean {
  const all = (overrides ?? {}) as Readonly<Record<string, { readonly code?: string }>>;
  return Object.entries(all).some(([one, { code }]) =>
    lower(one) === address && code !== undefined && !code.startsWith(DELEGATION)
  );
}

function overridden(state: State, overrides: unknown): State {
  if (typeof overrides !== "object" || overrides === null) return state;
  const copy = new State(state);
  for (const [address, fields] of Object.entries(overrides)) {
    if (fields?.balance) copy.coins.set(lower(address), BigInt(fields.balance));
    const code = lower(fields?.code ?? "");
    if (code.startsWith(DELEGATION)) {
      copy.delegates.set(lower(address), `0x${code.slice(DELEGATION.length)}`);
    }
  }
  return copy;
}

function ancestry(head: EvmBlock): EvmBlock[] {
  const blocks: EvmBlock[] = [];
  for (let at: EvmBlock | undefined = head; at; at = at.parent) blocks.push(at);
  return blocks.reverse();
}

function lower(value: unknown): string {
  return String(value).toLowerCase();
}

/** An ABI string. */
function text(value: string): string {
  const bytes = new TextEncoder().encode(value).toHex();
  return `0x${"20".padStart(64, "0")}${(bytes.length / 2).toString(16).padStart(64, "0")}` +
    bytes.padEnd(64, "0");
}

function byValue(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
