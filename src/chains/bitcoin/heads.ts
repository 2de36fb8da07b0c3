import { at, one, zip } from "../../base/lists.ts";
import type { AboutNode, BlockRef, Identity } from "../chain.ts";
import { NodeError, UnfitNode } from "../faults.ts";
import type { Head } from "../pool/head.ts";
import type { HeadAsked } from "../pool/protocol.ts";
import { checkIdentity } from "../pool/shown_identity.ts";
import type { BitcoinNode, HeaderInfo } from "./node/node.ts";
import { type BitcoinNetwork, networkOf, presetOfGenesis } from "./params.ts";

/** Bitcoin Core 24 and Litecoin Core 0.21. */
const VERSION_MIN = { BTC: 240_000, LTC: 210_000 } as const;

/** Chains are told apart by their first blocks; one that isn't known has no name. */
export async function identityOn(node: BitcoinNode): Promise<Identity> {
  const genesisHash = one(await node.blockHashes([0]));
  if (genesisHash === undefined) throw new NodeError(`${node.host} has no first block`);
  return { chainId: presetOfGenesis(genesisHash) ?? "unknown", genesisHash };
}

export async function checkNode(node: BitcoinNode, network: BitcoinNetwork): Promise<void> {
  const old = await whyOld(node, network);
  if (old !== undefined) throw new UnfitNode(`${node.host} is ${old}`);
}

async function whyOld(node: BitcoinNode, { symbol }: BitcoinNetwork): Promise<string | undefined> {
  const { version, name } = await node.networkInfo();
  if (version >= VERSION_MIN[symbol]) return undefined;
  const needed = symbol === "BTC" ? "Bitcoin Core 24" : "Litecoin Core 0.21";
  return `${name}, and ${needed} or later is needed`;
}

/** Which node it is, and how far it has come. */
export async function aboutNode(node: BitcoinNode): Promise<AboutNode> {
  const [{ chainId }, { name }, chain, mempool] = await Promise.all([
    identityOn(node),
    node.networkInfo(),
    node.chainInfo(),
    node.mempoolInfo(),
  ]);
  const old = await whyOld(node, networkOf(chainId));
  return {
    facts: [
      name,
      chain.prunedBelow === null ? "not pruned" : `pruned below block ${chain.prunedBelow}`,
      `${mempool.transactions} transactions in its mempool`,
    ],
    warnings: [
      ...old === undefined ? [] : [old],
      ...chain.isSyncing
        ? [`it is still syncing, at block ${chain.height} of ${chain.headerHeight}`]
        : [],
      ...mempool.isLoaded ? [] : ["its mempool is still being loaded"],
    ],
  };
}

export async function headOn(
  node: BitcoinNode,
  { heights, expected }: HeadAsked,
  finalBlocks: number,
): Promise<Head> {
  const { memory } = node;
  const { height, hash } = await node.chainInfo();
  const finalHeight = Math.max(0, height - finalBlocks + 1);
  const [headers, below] = await Promise.all([
    node.headers([hash]),
    node.blockHashes([finalHeight, ...heights.filter((one) => one <= height)]),
  ]);
  const newest = at(headers, 0);
  if (!newest) throw new NodeError(`${node.host} has no header of its newest block ${hash}`);
  const isLinked = memory.newestHash !== undefined &&
    [hash, newest.parentHash].includes(memory.newestHash);
  if (expected && !isLinked) checkIdentity(node.host, await identityOn(node), expected);
  memory.newestHash = hash;
  const finalHash = at(below, 0);
  if (finalHash === undefined) throw new NodeError(`${node.host} has no block ${finalHeight}`);
  const final = await headerOf(node, finalHash);
  const asked = heights.filter((one) => one <= height);
  const found = zip(asked, below.slice(1)).map(([at, one]) => [at, one ?? null] as const);
  const above = heights.filter((one) => one > height).map((at) => [at, null] as const);
  return {
    height,
    hash,
    parentHash: newest.parentHash ?? NO_PARENT,
    atMs: newest.atMs,
    finalized: { height: finalHeight, atMs: final.atMs },
    hashes: new Map([...found, ...above]),
  };
}

const NO_PARENT = "0".repeat(64);

async function headerOf(node: BitcoinNode, hash: string): Promise<HeaderInfo> {
  const { memory } = node;
  if (memory.final?.hash === hash) return memory.final;
  const header = one(await node.headers([hash]));
  if (!header) throw new NodeError(`${node.host} has no header of block ${hash}`);
  memory.final = header;
  return header;
}

export async function refOn(node: BitcoinNode, height: number): Promise<BlockRef | undefined> {
  const hash = one(await node.blockHashes([height]));
  if (hash === undefined) return undefined;
  const header = one(await node.headers([hash]));
  if (!header) return undefined;
  if (header.height !== height) {
    throw new NodeError(`${node.host} answered block ${header.height} instead of ${height}`);
  }
  return { height, hash, parentHash: header.parentHash ?? NO_PARENT };
}
