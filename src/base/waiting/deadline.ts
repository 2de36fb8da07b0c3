/** Time ran out. The work may still be going on. */
export class OutOfTime extends Error {
  override name = "OutOfTime";
}

export interface Deadline {
  /** The work's result, or OutOfTime if that comes first. */
  race<T>(work: Promise<T>): Promise<T>;
  cancel(): void;
}

export function deadlineIn(ms: number): Deadline {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const timer = setTimeout(() => reject(new OutOfTime(`no answer within ${ms} ms`)), ms);
  return {
    race: (work) => {
      work.catch(() => {});
      return Promise.race([work, promise]);
    },
    cancel: () => clearTimeout(timer),
  };
}

export const noDeadline: Deadline = { race: (work) => work, cancel: () => {} };
