import { inTime, Waits } from "../../base/waiting/waits.ts";

/** No migration takes as long, no copy's next rows, and no deleting of old ones. */
export const PATIENT_MS = 3_600_000;

/** As the libraries for servers call it. */
export type Fetch = (request: Request) => Promise<Response>;

export class NoAnswer extends Error {
  override name = "NoAnswer";
}

/** A server that vanished, or stops in the middle of its answer, is waited for no longer. */
export function fetchWithin(ms: number): Fetch {
  const waits = new Waits(ms);
  return async (request) => {
    const asking = new AbortController();
    const stopWaiting = waits.start(() => {
      asking.abort(noAnswer(ms));
    });
    try {
      const answer = await fetch(request, { signal: asking.signal });
      return answer.body ? new Response(await answer.arrayBuffer(), answer) : answer;
    } finally {
      stopWaiting();
    }
  };
}

/** For a question that doesn't go over HTTP, perhaps. */
export function answerWithin<T>(ms: number, answer: Promise<T>): Promise<T> {
  return inTime(answer, { waits: new Waits(ms), late: () => noAnswer(ms) });
}

function noAnswer(ms: number): NoAnswer {
  return new NoAnswer(`no answer within ${ms / 1_000} s`);
}
