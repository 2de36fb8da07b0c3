import { type NodeError, nodeErrors } from "../../faults.ts";
import { NOT_NEEDED } from "./not_needed.ts";

interface Inquiry<C, T> {
  readonly attempt: (candidate: C, signal: AbortSignal) => Promise<T>;
  /** Resolves when a candidate is unlikely to answer any more. */
  readonly silence: (candidate: C, signal: AbortSignal) => Promise<void>;
  /** Resolves when another one should be asked besides, although this one may yet answer. */
  readonly lateness?: (candidate: C, signal: AbortSignal) => Promise<void>;
  /** How many more answers are needed at least; 0 ends the inquiry. */
  readonly missing: (values: readonly T[]) => number;
  /** Whether the silent ones may be ignored. */
  readonly hasAnswer: (values: readonly T[]) => boolean;
}

interface Heard<C, T> {
  readonly values: readonly T[];
  readonly errors: readonly NodeError[];
  /** Asked, but neither answered nor failed. */
  readonly silent: readonly C[];
}

/** Asks as many as needed, best first, and one more for each that fails or falls silent. */
export async function inquire<C, T>(
  candidates: readonly C[],
  { attempt, silence, lateness = silence, missing, hasAnswer }: Inquiry<C, T>,
): Promise<Heard<C, T>> {
  const over = new AbortController();
  const waiting = [...candidates];
  const open = new Set<C>();
  const silent = new Set<C>();
  const late = new Set<C>();
  const values: T[] = [];
  const errors: unknown[] = [];
  let changed = Promise.withResolvers<void>();

  function start(candidate: C): void {
    open.add(candidate);
    attempt(candidate, over.signal)
      .then((value) => values.push(value), (error) => errors.push(error))
      .finally(() => {
        open.delete(candidate);
        silent.delete(candidate);
        late.delete(candidate);
        changed.resolve();
      });
    const note = (set: Set<C>, event: Promise<void>) =>
      event.then(() => void (open.has(candidate) && set.add(candidate)), (error) => {
        errors.push(error);
      }).finally(() => changed.resolve());
    note(silent, silence(candidate, over.signal));
    if (lateness !== silence) note(late, lateness(candidate, over.signal));
  }

  try {
    for (;;) {
      const more = missing(values) - (open.size - silent.union(late).size);
      for (const candidate of waiting.splice(0, more)) start(candidate);
      const isLeft = open.size === silent.size && hasAnswer(values);
      if (missing(values) <= 0 || open.size === 0 || isLeft) break;
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    over.abort(NOT_NEEDED);
  }
  return { values, errors: nodeErrors(errors), silent: [...silent] };
}
