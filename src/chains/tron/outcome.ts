import type { Outcome, SentTransfer } from "../chain.ts";
import type { Endpoints } from "../pool/endpoints.ts";
import { infoOn } from "./final_view.ts";
import type { TronNode } from "./node.ts";
import { hasInfoSucceeded } from "./payments.ts";
import { refOn, solidOn } from "./refs.ts";

/**
 * Expired is what no view of any node knows once a block that stays is later than its time. Our own
 * reading has to have come to that block too; whoever asks sees to that.
 */
export async function readOutcome(
  endpoints: Endpoints<TronNode>,
  { sent }: { sent: SentTransfer },
): Promise<Outcome> {
  const seen = await endpoints.read((node) => outcomeOn(node, sent));
  if (seen.kind !== "expired") return seen;
  // Money is sent again after this answer, so no node that can be asked may know otherwise.
  const answers = await endpoints.each((node) => inclusionOn(node, sent.txHash));
  for (const answer of answers) {
    if (answer.ok && answer.value !== undefined) return answer.value;
  }
  return seen;
}

/** The time is taken first: what was not there afterwards cannot come any more. */
async function outcomeOn(node: TronNode, { txHash, nonce }: SentTransfer): Promise<Outcome> {
  const { atMs, height, hash } = await solidOn(node);
  const included = await inclusionOn(node, txHash);
  if (included) return included;
  return atMs > nonce ? { kind: "expired", height, blockHash: hash } : { kind: "unseen" };
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
