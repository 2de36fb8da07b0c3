import { keccak_256 } from "@noble/hashes/sha3.js";
import { present } from "../../base/assert.ts";
import { fromHex, toHex } from "../../base/bytes.ts";
import { type BroadcastResult, NodeError } from "../chain.ts";
import { record } from "./decode.ts";
import type { EndpointAnswer, Endpoints } from "./endpoints.ts";
import { classifySendError, type SendErrorClass } from "./error_classes.ts";
import type { Rpc } from "./rpc.ts";
import { RpcFailure, RpcReplyError } from "../pool/node_errors.ts";

/** Says "not sent" only where every node has said so and none knows the transaction. */
export async function broadcast(endpoints: Endpoints, raw: string): Promise<BroadcastResult> {
  const txHash = hashOf(raw);
  const answers = await endpoints.each((rpc) => rpc.call("eth_sendRawTransaction", [raw]), {
    isSentOnce: true,
    until: (answer) => verdictOf(answer, txHash).class === "accepted",
  });
  const verdicts = answers.map((answer) => verdictOf(answer, txHash));
  if (verdicts.some((it) => it.class === "accepted")) return { kind: "accepted" };
  const reason = verdicts.map((it) => it.reason).join("; ");
  if (verdicts.every((it) => it.class === "unsent")) return { kind: "unreachable", reason };
  // A node may judge the price or the funds before it looks whether it has the bytes already.
  if (await isKnown(endpoints, txHash)) return { kind: "accepted" };
  const isUnsure = verdicts.some((it) => it.class === "ambiguous");
  return { kind: isUnsure ? "unknown" : "rejected", reason };
}

interface Verdict {
  readonly class: SendErrorClass | "unsent";
  readonly reason: string;
}

function verdictOf(answer: EndpointAnswer<unknown>, txHash: string): Verdict {
  if (answer.ok) {
    if (answer.value === txHash) return { class: "accepted", reason: "" };
    const other = JSON.stringify(answer.value);
    return { class: "ambiguous", reason: `${answer.host} took it as ${other}, not as ${txHash}` };
  }
  const { error } = answer;
  if (error instanceof RpcReplyError) {
    return { class: classifySendError(error.text), reason: error.message };
  }
  const isUnsent = error instanceof RpcFailure && error.kind === "unsent";
  return { class: isUnsent ? "unsent" : "ambiguous", reason: error.message };
}

async function isKnown(endpoints: Endpoints, txHash: string): Promise<boolean> {
  const ask = async (rpc: Rpc) => {
    const found = await rpc.call("eth_getTransactionByHash", [txHash]);
    if (found === null) return false;
    if (record(found, "a transaction").hash === txHash) return true;
    throw new NodeError(`${rpc.host} answered another transaction than ${txHash}`);
  };
  const answers = await endpoints.each(ask, { until: (answer) => answer.ok && answer.value });
  return answers.some((answer) => answer.ok && answer.value);
}

function hashOf(raw: string): string {
  return `0x${toHex(keccak_256(present(fromHex(raw.slice(2)), "Signed bytes are hex")))}`;
}
