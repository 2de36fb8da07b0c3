import { invariant } from "../../../base/assert.ts";
import { first } from "../../../base/lists.ts";
import { NodeError } from "../../faults.ts";
import type { Outcome, OutcomeOptions, SentTransfer } from "../../transfer.ts";
import { hexOf, safeNumber } from "../decode.ts";
import { decodeRef } from "./decode_block.ts";
import { decodeReceipt, type EvmReceipt } from "./decode_receipt.ts";
import { isFallenSilent, majorityOf } from "../../pool/asking/answers.ts";
import type { Pool } from "../../pool/endpoints.ts";
import type { Rpc } from "../rpc.ts";
import { refOn } from "../refs.ts";

/** The hash is asked first: a used nonce alone doesn't say which transaction used it. */
export async function readOutcome(
  pool: Pool<Rpc>,
  { sent, depth, asksAll = false }: OutcomeOptions & { sent: SentTransfer },
): Promise<Outcome> {
  invariant(depth >= 1, `No depth: ${depth}`);
  const seen = await pool.read((rpc) => outcomeOn(rpc, { sent, depth })).catch(unseenIfPruned);
  if (seen.kind === "included" || (seen.kind === "unseen" && !asksAll)) return seen;
  // That it was replaced leads to money being sent again, so no reachable node may contradict it.
  const answers = await pool.each((rpc) => outcomeOn(rpc, { sent, depth }));
  const said = answers.flatMap((answer) => answer.ok ? [answer.value] : []);
  const included = said.find(({ kind }) => kind === "included");
  if (included) return included;
  // A node that just went silent may know more. It is asked again next time, or is out of use by
  // then.
  if (answers.some(isFallenSilent)) return { kind: "unseen" };
  if (seen.kind === "replaced") return seen;
  const replaced = said.filter(({ kind }) => kind === "replaced");
  return replaced.length >= majorityOf(said.length, pool.quorum) ? first(replaced) : seen;
}

async function outcomeOn(
  rpc: Rpc,
  { sent, depth }: { sent: SentTransfer; depth: number },
): Promise<Outcome> {
  const seen = await receiptOn(rpc, sent.txHash);
  if (seen) return seen;
  const tip = safeNumber(await rpc.call("eth_blockNumber", []), "a block number");
  const height = tip - depth + 1;
  if (height < 0) return { kind: "unseen" };
  if (await nonceAt(rpc, { sender: sent.sender, height }) <= sent.nonce) return { kind: "unseen" };
  return await receiptAgain(rpc, { txHash: sent.txHash, height }) ?? { kind: "replaced", height };
}

/** A full node keeps the state of its last 128 blocks; min_confirmations may exceed that. */
class StatePruned extends NodeError {
  override name = "StatePruned";
}

async function nonceAt(
  rpc: Rpc,
  { sender, height }: { sender: string; height: number },
): Promise<number> {
  const [count] = await rpc.batch([
    { method: "eth_getTransactionCount", params: [sender, hexOf(height)] },
  ]);
  if (count.ok) return safeNumber(count.result, "a nonce");
  throw new StatePruned(count.error.message, { cause: count.error });
}

/** If any node failed for another reason, its answer is unknown. */
function unseenIfPruned(error: unknown): Outcome {
  const errors = error instanceof NodeError && Array.isArray(error.cause) ? error.cause : [error];
  if (errors.every((one) => one instanceof StatePruned)) return { kind: "unseen" };
  throw error;
}

/** It may have been mined since, or another backend of this URL answered before. */
async function receiptAgain(
  rpc: Rpc,
  { txHash, height }: { txHash: string; height: number },
): Promise<Outcome | undefined> {
  const [block, receipt] = await rpc.results([
    { method: "eth_getBlockByNumber", params: [hexOf(height), false] },
    { method: "eth_getTransactionReceipt", params: [txHash] },
  ]);
  decodeRef(block, height);
  return receipt === null ? undefined : await outcomeOf(rpc, await decodeReceipt(receipt, txHash));
}

/** Undefined if the node has no receipt. */
async function receiptOn(rpc: Rpc, txHash: string): Promise<Outcome | undefined> {
  const receipt = await rpc.call("eth_getTransactionReceipt", [txHash]);
  return receipt === null ? undefined : await outcomeOf(rpc, await decodeReceipt(receipt, txHash));
}

async function outcomeOf(
  rpc: Rpc,
  { height, blockHash, succeeded }: EvmReceipt,
): Promise<Outcome> {
  const canonical = await refOn(rpc, height);
  if (canonical?.hash !== blockHash) return { kind: "unseen" };
  return { kind: "included", height, blockHash, succeeded };
}
