import type { Random } from "./random.ts";
import type { SimulatedTime } from "./time.ts";
import type { Fetch } from "./outside.ts";

/** How a server is at the moment, whoever asks it. */
export type Mood =
  | "well"
  /** Answers seconds late. */
  | "late"
  /** Accepts the connection and never answers. */
  | "silent"
  /** Does what it is asked, and the connection breaks before the answer. */
  | "cut"
  /** Nothing listens. */
  | "down"
  /** HTTP 503. */
  | "refusing"
  /** HTTP 429. */
  | "limited";

const NEVER = 10 * 365 * 86_400_000;
const QUICK_MS = { from: 1, to: 40 };
const LATE_MS = { from: 500, to: 12_000 };

/** In front of a server: delays, loses and refuses by mood. */
export function withMood(
  answer: Fetch,
  { mood, time, random }: { mood: () => Mood; time: SimulatedTime; random: Random },
): Fetch {
  return async (request) => {
    const now = mood();
    if (now === "down") {
      await time.turn();
      throw new TypeError("error sending request: connection refused");
    }
    await time.sleep(random.between(QUICK_MS.from, QUICK_MS.to));
    if (now === "silent") await time.sleep(NEVER);
    if (now === "refusing") return new Response("no healthy upstream", { status: 503 });
    if (now === "limited") return new Response("too many requests", { status: 429 });
    if (now === "late") await time.sleep(random.between(LATE_MS.from, LATE_MS.to));
    const response = await answer(request);
    if (now === "cut") throw new TypeError("error reading a body from connection");
    return response;
  };
}
