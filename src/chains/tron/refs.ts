import type { Header } from "./blocks/block.ts";
import type { BlockRef, Identity } from "../chain.ts";
import { blockTime, NodeError } from "../faults.ts";
import { hash32, integer, isEmpty, record, safeNumber } from "./decode.ts";
import type { TronNode } from "./node.ts";

/** Nodes answer an empty object for "not found", which is never an empty block. */
export function decodeHeader(value: unknown): Header {
  const { blockID, block_header } = record(value, "a block");
  const { number, parentHash, timestamp } = record(
    record(block_header, "a block's header").raw_data,
    "a block's header",
  );
  const height = safeNumber(number, "a block's number");
  const hash = hash32(blockID, "a block's id");
  // The id begins with the height, so a block can't be passed off as one of another height.
  if (BigInt(`0x${hash.slice(0, 16)}`) !== BigInt(height)) {
    throw new NodeError(`Block ${height} has the id ${hash} of another height`);
  }
  const parent = hash32(parentHash, "a block's parent");
  // On some test chains the genesis block's time is before 1970.
  const atMs = blockTime(Number(integer(timestamp, "a block's time")));
  return { height, hash, parentHash: parent, atMs };
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

/** The newest block that can't be reorganised any more. */
export async function solidOn(node: TronNode): Promise<Header> {
  return decodeHeader(await node.ask("walletsolidity/getblock", { detail: false }));
}

/** The genesis block names the chain; wallets use its last four bytes as chain id. */
export async function identityOn(node: TronNode): Promise<Identity> {
  const genesis = await refOn(node, 0);
  if (!genesis) throw new NodeError(`${node.host} has no first block`);
  const chainId = BigInt(`0x${genesis.hash.slice(-8)}`).toString();
  node.memory.noteShown();
  return { chainId, genesisHash: genesis.hash };
}
