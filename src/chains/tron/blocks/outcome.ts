import type { Outcome, SentTransfer } from "../../chain.ts";
import { isFallenSilent, type Pool } from "../../pool/endpoints.ts";
import { infoOn } from "./final_view.ts";
import type { TronNode } from "../node.ts";
import { hasInfoSucceeded } from "./payments.ts";
import type { Header } from "./block.ts";
import { headerOn, refOn, solidOn } from "../refs.ts";

type Expired = Extract<Outcome, { kind: "expired" }>;

/**
 * Expired is what no view of any node knows once a block that stays is later than its time. Our own
 * reading has to have come to that block too; whoever asks sees to that.
 */
export async function readOutcome(
  endpoints: Pool<TronNode>,
  { sent, finalHeight }: { sent: SentTransfer; finalHeight: number | null | undefined },
): Promise<Outcome> {
  const seen = await endpoints.read((node) => outcomeOn(node, { sent, finalHeight }));
  if (seen.kind !== "expired") return seen;
  if (!await isLateEnough(endpoints, { block: seen, sent })) return { kind: "unseen" };
  // Money is sent again after this answer, so no node that can be asked may know otherwise.
  const answers = await endpoints.each((node) => inclusionOn(node, sent.txHash));
  for (const answer of answers) {
    if (answer.ok && answer.value !== undefined) return answer.value;
  }
  // One that spoke until now is heard the next time, or has been silent for longer by then.
  return answers.some(isFallenSilent) ? { kind: "unseen" } : seen;
}

/** What has a block's hash need not tell its time: as many say it as the quorum asks for. */
async function isLateEnough(
  pool: Pool<TronNode>,
  { block: { height, blockHash }, sent }: { block: Expired; sent: SentTransfer },
): Promise<boolean> {
  if (pool.quorum === 1) return true;
  const lacking = (told: readonly (Header | undefined)[]) =>
    pool.quorum - told.filter((it) => it?.hash === blockHash && it.atMs > sent.nonce).length;
  const { values } = await pool.several((node) => headerOn(node, height), {
    height,
    missing: lacking,
  });
  return lacking(values) <= 0;
}

/**
 * The time is taken first: what was not there afterwards cannot come any more. Of two blocks that are
 * said to stay the lower one counts.
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
