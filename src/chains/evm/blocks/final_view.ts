import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import type { SeenTransaction } from "../../seen_transaction.ts";
import { answersOfAll } from "../../pool/asking/answers.ts";
import type { Pool } from "../../pool/endpoints.ts";
import { decodeReceipt } from "./decode_receipt.ts";
import type { Rpc } from "../rpc.ts";
import { receiptCalls } from "./_all_receipts.ts";

/**
 * Blocks read by hash can't change. But the node that served them may have misreported whether a
 * transaction succeeded, and money is given back for failures, so no endpoint may contradict one.
 */
export async function readFinalView(
  pool: Pool<Rpc>,
  seen: readonly SeenTransaction[],
): Promise<ReadonlySet<string>> {
  const standing = new Set(seen.map(({ txHash }) => txHash));
  const failed = seen.filter(({ succeeded }) => !succeeded).map(({ txHash }) => txHash);
  // With a quorum, several nodes have already agreed on it.
  if (failed.length === 0 || pool.quorum > 1) return standing;
  const answers = await pool.each((rpc) => succeededOn(rpc, failed));
  return standing.difference(new Set(answersOfAll(answers).flat()));
}

/** A node without the receipt contradicts nothing. */
async function succeededOn(rpc: Rpc, txHashes: readonly string[]): Promise<string[]> {
  const receipts = await rpc.results(receiptCalls(txHashes));
  const succeeded = await mapInPortions(
    txHashes,
    async (txHash, i) =>
      receipts[i] !== null && (await decodeReceipt(receipts[i], txHash)).succeeded,
  );
  return txHashes.filter((_, i) => succeeded[i]);
}
