import { one, zip } from "../../../base/lists.ts";
import { mapInPortions, SMALL_ITEMS } from "../../../base/waiting/in_portions.ts";
import { nextTurn } from "../../../base/waiting/next_turn.ts";
import { blockTime, NodeError } from "../../faults.ts";
import {
  type AnswerLimits,
  LARGE,
  MEDIUM,
  SMALL,
  WHOLE,
  WORD,
} from "../../pool/json/bounded_json.ts";
import type { RpcItem } from "../../pool/json/rpc_reply.ts";
import type { Line } from "../../pool/protocol.ts";
import type { BitcoinNetwork } from "../params.ts";
import {
  amountRaw,
  bytes,
  count,
  flag,
  hash,
  hex,
  type Json,
  list,
  record,
  text,
} from "./decode.ts";
import { isNotFound, isPruned, isScanning, PrunedBlock } from "./errors.ts";
import { type BitcoinRpc, openRpc, type RpcCall } from "./rpc.ts";
import { readTxids, withoutTxids } from "./txids.ts";

/** What one URL has answered. */
interface HeadMemory {
  /** Of the chain that it has shown to be on: whatever follows it is on that chain too. */
  newestHash: string | undefined;
  /** The newest final block that was asked about. */
  final: HeaderInfo | undefined;
}

/** One node. What it doesn't know is undefined; everything else that fails is a NodeError. */
export interface BitcoinNode {
  readonly host: string;
  readonly memory: HeadMemory;
  chainInfo(): Promise<ChainInfo>;
  networkInfo(): Promise<NetworkInfo>;
  blockHashes(heights: readonly number[]): Promise<(string | undefined)[]>;
  headers(hashes: readonly string[]): Promise<(HeaderInfo | undefined)[]>;
  /** As it is on the wire. Throws `PrunedBlock` if only its header is known. */
  rawBlock(block: { readonly height: number; readonly hash: string }): Promise<
    Uint8Array | undefined
  >;
  /** The txids of its mempool. */
  mempool(): Promise<MempoolList>;
  mempoolInfo(): Promise<MempoolInfo>;
  /** Of transactions in its mempool. */
  /** Of its mempool, or of a block. */
  rawTransactions(
    txids: readonly string[],
    blockHash?: string,
  ): Promise<(Uint8Array | undefined)[]>;
  mempoolEntries(txids: readonly string[]): Promise<(MempoolEntry | undefined)[]>;
  /** Those in its mempool that this one needs, or that need it, without itself. */
  relatives(txid: string, whose: "ancestors" | "descendants"): Promise<
    ReadonlyMap<string, MempoolEntry> | undefined
  >;
  /** Undefined for those that are spent or unknown. */
  unspent(
    outpoints: readonly Outpoint[],
    options: { readonly withMempool: boolean },
  ): Promise<(UnspentOutput | undefined)[]>;
  /** For 1,000 bytes, in base units; null if the node hasn't seen enough to tell. */
  estimateFee(blocks: number): Promise<bigint | null>;
  /** Answers its txid. Sent once, whatever happens to it; see `refusalOf` for what it refuses. */
  send(raw: string): Promise<string>;
  /** Whether the mempool would take it. */
  testAccept(raw: string): Promise<Accepted>;
  /** All unspent outputs of these scripts. Takes minutes, one at a time; null if another runs. */
  scan(scripts: readonly string[], options: { timeoutMs: number }): Promise<Scanned | null>;
}

interface ChainInfo {
  readonly height: number;
  readonly hash: string;
  /** Of which it has the headers. */
  readonly headerHeight: number;
  /** It is still catching up. */
  readonly isSyncing: boolean;
  /** The lowest block that it still has; null if it has all. */
  readonly prunedBelow: number | null;
}

interface NetworkInfo {
  /** 240000 is Bitcoin Core 24. */
  readonly version: number;
  readonly name: string;
  /** For 1,000 bytes; what a replacement adds at least. */
  readonly incrementalFeeRaw: bigint;
}

export interface HeaderInfo {
  readonly hash: string;
  readonly height: number;
  /** -1 on a branch that was left. */
  readonly confirmations: number;
  readonly parentHash: string | null;
  readonly atMs: number;
}

interface MempoolList {
  readonly txids: readonly string[];
  /** Grows with each that comes or goes. */
  readonly sequence: number;
}

interface MempoolInfo {
  readonly transactions: number;
  /** For 1,000 bytes; below, nothing is taken at the moment. */
  readonly minFeeRaw: bigint;
  /** Restored from its disk after a start. */
  readonly isLoaded: boolean;
}

interface MempoolEntry {
  readonly vsize: number;
  readonly feeRaw: bigint;
  /** With itself. */
  readonly ancestors: Family;
  readonly descendants: Family;
  readonly parents: readonly string[];
  readonly children: readonly string[];
}

interface Family {
  readonly count: number;
  readonly vsize: number;
  readonly feesRaw: bigint;
}

interface Outpoint {
  readonly txid: string;
  readonly vout: number;
}

interface UnspentOutput {
  readonly valueRaw: bigint;
  readonly script: string;
  /** 0 in the mempool. */
  readonly confirmations: number;
  readonly isCoinbase: boolean;
  /** The newest block of the answer. */
  readonly atHash: string;
}

type Accepted =
  | { readonly isAccepted: true; readonly vsize: number; readonly feeRaw: bigint }
  | { readonly isAccepted: false; readonly reason: string };

interface Scanned {
  readonly height: number;
  readonly hash: string;
  readonly outputs: readonly ScannedOutput[];
}

interface ScannedOutput extends Outpoint {
  readonly valueRaw: bigint;
  readonly script: string;
  readonly height: number;
}

/** Each is one more body on the node's side, which it works off in order. */
const SCRIPTS_MAX = 20_000;

/** Reads the answers of Bitcoin Core from version 24 on, and of Litecoin Core from 0.21 on. */
export function openNode(
  network: BitcoinNetwork,
): (url: string) => (line: Line) => BitcoinNode {
  return (url) => {
    const open = openRpc(url);
    const memory: HeadMemory = { newestHash: undefined, final: undefined };
    return (line) => new Connection(open(line), { network, memory });
  };
}

class Connection implements BitcoinNode {
  readonly host: string;
  readonly memory: HeadMemory;
  readonly #rpc: BitcoinRpc;
  readonly #network: BitcoinNetwork;

  constructor(
    rpc: BitcoinRpc,
    { network, memory }: { readonly network: BitcoinNetwork; readonly memory: HeadMemory },
  ) {
    this.host = rpc.host;
    this.memory = memory;
    this.#rpc = rpc;
    this.#network = network;
  }

  async chainInfo(): Promise<ChainInfo> {
    const info = record(await this.#result("getblockchaininfo"), "the chain");
    const isPruned = flag(info.pruned, "whether it is pruned");
    return {
      height: count(info.blocks, "a height"),
      hash: hash(info.bestblockhash, "a hash"),
      headerHeight: count(info.headers, "a height"),
      isSyncing: flag(info.initialblockdownload, "whether it is syncing"),
      prunedBelow: isPruned ? count(info.pruneheight, "a height") : null,
    };
  }

  async networkInfo(): Promise<NetworkInfo> {
    const info = record(await this.#result("getnetworkinfo"), "a node");
    return {
      version: count(info.version, "a version"),
      name: text(info.subversion, "a name"),
      incrementalFeeRaw: amountRaw(info.incrementalfee, "a fee"),
    };
  }

  async blockHashes(heights: readonly number[]): Promise<(string | undefined)[]> {
    const calls = heights.map((height) => call("getblockhash", [height], WORD));
    return (await this.#rpc.ask(calls)).map((item) => {
      const found = foundIn(item);
      return found === undefined ? undefined : hash(found, "a block's hash");
    });
  }

  async headers(hashes: readonly string[]): Promise<(HeaderInfo | undefined)[]> {
    const calls = hashes.map((one) => call("getblockheader", [one, true], WORD));
    const items = await this.#rpc.ask(calls);
    return zip(hashes, items).map(([asked, item]) => {
      const found = foundIn(item);
      return found === undefined ? undefined : headerOf(record(found, "a header"), asked);
    });
  }

  async rawBlock(
    { height, hash }: { readonly height: number; readonly hash: string },
  ): Promise<Uint8Array | undefined> {
    const limits = { bytesMax: this.#network.blockHexMax };
    const item = one(await this.#rpc.ask([call("getblock", [hash, 0], limits)]));
    if (!item.ok && isPruned(item.error)) {
      const { prunedBelow } = await this.chainInfo();
      throw new PrunedBlock({ host: this.host, height, prunedBelow, text: item.error.text });
    }
    const found = foundIn(item);
    // To parse the answer took a while already.
    await nextTurn();
    return found === undefined ? undefined : bytes(found, "a block");
  }

  async mempool(): Promise<MempoolList> {
    let listed = "";
    const parse = (text: string) => {
      const cut = withoutTxids(text);
      listed = cut.listed;
      return JSON.parse(cut.rest);
    };
    const asked = { ...call("getrawmempool", [false, true], WHOLE), parse };
    const answer = record(resultIn(one(await this.#rpc.ask([asked]))), "a mempool");
    // Without the list, unless it was written in an unusual way.
    const others = await mapInPortions(
      list(answer.txids, "a mempool"),
      (one) => hash(one, "a txid"),
      SMALL_ITEMS,
    );
    const txids = others.length > 0 ? others : await readTxids(listed);
    return { txids, sequence: count(answer.mempool_sequence, "a sequence") };
  }

  async mempoolInfo(): Promise<MempoolInfo> {
    const info = record(await this.#result("getmempoolinfo"), "a mempool");
    return {
      transactions: count(info.size, "a count"),
      minFeeRaw: amountRaw(info.mempoolminfee, "a fee"),
      isLoaded: flag(info.loaded, "whether it is loaded"),
    };
  }

  async rawTransactions(
    txids: readonly string[],
    blockHash?: string,
  ): Promise<(Uint8Array | undefined)[]> {
    const where = blockHash === undefined ? [] : [false, blockHash];
    const calls = txids.map((txid) => call("getrawtransaction", [txid, ...where], LARGE));
    return (await this.#rpc.ask(calls)).map((item) => {
      const found = foundIn(item);
      return found === undefined ? undefined : bytes(found, "a transaction");
    });
  }

  async mempoolEntries(txids: readonly string[]): Promise<(MempoolEntry | undefined)[]> {
    const calls = txids.map((txid) => call("getmempoolentry", [txid], SMALL));
    return (await this.#rpc.ask(calls)).map((item) => {
      const found = foundIn(item);
      return found === undefined ? undefined : entryOf(found);
    });
  }

  async relatives(
    txid: string,
    whose: "ancestors" | "descendants",
  ): Promise<ReadonlyMap<string, MempoolEntry> | undefined> {
    const calls = [call(`getmempool${whose}`, [txid, true], MEDIUM)];
    const found = foundIn(one(await this.#rpc.ask(calls)));
    if (found === undefined) return undefined;
    const entries = Object.entries(record(found, `the ${whose} of a transaction`));
    return new Map(entries.map(([txid, entry]) => [hash(txid, "a txid"), entryOf(entry)]));
  }

  async unspent(
    outpoints: readonly Outpoint[],
    { withMempool }: { readonly withMempool: boolean },
  ): Promise<(UnspentOutput | undefined)[]> {
    const calls = outpoints.map(({ txid, vout }) =>
      call("gettxout", [txid, vout, withMempool], SMALL)
    );
    return (await this.#rpc.ask(calls)).map((item) => {
      const found = resultIn(item);
      return found === null ? undefined : unspentOf(record(found, "an output"));
    });
  }

  async estimateFee(blocks: number): Promise<bigint | null> {
    const answer = record(await this.#result("estimatesmartfee", [blocks]), "an estimate");
    return answer.feerate === undefined ? null : amountRaw(answer.feerate, "a fee");
  }

  async send(raw: string): Promise<string> {
    return hash(await this.#result("sendrawtransaction", [raw], WORD), "a txid");
  }

  async testAccept(raw: string): Promise<Accepted> {
    const said = list(await this.#result("testmempoolaccept", [[raw]]), "a trial");
    const tried = record(said[0], "a trial");
    if (!flag(tried.allowed, "whether it is accepted")) {
      return { isAccepted: false, reason: text(tried["reject-reason"], "a reason") };
    }
    const feeRaw = amountRaw(record(tried.fees, "fees").base, "a fee");
    return { isAccepted: true, vsize: count(tried.vsize, "a size"), feeRaw };
  }

  async scan(
    scripts: readonly string[],
    { timeoutMs }: { timeoutMs: number },
  ): Promise<Scanned | null> {
    if (scripts.length > SCRIPTS_MAX) {
      throw new NodeError(`At most ${SCRIPTS_MAX} scripts are looked for at once`);
    }
    const wanted = scripts.map((script) => `raw(${script})`);
    const asked = { ...call("scantxoutset", ["start", wanted], WHOLE), timeoutMs };
    const item = one(await this.#rpc.ask([asked]));
    if (!item.ok && isScanning(item.error)) return null;
    const answer = record(resultIn(item), "a scan");
    if (!flag(answer.success, "whether it is done")) {
      throw new NodeError(`${this.host} was interrupted while it looked for outputs`);
    }
    return {
      height: count(answer.height, "a height"),
      hash: hash(answer.bestblock, "a hash"),
      outputs: list(answer.unspents, "outputs").map((one) => scannedOf(record(one, "an output"))),
    };
  }

  async #result(
    method: string,
    params: readonly unknown[] = [],
    limits: AnswerLimits = SMALL,
  ): Promise<unknown> {
    return resultIn(one(await this.#rpc.ask([call(method, params, limits)])));
  }
}

function call(method: string, params: readonly unknown[], limits: AnswerLimits): RpcCall {
  return { method, params, limits };
}

function resultIn(item: RpcItem): unknown {
  if (!item.ok) throw item.error;
  return item.result;
}

function foundIn(item: RpcItem): unknown {
  return !item.ok && isNotFound(item.error) ? undefined : resultIn(item);
}

function headerOf(header: Json, asked: string): HeaderInfo {
  const shown = hash(header.hash, "a header's hash");
  if (shown !== asked) throw new NodeError(`Header ${shown} came instead of ${asked}`);
  const { confirmations, previousblockhash: parent } = header;
  return {
    hash: shown,
    height: count(header.height, "a height"),
    confirmations: confirmations === -1 ? -1 : count(confirmations, "confirmations"),
    parentHash: parent === undefined ? null : hash(parent, "a parent's hash"),
    atMs: blockTime(count(header.time, "a time") * 1000),
  };
}

function entryOf(value: unknown): MempoolEntry {
  const entry = record(value, "a mempool entry");
  const fees = record(entry.fees, "fees");
  const hashes = (of: unknown) => list(of, "relatives").map((txid) => hash(txid, "a txid"));
  const family = (whose: "ancestor" | "descendant"): Family => ({
    count: count(entry[`${whose}count`], "a count"),
    vsize: count(entry[`${whose}size`], "a size"),
    feesRaw: amountRaw(fees[whose], "fees"),
  });
  return {
    vsize: count(entry.vsize, "a size"),
    feeRaw: amountRaw(fees.base, "a fee"),
    ancestors: family("ancestor"),
    descendants: family("descendant"),
    parents: hashes(entry.depends),
    children: hashes(entry.spentby),
  };
}

function unspentOf(output: Json): UnspentOutput {
  return {
    valueRaw: amountRaw(output.value, "an amount"),
    script: hex(record(output.scriptPubKey, "a script").hex, "a script"),
    confirmations: count(output.confirmations, "confirmations"),
    isCoinbase: flag(output.coinbase, "whether it is a coinbase"),
    atHash: hash(output.bestblock, "a hash"),
  };
}

function scannedOf(output: Json): ScannedOutput {
  return {
    txid: hash(output.txid, "a txid"),
    vout: count(output.vout, "an output's number"),
    valueRaw: amountRaw(output.amount, "an amount"),
    script: hex(output.scriptPubKey, "a script"),
    height: count(output.height, "a height"),
  };
}
