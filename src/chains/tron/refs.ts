import { type BlockRef, type Identity, NodeError, UnfitNode, WrongChain } from "../chain.ts";
import type { Head } from "../pool/head.ts";
import { RpcFailure, RpcReplyError } from "../pool/node_errors.ts";
import type { ExpectedIdentity } from "../pool/shown_identity.ts";
import { hash32, integer, isEmpty, record, safeNumber } from "./decode.ts";
import type { TronNode } from "./node.ts";

/**
 * A block is solid once 19 of 27 members have built on it, so that it is at least 18 below the newest.
 * Less, for behind one URL another node may answer that is a few blocks late.
 */
const SOLID_LAG_MIN = 12;

/** A block without its transactions. */
export interface Header extends BlockRef {
  readonly atMs: number;
}

/** An empty object is how a node says that it has nothing; of a block that never means an empty one. */
export function decodeHeader(value: unknown): Header {
  const { blockID, block_header } = record(value, "a block");
  const { number, parentHash, timestamp } = record(
    record(block_header, "a block's header").raw_data,
    "a block's header",
  );
  const height = safeNumber(number, "a block's number");
  const hash = hash32(blockID, "a block's id");
  // The id begins with the height, so a block of another height cannot be passed off as this one.
  if (BigInt(`0x${hash.slice(0, 16)}`) !== BigInt(height)) {
    throw new NodeError(`Block ${height} has the id ${hash} of another height`);
  }
  const parent = hash32(parentHash, "a block's parent");
  // The first block's time is before 1970 on some test chains.
  return { height, hash, parentHash: parent, atMs: Number(integer(timestamp, "a block's time")) };
}

export async function headerOn(node: TronNode, height: number): Promise<Header | undefined> {
  const asked = { id_or_num: String(height), detail: false };
  const block = await node.ask("wallet/getblock", asked);
  if (isEmpty(block)) return undefined;
  const header = decodeHeader(block);
  if (header.height === height) return header;
  throw new NodeError(`${node.host} answered block ${header.height} instead of ${height}`);
}

export async function refOn(node: TronNode, height: number): Promise<BlockRef | undefined> {
  const header = await headerOn(node, height);
  if (!header) return undefined;
  const { hash, parentHash } = header;
  return { height, hash, parentHash };
}

export async function newestOn(node: TronNode): Promise<Header> {
  return decodeHeader(await node.ask("wallet/getblock", { detail: false }));
}

/** The newest block that can no longer be reorganised. */
export async function solidOn(node: TronNode): Promise<Header> {
  return decodeHeader(await node.ask("walletsolidity/getblock", { detail: false }));
}

/** The first block names the chain; wallets know its last four bytes as the chain id. */
export async function identityOn(node: TronNode): Promise<Identity> {
  const genesis = await refOn(node, 0);
  if (!genesis) throw new NodeError(`${node.host} has no first block`);
  const chainId = BigInt(`0x${genesis.hash.slice(-8)}`).toString();
  return { chainId, genesisHash: genesis.hash };
}

/** A node that calls final what is not would halt the network at the first fork. */
export async function fitOn(node: TronNode): Promise<void> {
  await newestAbove(node, await solidOn(node));
}

/** Asked after the solid one, or a block in between would put that above. */
async function newestAbove(node: TronNode, solid: Header): Promise<Header> {
  const newest = await newestOn(node);
  if (solid.height > newest.height) {
    throw new NodeError(`${node.host} solidified ${solid.height}, above its tip ${newest.height}`);
  }
  const isFarBelow = solid.height <= Math.max(0, newest.height - SOLID_LAG_MIN);
  if (isFarBelow || await isSolidOn(node, solid.height)) return newest;
  throw new UnfitNode(
    `${node.host} calls block ${solid.height} final, of which the newest is ${newest.height}: ` +
      "its walletsolidity tells what wallet does, so what it calls final can still be undone",
  );
}

/** Chains of few members are quicker: what the node knows of itself then counts. */
async function isSolidOn(node: TronNode, height: number): Promise<boolean> {
  try {
    const { solidityBlock } = record(await node.ask("wallet/getnodeinfo"), "a node");
    const [, number] = /^Num:(\d{1,15})\b/.exec(String(solidityBlock)) ?? [];
    return number !== undefined && height <= Number(number);
  } catch (error) {
    const isNotServed = error instanceof RpcReplyError ||
      error instanceof RpcFailure && error.kind === "http_status";
    if (!isNotServed) throw error;
    return false;
  }
}

export async function headOn(
  node: TronNode,
  { heights, expected }: { heights: readonly number[]; expected: ExpectedIdentity | undefined },
): Promise<Head> {
  const [solid, identity, ...refs] = await Promise.all([
    solidOn(node),
    expected ? identityOn(node) : undefined,
    ...heights.map((height) => refOn(node, height)),
  ]);
  if (expected && identity && identity.chainId !== expected.chainId) {
    const { code, chainId } = expected;
    throw new WrongChain(
      `${code} is chain ${chainId}, but ${node.host} is on ${identity.chainId}`,
    );
  }
  const newest = await newestAbove(node, solid);
  const hashes = new Map(heights.map((height, i) => [height, refs[i]?.hash ?? null]));
  return { ...newest, finalized: { height: solid.height, atMs: solid.atMs }, hashes };
}
