import { NodeError } from "../../faults.ts";
import { RpcFailure, RpcReplyError } from "../node_errors.ts";

export type EndpointAnswer<T> =
  | { readonly host: string; readonly ok: true; readonly value: T }
  | { readonly host: string; readonly ok: false; readonly error: NodeError };

export async function answerOf<T>(host: string, asked: Promise<T>): Promise<EndpointAnswer<T>> {
  try {
    return { host, ok: true, value: await asked };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return { host, ok: false, error };
  }
}

/**
 * Whether at least `count` say yes. Throws if nobody answers, or if too few do and one has just
 * fallen silent, because that one might say yes.
 */
export function isConfirmedBy(count: number, answers: readonly EndpointAnswer<boolean>[]): boolean {
  if (answers.filter((answer) => answer.ok && answer.value).length >= count) return true;
  answersOfAll(answers);
  return false;
}

/** How many of so many votes decide: a majority, and at least the quorum. */
export function majorityOf(votes: number, quorum: number): number {
  return Math.max(quorum, Math.floor(votes / 2) + 1);
}

/** All answers. Throws if nobody answers or one has just fallen silent. */
export function answersOfAll<T>(answers: readonly EndpointAnswer<T>[]): readonly T[] {
  const errors = answers.flatMap((answer) => answer.ok ? [] : [answer.error]);
  if (errors.length < answers.length && !answers.some(isFallenSilent)) {
    return answers.flatMap((answer) => answer.ok ? [answer.value] : []);
  }
  throw new NodeError(errors.map(({ message }) => message).join("; "), { cause: errors });
}

/**
 * Of what one node may know alone: each has to say it, however long it has been silent. One that
 * refuses the question says that it doesn't know.
 */
export function answersOfEach<T>(answers: readonly EndpointAnswer<T>[]): readonly T[] {
  const silent = answers.filter((answer) => !isAnswer(answer)).map(({ host }) => host);
  if (silent.length === 0) return answersOfAll(answers);
  const [it, does] = silent.length === 1 ? ["it", "it does"] : ["them", "they do"];
  throw new NodeError(
    `No answer from ${silent.join(" and ")}, which may know what no other node does: try again ` +
      `when ${does}, or take ${it} from the network's nodes`,
  );
}

export function isFallenSilent(answer: EndpointAnswer<unknown>): boolean {
  return !answer.ok && answer.error instanceof RpcFailure && answer.error.kind === "silent";
}

/** A refusal is an answer; a network error is not. */
export function isAnswer(answer: EndpointAnswer<unknown>): boolean {
  return answer.ok || answer.error instanceof RpcReplyError;
}

export function silenceOf<T>(host: string, wasWell: boolean): EndpointAnswer<T> {
  const error = new RpcFailure(wasWell ? "silent" : "timeout", `${host} does not answer`);
  return { host, ok: false, error };
}
