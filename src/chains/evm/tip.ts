import { type BlockRef, NodeError, type Tip } from "../chain.ts";
import { hexOf, record, safeNumber } from "./decode.ts";
import { decodeRef } from "./decode_block.ts";
import type { Endpoints } from "./endpoints.ts";
import { resultOf, type Rpc, type RpcItem } from "./rpc.ts";

export async function readTip(endpoints: Endpoints): Promise<Tip> {
  return await endpoints.read(async (rpc) => {
    const [latest, finalized] = await rpc.batch([
      { method: "eth_getBlockByNumber", params: ["latest", false] },
      { method: "eth_getBlockByNumber", params: ["finalized", false] },
    ]);
    const { height, hash } = decodeNewest(resultOf(latest!));
    const finalizedHeight = readFinalized(finalized!);
    if (finalizedHeight !== null && finalizedHeight > height) {
      throw new NodeError(`${rpc.host} finalized ${finalizedHeight}, above its tip ${height}`);
    }
    return { height, hash, finalizedHeight };
  });
}

export async function readRef(
  endpoints: Endpoints,
  height: number,
): Promise<BlockRef | undefined> {
  return await endpoints.read((rpc) => refOn(rpc, height));
}

/** An endpoint that cannot be asked is no witness. */
export async function countWitnesses(
  endpoints: Endpoints,
  { height, hash }: { height: number; hash: string },
): Promise<number> {
  const answers = await endpoints.each((rpc) => refOn(rpc, height));
  return answers.filter((answer) => answer.ok && answer.value?.hash === hash).length;
}

export async function refOn(rpc: Rpc, height: number): Promise<BlockRef | undefined> {
  const block = await rpc.call("eth_getBlockByNumber", [hexOf(height), false]);
  return block === null ? undefined : decodeRef(block, height);
}

export function decodeNewest(block: unknown): BlockRef {
  if (block === null) throw new NodeError("The node has no latest block");
  return decodeRef(block, safeNumber(record(block, "a block").number, "a block's number"));
}

/** Chains without the tag say so in many words; any other error is trouble, not an answer. */
function readFinalized(item: RpcItem): number | null {
  if (item.ok) return item.result === null ? null : decodeNewest(item.result).height;
  const { code, text } = item.error;
  const isUnsupported = code === -32602 || code === -39001 ||
    /finalized block not found|unknown block|unsupported|not supported|invalid.*(tag|block)/i
      .test(text);
  if (!isUnsupported) throw item.error;
  return null;
}
