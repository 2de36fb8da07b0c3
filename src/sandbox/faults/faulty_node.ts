import { at, zip } from "../../base/lists.ts";
import { AnswerMemory } from "./answer_memory.ts";
import { disturbReplies, toLaggard } from "./disturb_replies.ts";
import type { FaultKind } from "./fault_kinds.ts";
import { type Decide, deciderOf, type Decision, type FaultPlan } from "./fault_plan.ts";
import { type Exchange, type HttpAnswer, type RpcReply, startRpcProxy } from "./rpc_proxy.ts";

/** A node behind a bad connection. */
export interface FaultyNode extends AsyncDisposable {
  readonly url: string;
  /** Starts following the plan. Undefined: no faults. */
  follow(plan: FaultPlan | undefined): void;
  readonly counts: FaultCounts;
}

/** Counts requests and faults while a plan is followed. */
export interface FaultCounts {
  /** HTTP bodies. */
  readonly requests: number;
  /** In the order of their first occurrence. */
  readonly kinds: Readonly<Partial<Record<FaultKind, number>>>;
}

const DELAY_MS_MAX = 500;

/** Passes everything through until it gets a plan. */
export async function startFaultyNode(nodeUrl: string): Promise<FaultyNode> {
  const memory = new AnswerMemory();
  const counts: { requests: number; kinds: Partial<Record<FaultKind, number>> } = {
    requests: 0,
    kinds: {},
  };
  let decide: Decide | undefined;
  const proxy = await startRpcProxy(nodeUrl, async (exchange) => {
    if (!decide) return exchange.reply(await ask(exchange, memory));
    counts.requests++;
    const decision = decide(exchange.calls);
    if (!decision) return exchange.reply(await ask(exchange, memory));
    const { answer, isDisturbed } = await disturb(exchange, decision, memory);
    const { kind } = decision;
    if (isDisturbed) counts.kinds[kind] = (counts.kinds[kind] ?? 0) + 1;
    return answer;
  });
  return { ...proxy, counts, follow: (plan) => void (decide = plan && deciderOf(plan)) };
}

interface Outcome {
  readonly answer: HttpAnswer | "drop";
  /** False: the fault had nothing to work with. */
  readonly isDisturbed: boolean;
}

async function disturb(
  exchange: Exchange,
  decision: Decision,
  memory: AnswerMemory,
): Promise<Outcome> {
  const replies = () => ask(exchange, memory);
  const answer = await disturbDelivery(exchange, decision, replies);
  if (answer) return { answer, isDisturbed: true };
  const { calls, reply } = exchange;
  const asked = calls.with(decision.at, toLaggard(at(calls, decision.at), decision, memory));
  const honest = await ask({ ...exchange, calls: asked }, memory);
  const disturbed = disturbReplies(decision, { calls, replies: honest, memory });
  return { answer: reply(disturbed ?? honest), isDisturbed: disturbed !== undefined };
}

/** Undefined: the fault changes the content, not the delivery. */
async function disturbDelivery(
  { reply, signal }: Exchange,
  { kind, dice }: Decision,
  replies: () => Promise<RpcReply[]>,
): Promise<HttpAnswer | "drop" | undefined> {
  switch (kind) {
    case "drop_request":
      return "drop";
    case "drop_answer":
      await replies();
      return "drop";
    case "delay":
      await pause(dice * DELAY_MS_MAX, signal);
      return reply(await replies());
    case "rate_limit":
      return { status: 429, headers: { "retry-after": "1" }, body: "Too Many Requests" };
    case "gateway_page":
      if (dice < 0.5) await replies();
      return gatewayPage(dice);
    case "truncate": {
      const { body, ...whole } = reply(await replies());
      return { ...whole, body: body.slice(0, Math.floor(dice * body.length)) };
    }
    case "duplicate": {
      const [one, other] = [await replies(), await replies()];
      return reply(dice < 0.5 ? one : other);
    }
  }
  return undefined;
}

async function ask(
  { ask, calls }: Pick<Exchange, "ask" | "calls">,
  memory: AnswerMemory,
): Promise<RpcReply[]> {
  const replies = await ask(calls);
  for (const [call, reply] of zip(calls, replies)) memory.remember(call, reply);
  return replies;
}

function gatewayPage(dice: number): HttpAnswer {
  const [status, reason] = dice * 4 % 1 < 0.5
    ? [502, "Bad Gateway"] as const
    : [503, "Service Temporarily Unavailable"] as const;
  const headers = { "content-type": "text/html" };
  const body = `<html><head><title>${status} ${reason}</title></head>` +
    `<body><center><h1>${status} ${reason}</h1></center></body></html>\n`;
  return { status, headers, body };
}

/** Ends early when the proxy closes. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
