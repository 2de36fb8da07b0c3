import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import type { SeenTransaction } from "../../seen_transaction.ts";
import { answersOfAll } from "../../pool/asking/answers.ts";
import type { Pool } from "../../pool/endpoints.ts";
import { readCarriedOut } from "../collector/carried_out.ts";
import { nodeAddress } from "../address.ts";
import { record } from "../decode.ts";
import { decodeReceipt } from "./decode_receipt.ts";
import type { Rpc } from "../rpc.ts";
import { receiptCalls } from "./_all_receipts.ts";

/**
 * Blocks read by hash can't change. But the node that served them may have misreported whether a
 * transaction succeeded, or an order of it, and money is given back for failures, so no endpoint may
 * contradict one.
 */
export async function readFinalView(
  pool: Pool<Rpc>,
  seen: readonly SeenTransaction[],
): Promise<ReadonlySet<string>> {
  const standing = new Set(seen.map(({ txHash }) => txHash));
  const failed = seen.filter((one) => !one.succeeded || one.failedOrder !== undefined);
  // With a quorum, several nodes have already agreed on it.
  if (failed.length === 0 || pool.quorum > 1) return standing;
  const answers = await pool.each((rpc) => contradictedOn(rpc, failed));
  return standing.difference(new Set(answersOfAll(answers).flat()));
}

/** A node without the receipt contradicts nothing. */
async function contradictedOn(rpc: Rpc, failed: readonly SeenTransaction[]): Promise<string[]> {
  const byHash = Map.groupBy(failed, ({ txHash }) => txHash);
  const txHashes = [...byHash.keys()];
  const receipts = await rpc.results(receiptCalls(txHashes));
  const contradicted = await mapInPortions(
    [...byHash],
    async ([txHash, failures], i) =>
      receipts[i] !== null && await contradicts(receipts[i], txHash, failures),
  );
  return txHashes.filter((_, i) => contradicted[i]);
}

async function contradicts(
  receipt: unknown,
  txHash: string,
  failures: readonly SeenTransaction[],
): Promise<boolean> {
  const { succeeded, logs } = await decodeReceipt(receipt, txHash);
  if (!succeeded) return false;
  const { to } = record(receipt, "a receipt");
  const called = to === null ? null : nodeAddress(to, "a receipt's to");
  const carriedOut = readCarriedOut(logs.filter(({ contract }) => contract === called)) ?? [];
  return failures.some(({ succeeded, failedOrder }) =>
    !succeeded || (failedOrder !== undefined && carriedOut[failedOrder])
  );
}
