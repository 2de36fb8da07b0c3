import { present } from "../../base/assert.ts";
import { at, last } from "../../base/lists.ts";
import type { BlockRef } from "../chain.ts";
import { NodeError } from "../faults.ts";
import type { BlockGas, Head } from "../pool/head.ts";
import type { HeadAsked } from "../pool/protocol.ts";
import { checkChainId } from "./shown_identity.ts";
import { hexOf, quantity, record, safeNumber } from "./decode.ts";
import { decodeRef, timeOf } from "./blocks/decode_block.ts";
import { resultOf, type RpcItem } from "../pool/json/rpc_reply.ts";
import type { Rpc, RpcCall } from "./rpc.ts";

/** Everything in one HTTP body, and nothing that can't have changed since the last one. */
export async function headOn(rpc: Rpc, asked: HeadAsked): Promise<Head> {
  const { memory } = rpc;
  const isChainShown = memory.expectsLink;
  try {
    const head = await askHead(rpc, { ...asked, isChainShown });
    if (head) return head;
  } catch (error) {
    memory.forget();
    throw error;
  }
  memory.forget();
  return present(await askHead(rpc, { ...asked, isChainShown: false }), "Its chain was asked for");
}

/** Undefined if the newest block doesn't follow what was seen, so that its chain has to be shown. */
async function askHead(
  rpc: Rpc,
  { heights, expected, finalEveryBlocks, isChainShown }: HeadAsked & { isChainShown: boolean },
): Promise<Head | undefined> {
  const { memory } = rpc;
  const known = memory.finalFor(finalEveryBlocks);
  const isWhole = memory.wantsWhole;
  const items = await rpc.batch([
    { method: "eth_getBlockByNumber", params: ["latest", isWhole] },
    ...heights.map((height) => blockCall(hexOf(height))),
    ...known ? [] : [blockCall("finalized")],
    ...expected && !isChainShown ? [{ method: "eth_chainId", params: [] }] : [],
  ]);
  const latest = resultOf(at(items, 0));
  const head = decodeNewest(latest);
  if (isChainShown && !memory.isLinked(head)) return undefined;
  if (expected && !isChainShown) {
    checkChainId(resultOf(last(items)), { host: rpc.host, expected });
  }
  const final = known ? known.value : readFinalized(at(items, 1 + heights.length));
  if (final !== null && final.height > head.height) {
    throw new NodeError(`${rpc.host} finalized ${final.height}, above its tip ${head.height}`);
  }
  const hashes = new Map(
    heights.flatMap((height, i) => {
      const item = at(items, 1 + i);
      // A block that the node has pruned is none that it denies.
      return item.ok ? [[height, hashOf(item.result, height)] as const] : [];
    }),
  );
  memory.note(head, isWhole ? latest : undefined);
  if (!known) memory.noteFinal(final, head);
  return { ...head, finalized: final, hashes, gas: gasOf(latest) };
}

function blockCall(block: string): RpcCall {
  return { method: "eth_getBlockByNumber", params: [block, false] };
}

function hashOf(block: unknown, height: number): string | null {
  return block === null ? null : decodeRef(block, height).hash;
}

function decodeNewest(block: unknown): BlockRef & { atMs: number } {
  if (block === null) throw new NodeError("The node has no latest block");
  const header = record(block, "a block");
  const ref = decodeRef(block, safeNumber(header.number, "a block's number"));
  return { ...ref, atMs: timeOf(header) };
}

/** Undefined if it isn't as expected: whoever pays then asks, and is told. */
function gasOf(block: unknown): BlockGas | undefined {
  const { baseFeePerGas, gasLimit } = record(block, "a block");
  try {
    return {
      baseRaw: quantity(baseFeePerGas, "a base fee"),
      limit: quantity(gasLimit, "a block's gas limit"),
    };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return undefined;
  }
}

/** Chains without the tag say so explicitly; any other error is a failure, not an answer. */
function readFinalized(item: RpcItem): Head["finalized"] {
  if (item.ok) {
    if (item.result === null) return null;
    const { height, atMs } = decodeNewest(item.result);
    return { height, atMs };
  }
  const { code, text } = item.error;
  const isUnsupported = code === -32602 || code === -39001 ||
    /finalized block not found|unknown block|unsupported|not supported|invalid.{0,200}(tag|block)/i
      .test(text);
  if (!isUnsupported) throw item.error;
  return null;
}
