import type { BroadcastResult } from "../../transfer.ts";
import { present } from "../../../base/assert.ts";
import { NodeError } from "../../faults.ts";
import type { EndpointAnswer } from "../../pool/asking/answers.ts";
import type { Pool } from "../../pool/endpoints.ts";
import { RpcFailure, RpcReplyError } from "../../pool/node_errors.ts";
import { readTransaction } from "../bytes/transaction.ts";
import { refusalOf, refusalText } from "../node/errors.ts";
import type { BitcoinNode } from "../node/node.ts";

/** "Not taken" only if every node said so and none has it. */
export async function broadcast(
  pool: Pool<BitcoinNode>,
  { raw, hasMweb }: { raw: string; hasMweb: boolean },
): Promise<BroadcastResult> {
  const read = readTransaction(Uint8Array.fromHex(raw), { hasMweb });
  const { txid } = present(read, "We sign ordinary transactions only");
  const answers = await pool.each((node) => node.send(raw), {
    isSentOnce: true,
    until: (answer) => verdictOf(answer, txid).class === "accepted",
  });
  const verdicts = answers.map((answer) => verdictOf(answer, txid));
  if (verdicts.some((it) => it.class === "accepted")) return { kind: "accepted" };
  const reason = verdicts.map((it) => it.reason).join("; ");
  if (verdicts.every((it) => it.class === "unsent")) return { kind: "unreachable", reason };
  if (await isKnown(pool, txid)) return { kind: "accepted" };
  const isUnsure = verdicts.some((it) => it.class === "ambiguous");
  return { kind: isUnsure ? "unknown" : "rejected", reason };
}

interface Verdict {
  readonly class: "accepted" | "ambiguous" | "not_taken" | "unsent";
  readonly reason: string;
}

function verdictOf(answer: EndpointAnswer<string>, txid: string): Verdict {
  if (answer.ok) {
    if (answer.value === txid) return { class: "accepted", reason: "" };
    return { class: "ambiguous", reason: `${answer.host} answered another txid than ${txid}` };
  }
  const { error } = answer;
  if (error instanceof RpcReplyError) {
    const refusal = refusalOf(error);
    if (refusal === "known") return { class: "accepted", reason: "" };
    const isClear = refusal !== "unclear";
    return { class: isClear ? "not_taken" : "ambiguous", reason: refusalText(error) };
  }
  const isUnsent = error instanceof RpcFailure && error.kind === "unsent";
  return { class: isUnsent ? "unsent" : "ambiguous", reason: error.message };
}

async function isKnown(pool: Pool<BitcoinNode>, txid: string): Promise<boolean> {
  const ask = async (node: BitcoinNode) => {
    const [found] = await node.mempoolEntries([txid]);
    return found !== undefined;
  };
  try {
    const answers = await pool.each(ask, { until: (answer) => answer.ok && answer.value });
    return answers.some((answer) => answer.ok && answer.value);
  } catch (error) {
    if (error instanceof NodeError) return false;
    throw error;
  }
}
