import { sha256 } from "@noble/hashes/sha2.js";
import { toHex, utf8 } from "../../base/bytes.ts";
import type { LocalServer } from "../../base/net/local_server.ts";
import { accountIn } from "./account.ts";
import { hexAddress } from "./addresses.ts";
import { Bank } from "./bank.ts";
import type { Block } from "./blocks.ts";
import { Broadcaster, type Connections, WELL_CONNECTED } from "./api/broadcast.ts";
import { type React, serveNode } from "./api/server.ts";
import type { Message } from "./api/values.ts";
import { Chain } from "./chain.ts";
import { deployToken, type TokenHandle, type TokenOptions } from "./contracts/deploy.ts";

const PENDING_TIMEOUT_MS = 60_000;
const SOLID_LAG = 18;
const BLOCKS_AT_START = 20;
/** Eight hours, in 10 to 20 MB. */
const BLOCKS_MAX = 10_000;
const BANK_SUN = 10n ** 17n;

export interface NodeOptions {
  /** The time of block 1. */
  readonly startMs: number;
  /** Another text makes another chain with another genesis. */
  readonly genesis?: string;
  /** The id of the first block of a chain that is known by it. */
  readonly genesisId?: string;
  /** Empty blocks at the start, so that there is a solid one. */
  readonly blocks?: number;
  readonly solidLag?: number;
  /** How long the pool keeps transactions that aren't mined. */
  readonly pendingTimeoutMs?: number;
  /** So many blocks are kept, or up to twice as many. */
  readonly blocksMax?: number;
}

/** A TRON full node in this process, for the demo and for tests, which can do more with it. */
export class SimulatedNode {
  readonly chain: Chain;
  readonly connections: Connections = { ...WELL_CONNECTED };
  protected readonly broadcaster: Broadcaster;
  readonly #bank: Bank;
  #contracts = 0;

  constructor(options: NodeOptions) {
    this.chain = new Chain({
      startMs: options.startMs,
      genesis: options.genesis ?? "tron node",
      genesisId: options.genesisId,
      solidLag: options.solidLag ?? SOLID_LAG,
      pendingTimeoutMs: options.pendingTimeoutMs ?? PENDING_TIMEOUT_MS,
      blocksMax: options.blocksMax ?? BLOCKS_MAX,
    });
    this.broadcaster = new Broadcaster(this.chain, this.connections);
    this.#bank = new Bank(this.chain);
    this.fund(this.bank, BANK_SUN);
    this.produce(options.blocks ?? BLOCKS_AT_START);
  }

  /** The address that `pay`, `trigger` and `submit` pay from. */
  get bank(): string {
    return this.#bank.address;
  }

  get head(): Block {
    return this.chain.head;
  }

  produce(blocks = 1, options: { readonly isEmpty?: boolean } = {}): Block {
    const { isEmpty = false } = options;
    for (let i = 0; i < blocks; i++) this.chain.produce(isEmpty ? { transactions: [] } : {});
    return this.head;
  }

  /** The node's clock; the next block takes the first slot from then on. */
  setTime(ms: number): void {
    this.chain.nowMs = ms;
  }

  /** Adds coins without a transaction, at every height. */
  fund(address: string, sun: bigint): void {
    this.chain.rewriteAccount(hexAddress(address))((account) => ({
      ...account,
      balance: account.balance + sun,
    }));
  }

  balanceOf(address: string): bigint {
    return accountIn(this.chain.ledger, hexAddress(address))?.balance ?? 0n;
  }

  deployToken(options: TokenOptions & { readonly at?: string }): TokenHandle {
    const address = options.at === undefined ? this.contractAddress() : hexAddress(options.at);
    return deployToken(this.chain, address, options);
  }

  /** Signed by the bank and put into the pool, as if it had come from another node. */
  pay(to: string, sun: bigint): string {
    return this.submit("TransferContract", { to_address: hexAddress(to), amount: sun });
  }

  /** A call of a contract by the bank; `data` is hex. */
  trigger(contract: string, data: string, callValue = 0n): string {
    const address = hexAddress(contract);
    return this.submit("TriggerSmartContract", {
      contract_address: address,
      data,
      call_value: callValue,
    });
  }

  submit(type: string, value: Message): string {
    const transaction = this.#bank.sign(type, value);
    this.chain.take(transaction);
    return transaction.txId;
  }

  serve(
    options: { readonly lag?: () => number; readonly react?: React } = {},
  ): Promise<LocalServer> {
    const { chain, broadcaster } = this;
    return serveNode({ chain, broadcaster, lag: options.lag ?? (() => 0) }, options.react);
  }

  protected contractAddress(): string {
    return `41${toHex(sha256(utf8(`contract ${this.#contracts++}`))).slice(0, 40)}`;
  }
}
