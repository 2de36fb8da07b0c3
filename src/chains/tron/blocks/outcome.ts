import type { Outcome, SentTransfer } from "../../transfer.ts";
import { isFallenSilent } from "../../pool/asking/answers.ts";
import type { Pool } from "../../pool/endpoints.ts";
import { infoOn } from "./final_view.ts";
import type { TronNode } from "../node.ts";
import { hasInfoSucceeded } from "./payments.ts";
import { headerOn, refOn, solidOn } from "../refs.ts";

type Expired = Extract<Outcome, { kind: "expired" }>;

/**
 * Expired means: no view of any node has it, and a solid block is later than its expiry. The caller
 * makes sure that we have read up to that block ourselves.
 */
export async function readOutcome(
  endpoints: Pool<TronNode>,
  { sent, finalHeight }: { sent: SentTransfer; finalHeight: number | null | undefined },
): Promise<Outcome> {
  const seen = await endpoints.read((node) => outcomeOn(node, { sent, finalHeight }));
  if (seen.kind !== "expired") return seen;
  if (!await isLateEnough(endpoints, { block: seen, sent })) return { kind: "unseen" };
  // This answer leads to money being sent again, so no reachable node may contradict it.
  const answers = await endpoints.each((node) => inclusionOn(node, sent.txHash));
  for (const answer of answers) {
    if (answer.ok && answer.value !== undefined) return answer.value;
  }
  // A node that just went silent may know more. It is asked again next time, or is out of use by
  // then.
  return answers.some(isFallenSilent) ? { kind: "unseen" } : seen;
}

/** A matching hash doesn't prove the time a node reports: a quorum must report it, and none deny it. */
async function isLateEnough(
  pool: Pool<TronNode>,
  { block: { height, blockHash }, sent }: { block: Expired; sent: SentTransfer },
): Promise<boolean> {
  const answers = await pool.each((node) => headerOn(node, height));
  const times = answers.flatMap((answer) =>
    answer.ok && answer.value?.hash === blockHash ? [answer.value.atMs] : []
  );
  return times.length >= pool.quorum && times.every((atMs) => atMs > sent.nonce);
}

/**
 * The time is read first: what is missing after that can't appear any more. Of two solid blocks the
 * lower one counts.
 */
async function outcomeOn(
  node: TronNode,
  { sent, finalHeight }: { sent: SentTransfer; finalHeight: number | null | undefined },
): Promise<Outcome> {
  const solid = await solidOn(node);
  const height = Math.min(finalHeight ?? solid.height, solid.height);
  const block = height < solid.height ? await headerOn(node, height) : solid;
  const included = await inclusionOn(node, sent.txHash);
  if (included) return included;
  if (!block || block.atMs <= sent.nonce) return { kind: "unseen" };
  return { kind: "expired", height: block.height, blockHash: block.hash };
}

async function inclusionOn(node: TronNode, txHash: string): Promise<Outcome | undefined> {
  const [solid, newest] = await Promise.all([
    infoOn(node, { txHash, view: "walletsolidity" }),
    infoOn(node, { txHash, view: "wallet" }),
  ]);
  const info = solid ?? newest;
  if (!info) return undefined;
  const { height } = info;
  const ref = await refOn(node, height);
  if (!ref) return { kind: "unseen" };
  return { kind: "included", height, blockHash: ref.hash, succeeded: hasInfoSucceeded(info) };
}
