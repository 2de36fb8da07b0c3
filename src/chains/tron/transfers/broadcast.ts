import type { BroadcastResult } from "../../transfer.ts";
import { NodeError } from "../../faults.ts";
import type { EndpointAnswer } from "../../pool/asking/answers.ts";
import type { Endpoints } from "../../pool/endpoints.ts";
import { RpcFailure } from "../../pool/node_errors.ts";
import { asText } from "../../shown.ts";
import { isEmpty, type Json, record } from "../decode.ts";
import { type TronNode, wordsOf } from "../node.ts";
import { bytesOf, idOf, rawOfSigned } from "./transaction.ts";

/** After one of these, the bytes aren't in the node's pool. */
const NOT_TAKEN: readonly unknown[] = [
  "SIGERROR",
  "CONTRACT_VALIDATE_ERROR",
  "CONTRACT_EXE_ERROR",
  "BANDWITH_ERROR",
  "TAPOS_ERROR",
  "TOO_BIG_TRANSACTION_ERROR",
  "TRANSACTION_EXPIRATION_ERROR",
];

/** "Not sent" only if every node said so and none knows the transaction. */
export async function broadcast(
  endpoints: Endpoints<TronNode>,
  signed: string,
): Promise<BroadcastResult> {
  const txHash = idOf(rawOfSigned(bytesOf(signed)));
  const answers = await endpoints.each(
    (node) => node.ask("wallet/broadcasthex", { transaction: signed }),
    { isSentOnce: true, until: (answer) => verdictOf(answer, txHash).class === "accepted" },
  );
  const verdicts = answers.map((answer) => verdictOf(answer, txHash));
  if (verdicts.some((it) => it.class === "accepted")) return { kind: "accepted" };
  const reason = verdicts.map((it) => it.reason).join("; ");
  if (verdicts.every((it) => it.class === "unsent")) return { kind: "unreachable", reason };
  if (await isKnown(endpoints, txHash)) return { kind: "accepted" };
  const isUnsure = verdicts.some((it) => it.class === "ambiguous");
  return { kind: isUnsure ? "unknown" : "rejected", reason };
}

interface Verdict {
  readonly class: "accepted" | "ambiguous" | "not_taken" | "unsent";
  readonly reason: string;
}

function verdictOf(answer: EndpointAnswer<unknown>, txHash: string): Verdict {
  if (!answer.ok) {
    const { error } = answer;
    const isUnsent = error instanceof RpcFailure && error.kind === "unsent";
    return { class: isUnsent ? "unsent" : "ambiguous", reason: error.message };
  }
  try {
    return verdictIn(record(answer.value, "a broadcast's answer"), { host: answer.host, txHash });
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return { class: "ambiguous", reason: error.message };
  }
}

/**
 * A node remembers a transaction before it checks it, and announces it before it knows of any
 * listener. So "already known" or "no peers" proves nothing.
 */
function verdictIn(
  { result, code, message, txid }: Json,
  { host, txHash }: { host: string; txHash: string },
): Verdict {
  const isOurs = txid === undefined || txid === txHash;
  if (result === true && (code === undefined || code === "SUCCESS") && isOurs) {
    return { class: "accepted", reason: "" };
  }
  const reason = `${host}: ${asText(code ?? "no code")}: ${wordsOf(message)}`;
  const isRefusal = result !== true && isOurs && NOT_TAKEN.includes(code);
  return { class: isRefusal ? "not_taken" : "ambiguous", reason };
}

async function isKnown(endpoints: Endpoints<TronNode>, txHash: string): Promise<boolean> {
  const answers = await endpoints.each((node) => isKnownOn(node, txHash), {
    until: (answer) => answer.ok && answer.value,
  });
  return answers.some((answer) => answer.ok && answer.value);
}

async function isKnownOn(node: TronNode, txHash: string): Promise<boolean> {
  const answer = await node.ask("wallet/gettransactionbyid", { value: txHash });
  return !isEmpty(answer) && record(answer, "a transaction").txID === txHash;
}
