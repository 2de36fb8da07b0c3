import { zip } from "../../base/lists.ts";
import { NodeError, UnfitNode, WrongChain } from "../faults.ts";
import type { Head } from "../pool/head.ts";
import { RpcFailure, RpcReplyError } from "../pool/node_errors.ts";
import type { HeadAsked } from "../pool/protocol.ts";
import { asText } from "../shown.ts";
import { record } from "./decode.ts";
import { decodeBlock } from "./blocks/decode_block.ts";
import type { TronNode } from "./node.ts";
import type { Header } from "./blocks/block.ts";
import { identityOn, newestOn, refOn, solidOn } from "./refs.ts";

/**
 * A block is solid once 19 of 27 members have built on it, so at least 18 blocks deep. We allow
 * less, because another node behind the same URL may be a few blocks late.
 */
const SOLID_LAG_MIN = 12;

/** A node that reports unfinished blocks as final would halt the network at the first fork. */
export async function checkNode(node: TronNode): Promise<void> {
  const solid = await solidOn(node);
  // Asked second, or a block in between would put the solid one above it.
  await checkSolid(node, { solid, newest: await newestOn(node) });
}

/** The newest block whole, because it is read next; of the others only what isn't known yet. */
export async function headOn(
  node: TronNode,
  { heights, expected, finalEveryBlocks }: HeadAsked,
): Promise<Head> {
  const { memory } = node;
  let newest = await newestWhole(node);
  const isLinked = memory.note(newest);
  const [solid] = await Promise.all([
    solidFor(node, { newest, everyBlocks: isLinked ? finalEveryBlocks : 0 }),
    expected && memory.isToBeShown(newest, isLinked) ? checkChain(node, expected) : undefined,
  ]);
  if (solid.height > newest.height) {
    newest = await newestWhole(node);
    memory.note(newest);
  }
  if (memory.solid?.header !== solid) {
    await checkSolid(node, { solid, newest });
    memory.solid = { header: solid, askedAtHeight: newest.height };
  }
  const below = await Promise.all(heights.map((height) => hashOn(node, { height, newest })));
  const hashes = new Map(zip(heights, below).filter(isKnown));
  return { ...newest, finalized: { height: solid.height, atMs: solid.atMs }, hashes };
}

async function newestWhole(node: TronNode): Promise<Header> {
  const block = await decodeBlock(await node.ask("wallet/getblock", { detail: true }));
  node.memory.keepNewest(block);
  return block.header;
}

/** Solid blocks stay solid, so an older answer is only lower. */
async function solidFor(
  node: TronNode,
  { newest, everyBlocks }: { newest: Header; everyBlocks: number },
): Promise<Header> {
  const { solid } = node.memory;
  const isRecent = solid !== undefined && solid.askedAtHeight <= newest.height &&
    newest.height < solid.askedAtHeight + everyBlocks;
  return isRecent ? solid.header : await solidOn(node);
}

async function checkChain(
  node: TronNode,
  { code, chainId }: NonNullable<HeadAsked["expected"]>,
): Promise<void> {
  const shown = await identityOn(node);
  if (shown.chainId === chainId) return;
  throw new WrongChain(`${code} is chain ${chainId}, but ${node.host} is on ${shown.chainId}`);
}

/** Undefined if the node no longer says. */
async function hashOn(
  node: TronNode,
  { height, newest }: { height: number; newest: Header },
): Promise<string | null | undefined> {
  if (height > newest.height) return null;
  try {
    return node.memory.hashAt(height) ?? (await refOn(node, height))?.hash ?? null;
  } catch (error) {
    if (error instanceof RpcReplyError) return undefined;
    throw error;
  }
}

function isKnown(one: [number, string | null | undefined]): one is [number, string | null] {
  return one[1] !== undefined;
}

async function checkSolid(
  node: TronNode,
  { solid, newest }: { solid: Header; newest: Header },
): Promise<void> {
  if (solid.height > newest.height) {
    throw new NodeError(`${node.host} solidified ${solid.height}, above its tip ${newest.height}`);
  }
  const isFarBelow = solid.height <= Math.max(0, newest.height - SOLID_LAG_MIN);
  if (isFarBelow || await isSolidOn(node, solid.height)) return;
  throw new UnfitNode(
    `${node.host} reports block ${solid.height} as final and ${newest.height} as newest: ` +
      "its walletsolidity answers like wallet, so its final blocks can still be undone",
  );
}

/** Chains with few members solidify faster; there the node's own report counts. */
async function isSolidOn(node: TronNode, height: number): Promise<boolean> {
  try {
    const { solidityBlock } = record(await node.ask("wallet/getnodeinfo"), "a node");
    const [, number] = /^Num:(\d{1,15})\b/.exec(asText(solidityBlock)) ?? [];
    return number !== undefined && height <= Number(number);
  } catch (error) {
    const isNotServed = error instanceof RpcReplyError ||
      error instanceof RpcFailure && error.kind === "http_status";
    if (!isNotServed) throw error;
    return false;
  }
}
