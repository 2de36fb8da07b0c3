import type { BroadcastResult } from "../../transfer.ts";
import { at } from "../../../base/lists.ts";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { present } from "../../../base/assert.ts";
import { TurnBatches } from "../../../base/waiting/batches.ts";
import { fromHex, toHex } from "../../../base/bytes.ts";
import { NodeError } from "../../faults.ts";
import { record } from "../decode.ts";
import type { EndpointAnswer } from "../../pool/asking/answers.ts";
import type { Endpoints } from "../endpoints.ts";
import { classifySendError, type SendErrorClass } from "../error_classes.ts";
import type { Rpc } from "../rpc.ts";
import type { RpcItem } from "../../pool/json/rpc_reply.ts";
import { RpcFailure, RpcReplyError } from "../../pool/node_errors.ts";
import { shown } from "../../shown.ts";

const TOGETHER_MAX = 50;

/** Sends what is waiting in one body and in order, so that a node sees no nonce gap. */
export function createBroadcaster(
  endpoints: Endpoints,
): (raw: string) => Promise<BroadcastResult> {
  const together = new TurnBatches(TOGETHER_MAX);
  const work = (raws: readonly string[]) => broadcastAll(endpoints, raws);
  return (raw) => together.run("", { job: raw, work });
}

/** Each is judged by its own answer, as if it had been sent alone. */
async function broadcastAll(
  endpoints: Endpoints,
  raws: readonly string[],
): Promise<PromiseSettledResult<BroadcastResult>[]> {
  const hashes = raws.map(hashOf);
  const answers = await endpoints.each((rpc) => send(rpc, raws), {
    isSentOnce: true,
    until: (answer) =>
      hashes.every((hash, i) => verdictOf(partOf(answer, i), hash).class === "accepted"),
  });
  return await Promise.allSettled(
    hashes.map((hash, i) => judge(endpoints, hash, answers.map((answer) => partOf(answer, i)))),
  );
}

async function send(rpc: Rpc, raws: readonly string[]): Promise<RpcItem[]> {
  const calls = raws.map((raw) => ({ method: "eth_sendRawTransaction", params: [raw] }));
  const [only] = calls;
  if (!only || calls.length > 1) return await rpc.batchOnce(calls);
  return [{ ok: true, result: await rpc.call(only.method, only.params) }];
}

function partOf(answer: EndpointAnswer<RpcItem[]>, i: number): EndpointAnswer<unknown> {
  if (!answer.ok) return answer;
  const item = at(answer.value, i);
  const { host } = answer;
  return item.ok ? { host, ok: true, value: item.result } : { host, ...item };
}

/** "Not sent" only if every node said so and none knows the transaction. */
async function judge(
  endpoints: Endpoints,
  txHash: string,
  answers: readonly EndpointAnswer<unknown>[],
): Promise<BroadcastResult> {
  const verdicts = answers.map((answer) => verdictOf(answer, txHash));
  if (verdicts.some((it) => it.class === "accepted")) return { kind: "accepted" };
  const reason = verdicts.map((it) => it.reason).join("; ");
  if (verdicts.every((it) => it.class === "unsent")) return { kind: "unreachable", reason };
  // A node may check price or funds before it notices that it already has the bytes.
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
    const other = shown(answer.value);
    return {
      class: "ambiguous",
      reason: `${answer.host} answered the hash ${other}, not ${txHash}`,
    };
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
