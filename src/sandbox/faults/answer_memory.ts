import { Lru } from "../../base/lru.ts";
import { asksForHead } from "./fault_kinds.ts";
import { blockIn, type RpcCall, type RpcReply, type RpcResult } from "./rpc_proxy.ts";

const QUESTIONS_MAX = 2_000;
const ANSWERS_MAX = 8;

/** The node's answers so far, to be repeated in the wrong place. */
export class AnswerMemory {
  readonly #byQuestion = new Lru<string, RpcResult[]>(QUESTIONS_MAX);
  readonly #byMethod = new Map<string, { question: string; result: RpcResult }[]>();
  #head: number | undefined;

  /** The highest block that the node has reported. */
  get head(): number | undefined {
    return this.#head;
  }

  remember(call: RpcCall, { result }: RpcReply): void {
    if (result === undefined || result === null) return;
    const question = questionOf(call);
    const answers = this.#byQuestion.get(question) ?? [];
    this.#byQuestion.set(question, [...answers, result].slice(-ANSWERS_MAX));
    const others = this.#byMethod.get(call.method) ?? [];
    this.#byMethod.set(call.method, [...others, { question, result }].slice(-ANSWERS_MAX));
    if (asksForHead(call)) this.#head = Math.max(this.#head ?? 0, heightOf(result));
  }

  /** Earlier answers to the same question, oldest first. */
  earlier(call: RpcCall): readonly RpcResult[] {
    return this.#byQuestion.get(questionOf(call)) ?? [];
  }

  /** Answers to other questions with the same method. */
  foreign(call: RpcCall): readonly RpcResult[] {
    const own = questionOf(call);
    const others = this.#byMethod.get(call.method) ?? [];
    return others.filter(({ question }) => question !== own).map(({ result }) => result);
  }
}

function questionOf({ method, params }: RpcCall): string {
  return `${method} ${JSON.stringify(params)}`;
}

function heightOf(result: RpcResult): number {
  return Number(typeof result === "string" ? result : blockIn(result).number);
}
