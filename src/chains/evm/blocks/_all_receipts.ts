import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import { NodeError } from "../../faults.ts";
import { list } from "../decode.ts";
import type { EvmBlock } from "./decode_block.ts";
import { decodeReceipt, type EvmReceipt } from "./decode_receipt.ts";
import { RpcFailure } from "../../pool/node_errors.ts";
import { resultOf } from "../../pool/json/rpc_reply.ts";
import type { Rpc } from "../rpc.ts";

/** Falls back to one receipt at a time if the node can't serve a whole block's. */
export async function readAllReceipts(
  rpc: Rpc,
  blocks: readonly EvmBlock[],
): Promise<Map<EvmBlock, EvmReceipt[]>> {
  const together = await rpc.batch(
    blocks.map(({ ref }) => ({ method: "eth_getBlockReceipts", params: [ref.hash] })),
  ).catch((error) => {
    // Anybody can fill a large block with logs; single transactions have a limit of their own.
    if (error instanceof RpcFailure && error.kind === "too_large") return [];
    throw error;
  });
  const receiptsOf = new Map<EvmBlock, EvmReceipt[]>();
  for (const [i, block] of blocks.entries()) {
    const item = together[i];
    const answers = item?.ok
      ? byTransaction(resultOf(item), block)
      : await rpc.results(receiptCalls(block.txs.map((tx) => tx.hash)));
    const receipts = await mapInPortions(
      block.txs,
      (tx, at) => decodeReceipt(answers[at], tx.hash),
    );
    for (const receipt of receipts) checkReceiptBlock(receipt, block);
    receiptsOf.set(block, receipts);
  }
  return receiptsOf;
}

/** One receipt per transaction, null if the list lacks it. */
function byTransaction(answer: unknown, { txs, ref }: EvmBlock): unknown[] {
  if (answer === null) throw new NodeError(`The node has no receipts of block ${ref.hash}`);
  const receipts = new Map<unknown, unknown>();
  for (const receipt of list(answer, "a block's receipts")) {
    const isRecord = typeof receipt === "object" && receipt && "transactionHash" in receipt;
    if (isRecord) receipts.set(receipt.transactionHash, receipt);
  }
  return txs.map((tx) => receipts.get(tx.hash) ?? null);
}

export function receiptCalls(txHashes: readonly string[]) {
  return txHashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] }));
}

export function checkReceiptBlock(receipt: EvmReceipt, { ref }: EvmBlock): void {
  if (receipt.blockHash === ref.hash && receipt.height === ref.height) return;
  throw new NodeError(`The receipt of ${receipt.txHash} is not from block ${ref.hash}`);
}
