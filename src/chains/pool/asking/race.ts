import { first } from "../../../base/lists.ts";
import { NodeError, UnfitNode, WrongChain } from "../../faults.ts";
import { NOT_NEEDED } from "./not_needed.ts";

interface Race<C, T> {
  readonly attempt: (candidate: C, signal: AbortSignal) => Promise<T>;
  /** Resolves when it is time to ask the next one as well. */
  readonly lateness: (candidate: C, signal: AbortSignal) => Promise<void>;
}

type End<C, T> =
  | { readonly kind: "won"; readonly candidate: C; readonly value: T }
  | { readonly kind: "lost"; readonly error: unknown }
  | { readonly kind: "late" };

/** The first success wins and the others are cancelled. If all fail, the error lists every reason. */
export async function firstSuccess<C, T>(
  candidates: readonly C[],
  { attempt, lateness }: Race<C, T>,
): Promise<{ candidate: C; value: T }> {
  const calledOff = new AbortController();
  const running = new Set<Promise<End<C, T>>>();
  const errors: NodeError[] = [];
  const waiting = [...candidates];

  function start(candidate: C): void {
    const run: Promise<End<C, T>> = attempt(candidate, calledOff.signal)
      .then(
        (value): End<C, T> => ({ kind: "won", candidate, value }),
        (error): End<C, T> => ({ kind: "lost", error }),
      )
      .finally(() => running.delete(run));
    running.add(run);
  }

  try {
    for (;;) {
      const another = waiting.shift();
      if (another !== undefined) start(another);
      if (running.size === 0) throw allFailed(errors);
      const isLast = waiting.length === 0;
      const end = await nextEnd(
        running,
        (signal) => another === undefined || isLast ? undefined : lateness(another, signal),
      );
      if (end.kind === "won") return end;
      if (end.kind === "late") continue;
      if (!(end.error instanceof NodeError)) throw end.error;
      errors.push(end.error);
    }
  } finally {
    calledOff.abort(NOT_NEEDED);
  }
}

async function nextEnd<C, T>(
  running: ReadonlySet<Promise<End<C, T>>>,
  lateness: (signal: AbortSignal) => Promise<void> | undefined,
): Promise<End<C, T>> {
  const awake = new AbortController();
  const late = lateness(awake.signal)?.then((): End<C, T> => ({ kind: "late" }));
  return await Promise.race(late ? [...running, late] : running).finally(() =>
    awake.abort(NOT_NEEDED)
  );
}

/** An endpoint that is out of use is the operator's problem, so it isn't hidden behind a dead one. */
export function allFailed(errors: readonly NodeError[]): NodeError {
  if (errors.length === 1) return first(errors);
  const text = errors.map((error) => error.message).join("; ");
  const isAny = (Kind: typeof NodeError) => errors.some((error) => error instanceof Kind);
  const Kind = [WrongChain, UnfitNode].find(isAny) ?? NodeError;
  return new Kind(text, { cause: errors });
}
