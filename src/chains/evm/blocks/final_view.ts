import type { SeenTransaction } from "../../seen_transaction.ts";
import { type Pool, saidByAll } from "../../pool/endpoints.ts";
import { decodeReceipt } from "./decode_receipt.ts";
import type { Rpc } from "../rpc.ts";
import { receiptCalls } from "./scan_blocks.ts";

/**
 * Blocks that were read by their hash cannot be otherwise. But who told the hash need not have told
 * what came of a transaction, and money is given back for what failed: no endpoint may know better.
 */
export async function readFinalView(
  pool: Pool<Rpc>,
  seen: readonly SeenTransaction[],
): Promise<ReadonlySet<string>> {
  const standing = new Set(seen.map(({ txHash }) => txHash));
  const failed = seen.filter(({ succeeded }) => !succeeded).map(({ txHash }) => txHash);
  // With a quorum, as many have read it alike.
  if (failed.length === 0 || pool.quorum > 1) return standing;
  const answers = await pool.each((rpc) => succeededOn(rpc, failed));
  return standing.difference(new Set(saidByAll(answers).flat()));
}

/** What a node does not have it says nothing about. */
async function succeededOn(rpc: Rpc, txHashes: readonly string[]): Promise<string[]> {
  const receipts = await rpc.results(receiptCalls(txHashes));
  return txHashes.filter((txHash, i) =>
    receipts[i] !== null && decodeReceipt(receipts[i], txHash).succeeded
  );
}
